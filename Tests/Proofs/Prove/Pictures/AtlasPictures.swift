// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAtlas
import PlayheadUI

/// Images for tiles: some that any codec preserves, and some that bleed if anything does.
enum AtlasPictures {
    typealias Size = (width: Int, height: Int)

    static func plain(_ size: Size, _ color: SIMD3<UInt8>) -> RGBAImage {
        image(size) { _, _ in color }
    }

    /// One colour, or a slow gradient.
    static func calm(_ size: Size, _ index: Int) -> RGBAImage {
        let colors: [SIMD3<UInt8>] = [
            SIMD3(40, 40, 40), SIMD3(128, 128, 128), SIMD3(210, 210, 210), SIMD3(180, 60, 50),
            SIMD3(60, 150, 70), SIMD3(60, 70, 180), SIMD3(200, 160, 130), SIMD3(20, 90, 110),
        ]
        let color = colors[index / 2 % colors.count]
        guard index % 4 == 2 else { return plain(size, color) }
        return image(size) { _, y in color &+ SIMD3(repeating: UInt8(y / 4)) }
    }

    /// Noise and edges, up to the edge of the image, different in every frame.
    static func detail(_ size: Size, _ index: Int, _ frame: Int) -> RGBAImage {
        var random = SplitMix64(seed: UInt64(index * 1000 + frame))
        return image(size) { x, y in
            let bits = random.next()
            let base: UInt8 = (x / 7 + y / 5 + frame) % 2 == 0 ? 30 : 160
            return SIMD3(
                base &+ UInt8(truncatingIfNeeded: bits & 63),
                base &+ UInt8(truncatingIfNeeded: bits >> 8 & 63),
                base &+ UInt8(truncatingIfNeeded: bits >> 16 & 63))
        }
    }

    /// The most disturbing neighbours: they flicker, move or change at random.
    static func busy(_ size: Size, _ index: Int, _ frame: Int) -> RGBAImage {
        var random = SplitMix64(seed: UInt64(index * 7919 + frame))
        return image(size) { x, y in
            switch index % 3 {
            case 0: return SIMD3(repeating: frame % 2 == 0 ? 0 : 255)
            case 1: return SIMD3(repeating: (x + y + 5 * frame) / 6 % 2 == 0 ? 0 : 255)
            default:
                let bits = random.next()
                return SIMD3(
                    bits & 1 == 0 ? 0 : 255, bits & 2 == 0 ? 0 : 255, bits & 4 == 0 ? 0 : 255)
            }
        }
    }

    private static func image(
        _ size: Size, _ color: (_ x: Int, _ y: Int) -> SIMD3<UInt8>
    ) -> RGBAImage {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.width * size.height * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = color(x, y)
                bytes.append(value.x)
                bytes.append(value.y)
                bytes.append(value.z)
                bytes.append(255)
            }
        }
        return RGBAImage(width: size.width, height: size.height, bytes: bytes)
    }
}

/// Draws tiles of videos, large and small, upright and rotated.
final class AtlasSlices {
    private static let scales = [1, 0.5, 0.37, 1.5, 2.6, 1.1]
    private let size: (width: Int, height: Int)
    private let context: HeadlessContext
    private let renderers: [VideoRenderer]
    private let framebuffer: GLFramebuffer

    init(size: (width: Int, height: Int)) throws {
        self.size = size
        let context = try HeadlessContext()
        self.context = context
        renderers = PictureConversion.allCases.map {
            VideoRenderer(context: context, conversion: $0)
        }
        framebuffer = try GLFramebuffer(width: 1000, height: 420, context: context)
    }

    deinit { context.clearCurrent() }

    /// Returns the largest difference of any pixel of any subject between two videos, and the
    /// number of pixels compared.
    func difference(
        between films: [String], _ atlas: TextureAtlas, subjects: [Int]
    ) throws -> (worst: Int, pixels: Int) {
        let outputs = try films.map { try AssetReader(asset: URLAsset($0)).addVideoOutput() }
        var (worst, pixels, frame) = (0, 0, 0)
        while let first = try outputs[0].copyNextSampleBuffer(),
            let second = try outputs[1].copyNextSampleBuffer()
        {
            // Every frame is compared. The subjects and the converter alternate from frame to
            // frame.
            let renderer = renderers[frame % 2]
            for index in subjects where (index / 2 + frame) % 2 == 0 {
                let images = [first, second].map { image($0, atlas, index, renderer) }
                for (a, b) in zip(images[0].bytes, images[1].bytes) {
                    worst = max(worst, abs(Int(a) - Int(b)))
                }
                pixels += images[0].width * images[0].height
            }
            frame += 1
        }
        guard frame > 0 else { throw CannotProve("atlas: nothing was decoded") }
        return (worst, pixels)
    }

    private func image(
        _ frame: VideoFrame, _ atlas: TextureAtlas, _ index: Int, _ renderer: VideoRenderer
    ) -> RGBAImage {
        let buffer = frame.pixelBuffer
        let rect = atlas.contentsRect(
            of: atlas.tiles[index], format: buffer.format, location: buffer.color.chromaLocation)
        var x = 0.0
        var layers = Self.scales.map { scale in
            let width = Double(size.width) * scale
            defer { x += width.rounded(.up) }
            return Layer(
                .image(buffer),
                frame: .pixels(
                    LayerRect(
                        x: x.truncatingRemainder(dividingBy: 700), y: x > 700 ? 150 : 0,
                        width: width, height: Double(size.height) * scale)),
                contentsRect: rect, gravity: .resize)
        }
        var turned = layers[0]
        turned.frame = .pixels(
            LayerRect(
                x: 30, y: 200, width: Double(size.width) * 1.3, height: Double(size.height) * 1.3))
        turned.transform = .rotation(angle: 0.4)
        layers.append(turned)
        _ = renderer.render(
            Scene(layers: layers), hostTime: .zero, into: RenderTarget(framebuffer))
        return framebuffer.image()
    }
}
