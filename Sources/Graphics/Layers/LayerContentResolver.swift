// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadEffects
import PlayheadGL
import PlayheadTextures

/// Converts the contents of layers to a form that can be drawn: planes in textures, frames that the
/// CPU converted, or the results of effects.
///
/// - Concurrency: render thread.
final class LayerContentResolver {
    /// The content of a layer, and its size on the target.
    struct Request {
        var layer: Layer
        /// The index of the layer in the scene, which is the same from frame to frame.
        var slot: Int
        var picture: LayerPicture?
        var geometry: LayerGeometry
        /// The size of the upright frame or image, in square pixels.
        var size: (width: Double, height: Double)
        /// The number of the target's pixels for each of the layer's pixels.
        var scale: Double
        var time: EffectTime
        /// A Boolean value that indicates whether the CPU may convert the content directly to its
        /// size and position on the target.
        var mayConvert: Bool
    }

    /// The result of a layer's effects. It is kept as long as the inputs of the effects do not
    /// change.
    private struct Kept {
        var key: Key
        var framebuffer: GLFramebuffer
        var alpha: PictureAlpha
    }

    /// The inputs of the effects.
    private struct Key: Equatable {
        var picture: UInt64
        var color: SIMD4<Float>?
        var width: Int
        var height: Int
        var seenWidth: Int
        var seenHeight: Int
        var contents: LayerRect
        var effects: [ObjectIdentifier]
        var generations: [UInt64]
    }

    /// An image between effects.
    typealias Stage = (framebuffer: GLFramebuffer, alpha: PictureAlpha)

    /// The maximum ratio of the sides of an image to the sides of the target. A layer may be
    /// enlarged to any size, although only a small part of it is visible.
    static let largestOversize = 2.0

    private let textures: TextureCache
    /// The cache of frames that the CPU converted; nil if a shader converts.
    private let conversions: ConvertedPictureCache?
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let effects: EffectRenderer
    private let largestSide: Int
    private var kept: [Kept?] = []
    /// The errors of uploads, except those of OpenGL.
    private var textureErrors: [TextureError] = []

    init(
        context: any GLContext, textures: TextureCache, conversions: ConvertedPictureCache?,
        painter: PicturePainter, pool: FramebufferPool
    ) {
        self.textures = textures
        self.conversions = conversions
        self.painter = painter
        self.pool = pool
        largestSide = context.capabilities.maximumTextureSize
        effects = EffectRenderer(
            context: context, painter: painter, pool: pool, images: textures)
    }

    /// A Boolean value that indicates whether effects whose passes take too long on the GPU are
    /// switched off.
    var stopsSlowEffects: Bool {
        get { effects.passLimit != nil }
        set { effects.passLimit = newValue ? EffectRenderer.interactivePassLimit : nil }
    }

    /// A Boolean value that indicates whether the times of the passes of effects are measured.
    var measuresPasses: Bool {
        get { effects.measuresPasses }
        set { effects.measuresPasses = newValue }
    }

    /// Ends a frame.
    ///
    /// - Parameter slotCount: the number of layers in the frame.
    func endFrame(slotCount: Int) {
        while kept.count > slotCount {
            dropKept(kept.count - 1)
            kept.removeLast()
        }
        effects.endFrame()
    }

    /// Returns whether a framebuffer is kept for the next frames.
    func keeps(_ framebuffer: GLFramebuffer) -> Bool {
        kept.contains { $0?.framebuffer === framebuffer }
    }

    func takeErrors() -> [EffectError] { effects.takeErrors() }

    func takeTextureErrors() -> [TextureError] {
        defer { textureErrors.removeAll() }
        return textureErrors
    }

    /// Returns whether an effect that was drawn will change its look although neither its values
    /// nor its input change.
    func isMoving(_ effect: EffectInstance) -> Bool {
        effects.isTimeDependent(effect, undrawn: false)
    }

    /// Returns an image as a `LayerPicture`: in memory if the CPU converts it, otherwise uploaded.
    func picture(of buffer: PixelBuffer) throws(TextureError) -> LayerPicture {
        conversions != nil && PictureConverter.canConvert(buffer)
            ? .buffer(buffer) : .textures(try textures.textures(for: buffer))
    }

    /// Returns the source from which a layer is drawn; nil if nothing is visible.
    func source(_ request: Request, in target: RenderTarget) throws(GLError)
        -> LayerDrawable.Source?
    {
        let layer = request.layer
        let generator: EffectInstance? =
            if case .generator(let effect) = layer.content { effect } else { nil }
        let isFiltered = layer.sublayers.isEmpty && layer.effects.contains { $0.isEnabled }
        if generator == nil, !isFiltered {
            dropKept(request.slot)
            if let picture = request.picture {
                return try source(picture, request, target)
            }
            if case .color(let color) = layer.content { return .color(color) }
            return nil
        }
        // The image is no larger than its size on the target, and no larger than its source.
        let (rect, contents) = (request.geometry.rect, request.geometry.contents)
        let isDrawn = generator != nil || request.picture == nil
        let filters = isFiltered ? layer.effects : []
        // A scaling effect that comes first reads the samples that are stored, as mpv's shaders
        // do. Other effects need square pixels.
        var size = request.size
        if let picture = request.picture, picture.displaySize == size,
            filters.first(where: \.isEnabled)?.isScaler == true
        {
            size = picture.uprightSize
        }
        let there = (width: size.width * contents.width, height: size.height * contents.height)
        let shown = (width: rect.width * request.scale, height: rect.height * request.scale)
        let isScaled = !isDrawn && filters.contains(where: \.isScaler)
        // A frame is scaled to at most its own size. An image that is generated for the target is
        // limited if it is shown much larger than the target.
        func length(_ there: Double, _ shown: Double, _ side: Int) -> Int {
            let limit = Double(side) * Self.largestOversize
            if isDrawn { return pixels(shown > limit ? min(there, limit) : there) }
            return pixels(isScaled ? there : min(shown, there))
        }
        let width = length(there.width, shown.width, target.width)
        let height = length(there.height, shown.height, target.height)
        // Scaling effects read the frame at its own size, and write an image at the size that the
        // frame has on the target.
        var seen: (width: Int, height: Int)?
        if isScaled {
            let (limit, times) = (target.bounds, Self.largestOversize)
            seen = (
                pixels(min(shown.width, limit.width * times)),
                pixels(min(shown.height, limit.height * times))
            )
        }
        let all = (generator.map { [$0] } ?? []) + filters
        var key = Key(
            picture: request.picture?.identifier ?? 0, width: width, height: height,
            seenWidth: seen?.width ?? 0, seenHeight: seen?.height ?? 0,
            contents: contents, effects: all.map { ObjectIdentifier($0) },
            generations: all.map(\.generation))
        if case .color(let color) = layer.content { key.color = color }
        while kept.count <= request.slot { kept.append(nil) }
        if let last = kept[request.slot], last.key == key,
            !all.contains(where: { effects.isTimeDependent($0) })
        {
            return .texture(last.framebuffer, last.alpha)
        }
        dropKept(request.slot)
        let first: Stage?
        var stored: StoredPicture?
        if let generator {
            first = effects.draw(
                generator, input: nil, width: width, height: height, time: request.time
            ).map { ($0.framebuffer, $0.alpha) }
        } else {
            (first, stored) = try input(request, width: width, height: height)
        }
        guard let first,
            let made = try apply(
                filters, to: first, stored: stored, seen: seen, time: request.time)
        else { return nil }
        kept[request.slot] = Kept(key: key, framebuffer: made.framebuffer, alpha: made.alpha)
        return .texture(made.framebuffer, made.alpha)
    }

    /// Mixes two images of the same size. Takes ownership of both; the caller owns the result.
    func mix(
        _ transition: LayerTransition, _ from: Stage, _ to: Stage, time: EffectTime
    ) throws(GLError) -> Stage {
        let (start, end) = (try makeStraight(from), try makeStraight(to))
        let output = effects.draw(
            transition.effect, input: start.framebuffer.texture,
            transition: (end.framebuffer.texture, Float(transition.progress)),
            width: start.framebuffer.width, height: start.framebuffer.height, time: time)
        guard let output else {
            // If the effect cannot be drawn, the transition is a cut.
            let isLate = transition.progress >= 0.5
            pool.release(isLate ? start.framebuffer : end.framebuffer)
            return isLate ? end : start
        }
        pool.release(start.framebuffer)
        pool.release(end.framebuffer)
        return (output.framebuffer, output.alpha)
    }

    /// Applies filters, from first to last. Takes ownership of the image; the caller owns the
    /// result.
    ///
    /// - Parameter seen: the size of the result on the target, for filters that scale; nil for the
    ///   size of `first`.
    func apply(
        _ filters: [EffectInstance], to first: Stage, stored: StoredPicture? = nil,
        seen: (width: Int, height: Int)? = nil,
        time: EffectTime
    ) throws(GLError) -> Stage? {
        var current = first
        var stored = stored
        var rest = filters.filter(\.isEnabled)[...]
        while let effect = rest.first {
            let straight = try makeStraight(current)
            var (width, height) = (straight.framebuffer.width, straight.framebuffer.height)
            if let seen, effect.effect.requirements.sourceSize { (width, height) = seen }
            var output: EffectRenderer.Output?
            let count = effects.fusibleCount(of: rest)
            if count > 1 {
                output = effects.draw(
                    fusing: rest.prefix(count), input: straight.framebuffer.texture, width: width,
                    height: height, time: time)
            }
            if output != nil {
                rest = rest.dropFirst(count)
            } else {
                output = effects.draw(
                    effect, input: straight.framebuffer.texture, stored: stored, width: width,
                    height: height,
                    time: time, before: count > 1 ? rest.dropFirst().first : nil)
                rest = rest.dropFirst()
            }
            if let output {
                pool.release(straight.framebuffer)
                let isOpaque = straight.alpha == .opaque && output.keepsOpaque
                current = (output.framebuffer, isOpaque ? .opaque : output.alpha)
                // From here on the image is no longer the stored frame.
                stored = nil
            } else {
                current = straight
            }
        }
        return current
    }

    /// Returns a side of an image in whole pixels, limited to the size of a texture.
    private func pixels(_ length: Double) -> Int {
        Int(max(1, min(length.rounded(), Double(largestSide))))
    }

    /// Returns the input of the first filter: the frame, upright, scaled to its size on the target.
    private func input(
        _ request: Request, width: Int, height: Int
    ) throws(GLError) -> (Stage, StoredPicture?) {
        let geometry = request.geometry
        let framebuffer = try pool.acquire(width: width, height: height)
        let isConverted = convert(request.picture, for: request.layer, geometry, into: framebuffer)
        let planes = isConverted ? nil : try request.picture.flatMap(self.planes)
        GLState.setTarget(framebuffer: framebuffer.name, width: width, height: height)
        GLState.setBlending(.replace)
        var stored: StoredPicture?
        if let picture = planes {
            let orientation = picture.attachments.orientation
            try painter.draw(
                picture,
                geometry: QuadGeometry(
                    position: QuadGeometry.uprightWhole.position,
                    texture: geometry.texture(orientation)),
                sampling: geometry.sampling(
                    of: picture, width: Double(width), height: Double(height)),
                alphaOut: .straight, output: PictureOutput(bitDepth: 8))
            stored = StoredPicture(
                picture: picture, matrix: geometry.textureFromBottom(orientation))
        } else if case .color(let color) = request.layer.content {
            GLState.clear(color)
        }
        let isOpaque = isConverted || planes?.hasAlpha == false
        return ((framebuffer, isOpaque ? .opaque : .straight), stored)
    }

    /// Returns the source for a frame without effects.
    private func source(
        _ picture: LayerPicture, _ request: Request, _ target: RenderTarget
    ) throws(GLError) -> LayerDrawable.Source? {
        let (geometry, scaling) = (request.geometry, LayerScaling(request.layer))
        guard request.mayConvert, case .buffer(let buffer) = picture, let conversions,
            geometry.isInside(target), scaling.isPlain, target.bitDepth == 8,
            let transform = Self.transform(of: buffer, to: target.colorSpace)
        else {
            return try planes(picture).map { .picture($0, scaling) }
        }
        let orientation = buffer.attachments.orientation
        // In a window, rows run from top to bottom in memory, and blue comes first. In other
        // framebuffers, rows run from bottom to top, as OpenGL counts them. Memory can be copied
        // only between equal layouts.
        let isWindow = target.framebuffer == 0
        let request = ConvertedPictureRequest(
            buffer,
            part: geometry.part(
                orientation, width: Int(geometry.rect.width), height: Int(geometry.rect.height)),
            transform: transform,
            byteOrder: isWindow && conversions.canHaveBlueFirst ? .bgra : .rgba,
            isBottomUp: isWindow == target.isTopRowFirst && !orientation.swapsAxes)
        return .converted(
            try conversions.framebuffer(for: buffer, request), request, orientation)
    }

    /// Returns the transform from a frame's values to a target's; nil if the CPU cannot apply it.
    private static func transform(
        of buffer: PixelBuffer, to space: ColorSpace
    ) -> ColorTransform? {
        let transform = ColorTransform(
            from: buffer.color, peakLuminance: buffer.attachments.peakLuminance, to: space)
        return PictureConverter.canApply(transform) ? transform : nil
    }

    /// Returns the planes of a frame, uploaded if necessary.
    private func planes(_ picture: LayerPicture) throws(GLError) -> PictureTextures? {
        switch picture {
        case .textures(let textures): return textures
        case .buffer(let buffer):
            do throws(TextureError) {
                return try textures.textures(for: buffer)
            } catch {
                if case .gl(let error) = error { throw error }
                textureErrors.append(error)
                return nil
            }
        }
    }

    /// Converts a frame on the CPU to the input of effects. Not used for effects that also read the
    /// frame's stored planes.
    private func convert(
        _ picture: LayerPicture?, for layer: Layer, _ geometry: LayerGeometry,
        into framebuffer: GLFramebuffer
    ) -> Bool {
        guard case .buffer(let buffer) = picture, let conversions,
            !buffer.attachments.orientation.swapsAxes,
            let transform = Self.transform(of: buffer, to: .bt709),
            !layer.effects.contains(where: {
                $0.isEnabled && $0.effect.requirements.storedPlanes
            })
        else { return false }
        conversions.upload(
            buffer,
            ConvertedPictureRequest(
                buffer,
                part: geometry.part(
                    buffer.attachments.orientation, width: framebuffer.width,
                    height: framebuffer.height), transform: transform, byteOrder: .rgba,
                isBottomUp: true),
            into: framebuffer.texture)
        return true
    }

    /// Converts premultiplied alpha to straight alpha, which effects read.
    private func makeStraight(_ input: Stage) throws(GLError) -> Stage {
        guard input.alpha == .premultiplied else { return input }
        let (width, height) = (input.framebuffer.width, input.framebuffer.height)
        let framebuffer = try pool.acquire(width: width, height: height)
        GLState.setTarget(framebuffer: framebuffer.name, width: width, height: height)
        GLState.setBlending(.replace)
        try painter.draw(
            input.framebuffer.texture, alpha: .premultiplied, geometry: .storedWhole,
            filter: .nearest, alphaOut: .straight)
        pool.release(input.framebuffer)
        return (framebuffer, .straight)
    }

    private func dropKept(_ slot: Int) {
        guard slot < kept.count, let last = kept[slot] else { return }
        pool.release(last.framebuffer)
        kept[slot] = nil
    }
}

extension EffectInstance {
    /// A Boolean value that indicates whether the effect changes the size of its input.
    fileprivate var isScaler: Bool { isEnabled && effect.requirements.sourceSize }
}
