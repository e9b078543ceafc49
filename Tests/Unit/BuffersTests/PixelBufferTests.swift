// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite struct PixelBufferTests {
    @Test(arguments: PixelFormatTests.formats)
    func `planes are initially zero and contain what fill writes`(format: PixelFormat) {
        var shown: [Int] = []
        let buffer = PixelBuffer(format: format, width: 13, height: 7) {
            plane, bytes, bytesPerRow in
            shown.append(plane)
            #expect(bytes.allSatisfy { $0 == 0 })
            #expect(bytesPerRow % 64 == 0)
            #expect(Int(bitPattern: bytes.baseAddress) % 64 == 0)
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index + plane) }
        }
        #expect(shown == Array(0..<format.planeCount))
        #expect(buffer.planes.count == format.planeCount)
        for (index, plane) in buffer.planes.enumerated() {
            #expect((plane.width, plane.height) == format.planeSize(index, width: 13, height: 7))
            let step = format.components.filter { $0.plane == index }.map(\.step).max() ?? 1
            #expect(plane.bytesPerRow >= plane.width * step)
            let count = plane.bytesPerRow * plane.height
            let bytes = UnsafeRawBufferPointer(start: plane.baseAddress, count: count)
            #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0 + index) })
        }
        #expect(buffer.byteCount == buffer.planes.reduce(0) { $0 + $1.bytesPerRow * $1.height })
    }

    @Test func `every pixel buffer has its own identifier`() {
        let buffers = (0..<100).map { _ in
            PixelBuffer(format: .gray8, width: 1, height: 1) { _, _, _ in }
        }
        #expect(Set(buffers.map(\.identifier)).count == 100)
    }

    @Test func `the owner lives as long as the buffer`() {
        final class Owner {
            let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1);
            deinit { byte.deallocate() }
        }
        weak var witness: Owner?
        var buffer: PixelBuffer?
        do {
            let owner = Owner()
            witness = owner
            let plane = PixelBuffer.Plane(
                baseAddress: UnsafeRawPointer(owner.byte), bytesPerRow: 1, width: 1, height: 1)
            buffer = PixelBuffer(format: .gray8, width: 1, height: 1, planes: [plane], owner: owner)
        }
        #expect(witness != nil && buffer != nil)
        buffer = nil
        #expect(witness == nil)
    }

    @Test func `rows stored bottom up have the same byte count`() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { memory.deallocate() }
        guard let base = memory.baseAddress else { return }
        let plane = PixelBuffer.Plane(
            baseAddress: base + 48, bytesPerRow: -16, width: 4, height: 4)
        let buffer = PixelBuffer(format: .rgba, width: 4, height: 4, planes: [plane], owner: nil)
        #expect(buffer.byteCount == 64)
    }

    @Test func `a wrong number or size of planes is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            _ = PixelBuffer(format: .yuv420p, width: 2, height: 2, planes: [], owner: nil)
        }
    }

    @Test func `the display size has the pixel aspect ratio applied, then the rotation`() {
        func size(_ aspect: (Int, Int), turns: Int) -> [Double] {
            let buffer = PixelBuffer(
                format: .gray8, width: 720, height: 576,
                attachments: PixelBufferAttachments(
                    pixelAspectRatio: .init(horizontal: aspect.0, vertical: aspect.1),
                    orientation: PictureOrientation(quarterTurns: turns))
            ) { _, _, _ in }
            return [buffer.displaySize.width, buffer.displaySize.height]
        }
        #expect(size((1, 1), turns: 0) == [720, 576])
        #expect(size((64, 45), turns: 0) == [1024, 576])
        #expect(size((64, 45), turns: 1) == [576, 1024])
        #expect(size((64, 45), turns: 2) == [1024, 576])
        #expect(size((0, 1), turns: -1) == [576, 720])
    }

    @Test func `quarter turns are normalised to 0 to 3`() {
        for turns in -9...9 {
            let orientation = PictureOrientation(quarterTurns: turns)
            #expect((0..<4).contains(orientation.quarterTurns))
            #expect((orientation.degrees - turns * 90) % 360 == 0)
            #expect(orientation.swapsAxes == (abs(turns) % 2 == 1))
        }
    }
}
