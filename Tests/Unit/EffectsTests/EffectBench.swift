// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadTextures

/// The objects for drawing effects, and an image to draw them on.
struct EffectBench {
    static let width = 32
    static let height = 18

    let pool: FramebufferPool
    let renderer: EffectRenderer
    let input: GLTexture
    /// The contents of `input`, rows from top to bottom.
    let source: RGBAImage

    /// - Parameter picture: the image; nil for one of the bench's size with varied colours.
    init(_ context: HeadlessContext, picture: RGBAImage? = nil) throws {
        pool = FramebufferPool(context: context)
        renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        var bytes: [UInt8] = []
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                // Varied colours: all neighbours differ, with black, white and greys among them.
                let code = y * Self.width + x
                bytes += [
                    UInt8(x * 255 / (Self.width - 1)), UInt8(y * 255 / (Self.height - 1)),
                    UInt8(code * 97 % 256), 255,
                ]
            }
        }
        for grey in 0..<Self.width {
            let level = UInt8(grey * 255 / (Self.width - 1))
            bytes.replaceSubrange(grey * 4..<grey * 4 + 3, with: [level, level, level])
        }
        source = picture ?? RGBAImage(width: Self.width, height: Self.height, bytes: bytes)
        input = try GLTexture(
            format: .rgba8, width: source.width, height: source.height, context: context)
        let flipped = source.flippedVertically()
        flipped.bytes.withUnsafeBytes {
            guard let address = $0.baseAddress else { return }
            input.upload(address, bytesPerRow: source.width * 4)
        }
    }

    /// Draws effects one after the other, or as a layer does; returns nil if one fails.
    func draw(_ instances: [EffectInstance], seconds: Double = 0, fused: Bool) -> RGBAImage? {
        let time = EffectTime(seconds: seconds, date: SIMD4(2024, 2, 29, 0))
        var texture = input
        var last: GLFramebuffer?
        var rest = instances[...]
        while let first = rest.first {
            let count = renderer.fusibleCount(of: rest)
            let output =
                fused && count > 1
                ? renderer.draw(
                    fusing: rest.prefix(count), input: texture, width: source.width,
                    height: source.height, time: time)
                : renderer.draw(
                    first, input: texture, width: source.width, height: source.height, time: time,
                    before: count > 1 ? rest.dropFirst().first : nil)
            guard let output else { return nil }
            rest = rest.dropFirst(fused ? count : 1)
            if let last { pool.release(last) }
            last = output.framebuffer
            texture = output.framebuffer.texture
        }
        defer { if let last { pool.release(last) } }
        return last?.image()
    }
}

extension RGBAImage {
    /// Returns the largest difference of a channel.
    func distance(to other: RGBAImage) -> Int {
        zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }
}
