// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite struct PixelBufferPoolTests {
    @Test func `a pool's memory is aligned, initially zero, and reused`() throws {
        let pool = PlainPixelBufferPool(byteLimit: 1000)
        var memory = try #require(pool.makeMemory(byteCount: 600))
        let address = memory.bytes.baseAddress
        #expect(Int(bitPattern: address) % PixelBuffer.alignment == 0)
        #expect(memory.bytes.count == 600)
        #expect(memory.bytes.allSatisfy { $0 == 0 })
        #expect(pool.byteCount == (600, 600))
        memory = try #require(pool.makeMemory(byteCount: 300))
        #expect(pool.byteCount == (900, 300))
        let again = try #require(pool.makeMemory(byteCount: 600))
        #expect(again.bytes.baseAddress == address)
        #expect(pool.byteCount == (900, 900))
        withExtendedLifetime(memory) {}
    }

    @Test func `a pool does not exceed its limit and returns nil instead of waiting`() {
        let pool = PlainPixelBufferPool(byteLimit: 1000)
        #expect(pool.makeMemory(byteCount: 1001) == nil)
        var lent = (0..<5).map { _ in pool.makeMemory(byteCount: 300) }
        #expect(lent.map { $0 != nil } == [true, true, true, false, false])
        lent[0] = nil
        // Idle memory is replaced by memory of another size.
        #expect(pool.makeMemory(byteCount: 401) == nil)
        let other = pool.makeMemory(byteCount: 400)
        #expect(other != nil)
        #expect(pool.byteCount == (1000, 1000))
    }

    @Test func `lent memory outlives its pool`() throws {
        var pool: PlainPixelBufferPool? = PlainPixelBufferPool(byteLimit: 64)
        let memory = try #require(pool?.makeMemory(byteCount: 64))
        pool = nil
        memory.bytes[63] = 7
        #expect(memory.bytes[63] == 7)
    }

    @Test func `a pixel buffer uses the pool's memory if available, else plain memory`() throws {
        let pool = PlainPixelBufferPool(byteLimit: 100 * 128)
        func picture() -> PixelBuffer {
            PixelBuffer(format: .yuv420p, width: 70, height: 50, pool: pool) { plane, bytes, _ in
                bytes.initializeMemory(as: UInt8.self, repeating: UInt8(plane + 1))
            }
        }
        let first = picture()
        let second = picture()
        let memory = try #require(first.memory)
        #expect(second.memory == nil)
        for (index, plane) in first.planes.enumerated() {
            let base = try #require(memory.bytes.baseAddress)
            let offset = plane.baseAddress - UnsafeRawPointer(base)
            #expect(offset >= 0 && offset % PixelBuffer.alignment == 0)
            #expect(offset + plane.bytesPerRow * plane.height <= memory.bytes.count)
            #expect(plane.baseAddress.load(as: UInt8.self) == UInt8(index + 1))
        }
        #expect(PixelBuffer(sharing: first).memory === memory)
    }
}
