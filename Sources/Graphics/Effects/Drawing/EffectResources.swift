// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures

/// The context in which effects are drawn, with the textures, framebuffers and samplers that they
/// share.
///
/// - Concurrency: render thread.
final class EffectResources {
    let context: any GLContext
    let painter: PicturePainter
    let pool: FramebufferPool
    private let images: TextureCache
    /// The texture for image inputs without an image: transparent black.
    private(set) var empty: GLTexture?
    /// The texture for audio inputs without audio: one half.
    private(set) var silence: GLTexture?
    private var repeating: [GLSampler.Filter: GLSampler] = [:]

    init(
        context: any GLContext, painter: PicturePainter, pool: FramebufferPool, images: TextureCache
    ) {
        self.context = context
        self.painter = painter
        self.pool = pool
        self.images = images
    }

    /// Creates the shared textures. Creating a texture binds it, so this must be called before the
    /// textures of passes are bound.
    func prepare() {
        if empty == nil { empty = pixel([0, 0, 0, 0]) }
        if silence == nil { silence = pixel([128, 128, 128, 255]) }
    }

    func acquire(
        width: Int, height: Int, _ precision: EffectPass.Precision
    ) throws(EffectError) -> GLFramebuffer {
        do throws(GLError) {
            return try pool.acquire(
                format: precision.textureFormat, width: width, height: height)
        } catch {
            throw .gl(error)
        }
    }

    func sampler(_ binding: EffectPass.Binding?) -> GLSampler {
        let filter: GLSampler.Filter = binding?.isNearest == true ? .nearest : .linear
        guard binding?.isRepeated == true else { return painter.sampler(filter) }
        if let sampler = repeating[filter] { return sampler }
        let sampler = GLSampler(filter, isRepeated: true, context: context)
        repeating[filter] = sampler
        return sampler
    }

    /// Creates the texture of a missing input: transparent black, or one half for silence.
    private func pixel(_ color: [UInt8]) -> GLTexture? {
        let texture = try? GLTexture(format: .rgba8, width: 1, height: 1, context: context)
        color.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { texture?.upload(start, bytesPerRow: 4) }
        }
        return texture
    }

    /// Converts an image to R'G'B'. With the default geometry, its bottom row is first.
    func convert(
        _ buffer: PixelBuffer, geometry: QuadGeometry = .uprightWhole
    ) throws(EffectError) -> GLFramebuffer {
        do throws(TextureError) {
            let picture = try images.textures(for: buffer)
            do throws(GLError) {
                let framebuffer = try GLFramebuffer(
                    width: buffer.width, height: buffer.height, context: context)
                GLState.setTarget(
                    framebuffer: framebuffer.name, width: buffer.width, height: buffer.height)
                GLState.setBlending(.replace)
                try painter.draw(
                    picture, geometry: geometry, sampling: .exact, alphaOut: .straight)
                return framebuffer
            } catch {
                throw .gl(error)
            }
        } catch {
            switch error {
            case .gl(let error): throw .gl(error)
            case .unsupportedFormat:
                throw .gl(.unavailable(reason: error.description))
            }
        }
    }

    // MARK: Probing

    /// Reads a pixel of a texture and waits for it. This is slow and only for probing.
    func reading(
        _ name: String, of texture: GLTexture, at point: SIMD2<Float>
    ) throws(EffectError) -> EffectProbe.Reading {
        do throws(GLError) {
            let single = try pool.acquire(format: .rgba32Float, width: 1, height: 1)
            defer { pool.release(single) }
            GLState.setTarget(framebuffer: single.name, width: 1, height: 1)
            GLState.setBlending(.replace)
            let texel = Self.texel(at: point, width: texture.width, height: texture.height)
            let place = SIMD2(
                (Double(texel.x) + 0.5) / Double(texture.width),
                (Double(texel.y) + 0.5) / Double(texture.height))
            try painter.draw(
                texture, alpha: .straight,
                geometry: QuadGeometry(
                    position: QuadGeometry.storedWhole.position,
                    texture: GLMatrix3(origin: place, right: place, down: place)),
                filter: .nearest, alphaOut: .straight)
            return EffectProbe.Reading(name: name, value: single.value(x: 0, y: 0))
        } catch {
            throw .gl(error)
        }
    }

    /// Returns the texel of an image at a point.
    static func texel(
        at point: SIMD2<Float>, width: Int, height: Int
    ) -> (x: Int, y: Int) {
        func index(_ share: Float, _ count: Int) -> Int {
            min(max(Int(share * Float(count)), 0), count - 1)
        }
        return (index(point.x, width), index(point.y, height))
    }
}
