// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import Testing

@testable import PlayheadTextures

@Suite("Texture cache", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct TextureCacheTests {
    private static func gray(_ width: Int, _ height: Int, _ value: UInt8) -> PixelBuffer {
        PixelBuffer(format: .gray8, width: width, height: height) { _, bytes, _ in
            for index in bytes.indices { bytes[index] = value }
        }
    }

    @Test func `a frame is uploaded once, however often it is requested`() throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let buffer = Self.gray(8, 8, 1)
            let first = try cache.textures(for: buffer)
            let second = try cache.textures(for: buffer)
            #expect(first === second)
            cache.endFrame()
            #expect(try cache.textures(for: buffer) === first)
            #expect(cache.uploadCount == 1)
        }
    }

    @Test func `a video needs no more textures than frames are in flight`() throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            for value in 0..<20 {
                _ = try cache.textures(for: Self.gray(8, 8, UInt8(value)))
                cache.endFrame()
            }
            #expect(cache.pictureCount == 2)
            #expect(cache.uploadCount == 20)
        }
    }

    @Test func `unused textures are released, and deleted by the render thread`() throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            _ = try cache.textures(for: Self.gray(8, 8, 1))
            for _ in 0..<130 { cache.endFrame() }
            #expect(cache.pictureCount == 0)
            #expect(context.deletionQueue.waitingCount == 1)
            context.deletionQueue.drain()
            #expect(context.deletionQueue.waitingCount == 0)
        }
    }

    @Test func `images of changing sizes do not pile up, and a video's textures stay`() throws {
        try GraphicsTest.withContext { context in
            let (cache, pool) = (TextureCache(context: context), FramebufferPool(context: context))
            var most = 0
            for frame in 0..<60 {
                _ = try cache.textures(for: Self.gray(2048 + frame, 2048, 0))
                pool.release(try pool.acquire(width: 1024 + frame, height: 1024))
                cache.endFrame()
                pool.endFrame()
                context.deletionQueue.drain()
                most = max(most, context.deletionQueue.byteCount)
            }
            // For each, the idle limit plus the memory of the last frames.
            #expect(most <= 2 * (IdleMemory.leastBytes + (3 * 5) << 20))
            // On a display with many vsyncs per frame; larger than the idle limit.
            var seen: Set<ObjectIdentifier> = []
            for _ in 0..<10 {
                let picture = try cache.textures(for: Self.gray(8192, 8192, 1))
                seen.insert(ObjectIdentifier(picture))
                for _ in 0..<5 {
                    _ = cache.textures(forIdentifier: picture.identifier)
                    cache.endFrame()
                }
            }
            #expect(seen.count <= 2)
        }
    }

    @Test(arguments: [48, 49, 53, 64, -48, -50])
    func `rows of any stride are uploaded correctly`(bytesPerRow: Int) throws {
        let (width, height) = (16, 7)
        var memory = [UInt8](repeating: 0xEE, count: abs(bytesPerRow) * height)
        let top = bytesPerRow > 0 ? 0 : -bytesPerRow * (height - 1)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    memory[top + y * bytesPerRow + x * 3 + channel] =
                        UInt8(truncatingIfNeeded: x * 10 + y * 3 + channel * 80)
                }
            }
        }
        let format = PixelFormat(
            name: "rgb24", model: .rgb,
            components: (0..<3).map {
                PixelFormat.Component(plane: 0, step: 3, offset: $0, depth: 8)
            })
        let image = try memory.withUnsafeBytes { bytes in
            let buffer = PixelBuffer(
                format: format, width: width, height: height,
                planes: [
                    PixelBuffer.Plane(
                        baseAddress: bytes.baseAddress! + top, bytesPerRow: bytesPerRow,
                        width: width, height: height)
                ], owner: nil)
            return try Self.draw(buffer)
        }
        for y in 0..<height {
            for x in 0..<width {
                let expected = (0..<3).map { UInt8(truncatingIfNeeded: x * 10 + y * 3 + $0 * 80) }
                let pixel = image[x, y]
                #expect([pixel.x, pixel.y, pixel.z] == expected && pixel.w == 255)
            }
        }
    }

    /// Draws one sample per pixel.
    static func draw(_ buffer: PixelBuffer) throws -> RGBAImage {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            return try GraphicsTest.image(
                width: buffer.width, height: buffer.height, context: context
            ) { _ in
                try painter.draw(
                    try cache.textures(for: buffer), geometry: .uprightWhole, sampling: .exact)
            }
        }
    }
}
