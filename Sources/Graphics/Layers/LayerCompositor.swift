// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadEffects
import PlayheadGL
import PlayheadShaders
import PlayheadTextures

/// Draws a scene's layers: first every effect into pictures of its own, then everything into the
/// target, back to front.
///
/// - Concurrency: render thread.
final class LayerCompositor {
    /// What effects made of a layer, kept as long as nothing that went into it changes.
    private struct Kept {
        var key: Key
        var framebuffer: GLFramebuffer
        var alpha: PicturePainter.Alpha
    }

    /// What went into it.
    private struct Key: Equatable {
        var picture: UInt64
        var width: Int
        var height: Int
        var contents: LayerRect
        var effects: [ObjectIdentifier]
        var generations: [UInt64]
    }

    /// What a layer comes to once its effects are applied.
    private enum Drawable {
        case picture(PictureTextures, LayerScaling)
        /// Converted by the processor at the size it is drawn at.
        case converted(GLFramebuffer, ConvertedPictureCache.Request, PictureOrientation)
        case texture(GLTexture, PicturePainter.Alpha)
        case color(SIMD4<Float>)
    }

    private let context: any GLContext
    private let textures: TextureCache
    /// Where the processor converts.
    private let conversions: ConvertedPictureCache?
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let effects: EffectRenderer
    private let scaler: PictureScaler
    /// From the numbers of effects and of plain colours to the target's.
    private var transform = ColorTransform(from: ColorSpace.bt709, to: .bt709)
    /// By index of the layer; 0 is the background, layers follow.
    private var kept: [Kept?] = []
    private var colorProgram: (program: GLProgram, color: GLUniform, position: GLUniform)?
    private var drawables: [(Drawable, LayerGeometry, opacity: Float)] = []
    private var drawnGenerations: [ObjectIdentifier: UInt64] = [:]
    private var reportedGLErrors: Set<GLError> = []

    init(
        context: any GLContext, textures: TextureCache, conversions: ConvertedPictureCache?,
        painter: PicturePainter, pool: FramebufferPool
    ) {
        self.context = context
        self.textures = textures
        self.conversions = conversions
        self.painter = painter
        self.pool = pool
        scaler = PictureScaler(painter: painter, pool: pool)
        effects = EffectRenderer(
            context: context, painter: painter, pool: pool, images: textures)
    }

    func isTimeDependent(_ effect: EffectInstance) -> Bool { effects.isTimeDependent(effect) }

    /// The generation of an effect's values that the last frame was drawn with.
    func drawnGeneration(of effect: EffectInstance) -> UInt64 {
        drawnGenerations[ObjectIdentifier(effect)] ?? effect.generation
    }

    func draw(
        _ scene: Scene, into target: RenderTarget, sources: SourceTable, time: EffectTime,
        report: inout RenderReport
    ) {
        drawnGenerations.removeAll(keepingCapacity: true)
        drawables.removeAll(keepingCapacity: true)
        trimKept(to: scene.layers.count + 1)
        transform = ColorTransform(from: ColorSpace.bt709, to: target.colorSpace)

        var clearColor: SIMD4<Float>?
        switch scene.background {
        case .none: break
        case .color(let color): clearColor = color
        case .generator(let effect):
            prepare(
                Layer(.generator(effect), gravity: .resize), slot: 0, target: target,
                sources: sources, time: time, report: &report)
        }
        for (index, layer) in scene.layers.enumerated()
        where !layer.isHidden && layer.opacity > 0 {
            prepare(
                layer, slot: index + 1, target: target, sources: sources, time: time,
                report: &report)
        }
        for error in effects.takeErrors() { report.problems.append(.effect(error)) }

        GLState.setTarget(
            framebuffer: target.framebuffer, width: target.width, height: target.height)
        if var clearColor, !isCovered(target) {
            clearColor = converted(clearColor)
            GLState.clear(
                [
                    clearColor.x * clearColor.w, clearColor.y * clearColor.w,
                    clearColor.z * clearColor.w, clearColor.w,
                ])
        }
        for (drawable, geometry, opacity) in drawables {
            do throws(GLError) {
                try composite(drawable, geometry, opacity: opacity, target: target)
            } catch {
                note(error, &report)
            }
        }
        drawables.removeAll(keepingCapacity: true)
        GLState.endFrame(usedUnits: PicturePainter.unitCount)
        effects.endFrame()
    }

    /// Whether the first thing drawn hides whatever was there: then software GL need not fill it.
    private func isCovered(_ target: RenderTarget) -> Bool {
        guard let (drawable, geometry, opacity) = drawables.first, opacity == 1,
            case .converted = drawable
        else { return false }
        return geometry.covers(target)
    }

    /// A plain colour in the target's numbers; its alpha is the same.
    private func converted(_ color: SIMD4<Float>) -> SIMD4<Float> {
        if transform.isIdentity { return color }
        let result = transform([Double(color.x), Double(color.y), Double(color.z)])
        return [Float(result.x), Float(result.y), Float(result.z), color.w]
    }

    private func note(_ error: GLError, _ report: inout RenderReport) {
        if reportedGLErrors.insert(error).inserted { report.problems.append(.gl(error)) }
    }

    // MARK: Effects

    /// Works out where a layer stands, and applies its effects.
    private func prepare(
        _ layer: Layer, slot: Int, target: RenderTarget, sources: SourceTable, time: EffectTime,
        report: inout RenderReport
    ) {
        let frame = layer.frame.rect(width: target.width, height: target.height)
        var picture: LayerPicture?
        var size = (width: frame.width, height: frame.height)
        var gravity = LayerGravity.resize
        switch layer.content {
        case .video(let source):
            do throws(GLError) {
                picture = try sources.picture(of: source, layer.deinterlacing)
            } catch {
                note(error, &report)
            }
        case .image(let buffer):
            do throws(TextureError) {
                picture =
                    conversions != nil && PictureConverter.canConvert(buffer)
                    ? .buffer(buffer) : .textures(try textures.textures(for: buffer))
            } catch {
                if case .gl(let error) = error { note(error, &report) }
            }
        case .color, .generator: break
        }
        if let picture {
            size = picture.displaySize
            gravity = layer.gravity
        } else {
            switch layer.content {
            case .video, .image: return
            case .color, .generator: break
            }
        }
        let geometry = LayerGeometry(
            size: size, frame: frame, contents: layer.contentsRect, gravity: gravity)
        guard geometry.isVisible(in: target) else { return }
        do throws(GLError) {
            let drawable = try applyEffects(
                layer, slot: slot, picture: picture, geometry: geometry, size: size, time: time,
                target: target)
            if let drawable {
                drawables.append((drawable, geometry, Float(min(1, layer.opacity))))
            }
        } catch {
            note(error, &report)
        }
    }

    private func applyEffects(
        _ layer: Layer, slot: Int, picture: LayerPicture?, geometry: LayerGeometry,
        size: (width: Double, height: Double), time: EffectTime, target: RenderTarget
    ) throws(GLError) -> Drawable? {
        let generator: EffectInstance? =
            if case .generator(let effect) = layer.content { effect } else { nil }
        let filters = layer.effects.contains { $0.isEnabled }
        if generator == nil, !filters {
            dropKept(slot)
            if let picture { return try drawable(picture, of: layer, geometry, target) }
            if case .color(let color) = layer.content { return .color(color) }
            return nil
        }
        // No larger than what is seen, and no larger than what there is to see.
        let width = Int(
            max(1, min(geometry.rect.width, (size.width * geometry.contents.width).rounded())))
        let height = Int(
            max(1, min(geometry.rect.height, (size.height * geometry.contents.height).rounded())))
        let all = (generator.map { [$0] } ?? []) + layer.effects
        let key = Key(
            picture: picture?.identifier ?? 0, width: width, height: height,
            contents: geometry.contents, effects: all.map { ObjectIdentifier($0) },
            generations: all.map(\.generation))
        for (effect, generation) in zip(all, key.generations) {
            drawnGenerations[ObjectIdentifier(effect)] = generation
        }
        if let last = kept[slot], last.key == key, !all.contains(where: effects.isTimeDependent) {
            return .texture(last.framebuffer.texture, last.alpha)
        }
        dropKept(slot)
        guard
            let (framebuffer, alpha) = try runEffects(
                layer, generator: generator, picture: picture, geometry: geometry, width: width,
                height: height, time: time)
        else { return nil }
        kept[slot] = Kept(key: key, framebuffer: framebuffer, alpha: alpha)
        return .texture(framebuffer.texture, alpha)
    }

    private func runEffects(
        _ layer: Layer, generator: EffectInstance?, picture: LayerPicture?,
        geometry: LayerGeometry, width: Int, height: Int, time: EffectTime
    ) throws(GLError) -> (GLFramebuffer, PicturePainter.Alpha)? {
        var current: (framebuffer: GLFramebuffer, alpha: PicturePainter.Alpha)?
        var native: EffectRenderer.NativePicture?
        if let generator {
            guard
                let output = effects.draw(
                    generator, input: nil, width: width, height: height, time: time)
            else { return nil }
            current = (output.framebuffer, output.alpha)
        } else {
            let framebuffer = try pool.acquire(width: width, height: height)
            let converted = convert(picture, for: layer, geometry, into: framebuffer)
            let planes = converted ? nil : try picture.flatMap(self.planes)
            GLState.setTarget(framebuffer: framebuffer.name, width: width, height: height)
            GLState.setBlending(.replace)
            if let picture = planes {
                let orientation = picture.attachments.orientation
                try painter.draw(
                    picture,
                    geometry: QuadGeometry(
                        position: QuadGeometry.uprightWhole.position,
                        texture: geometry.texture(orientation)),
                    sampling: sampling(
                        picture, geometry, width: Double(width), height: Double(height)),
                    alphaOut: .straight)
                native = EffectRenderer.NativePicture(
                    picture: picture, matrix: geometry.textureFromBottom(orientation))
            } else if case .color(let color) = layer.content {
                GLState.clear(color)
            }
            current = (
                framebuffer,
                converted || planes?.hasAlpha == false ? .opaque : .straight
            )
        }
        for effect in layer.effects {
            guard let input = current else { break }
            let straight = try makeStraight(input, width: width, height: height)
            let output = effects.draw(
                effect, input: straight.framebuffer.texture, native: native, width: width,
                height: height, time: time)
            if let output {
                pool.release(straight.framebuffer)
                current = (output.framebuffer, output.alpha)
                // From here on the picture is no longer the film's own.
                native = nil
            } else {
                current = straight
            }
        }
        return current
    }

    /// What a picture without effects is drawn from.
    private func drawable(
        _ picture: LayerPicture, of layer: Layer, _ geometry: LayerGeometry,
        _ target: RenderTarget
    ) throws(GLError) -> Drawable? {
        let scaling = LayerScaling(layer)
        guard case .buffer(let buffer) = picture, let conversions, geometry.isInside(target),
            scaling.isPlain, Self.isKept(buffer, in: target.colorSpace)
        else {
            return try planes(picture).map { .picture($0, scaling) }
        }
        let orientation = buffer.attachments.orientation
        // A window's rows run from top to bottom in memory, and its blue comes first; those of
        // other framebuffers run as OpenGL counts them. Only between equals is it a copy.
        let isWindow = target.framebuffer == 0
        let request = ConvertedPictureCache.Request(
            buffer,
            part: geometry.part(
                orientation, width: Int(geometry.rect.width), height: Int(geometry.rect.height)),
            byteOrder: isWindow ? .bgra : .rgba,
            isBottomUp: isWindow == target.isTopRowFirst && !orientation.swapsAxes)
        return .converted(
            try conversions.framebuffer(for: buffer, request), request, orientation)
    }

    /// Whether a picture's numbers are the target's too, so that the processor can convert it.
    private static func isKept(_ buffer: PixelBuffer, in space: ColorSpace) -> Bool {
        ColorTransform(
            from: buffer.color, peakLuminance: buffer.attachments.peakLuminance, to: space
        ).isIdentity
    }

    /// The planes of a picture, uploaded if need be.
    private func planes(_ picture: LayerPicture) throws(GLError) -> PictureTextures? {
        switch picture {
        case .textures(let textures): return textures
        case .buffer(let buffer):
            do throws(TextureError) {
                return try textures.textures(for: buffer)
            } catch {
                if case .gl(let error) = error { throw error }
                return nil
            }
        }
    }

    /// Converts a picture into what effects read; not for effects that read its own chroma too,
    /// which need its planes in any case.
    private func convert(
        _ picture: LayerPicture?, for layer: Layer, _ geometry: LayerGeometry,
        into framebuffer: GLFramebuffer
    ) -> Bool {
        guard case .buffer(let buffer) = picture, let conversions,
            !buffer.attachments.orientation.swapsAxes, Self.isKept(buffer, in: .bt709),
            !layer.effects.contains(where: {
                $0.isEnabled && $0.effect.requirements.nativeChroma
            })
        else { return false }
        conversions.upload(
            buffer,
            part: geometry.part(
                buffer.attachments.orientation, width: framebuffer.width,
                height: framebuffer.height), byteOrder: .rgba, isBottomUp: true,
            into: framebuffer.texture)
        return true
    }

    /// Effects read straight alpha; what is premultiplied is brought into that form.
    private func makeStraight(
        _ input: (framebuffer: GLFramebuffer, alpha: PicturePainter.Alpha), width: Int, height: Int
    ) throws(GLError) -> (framebuffer: GLFramebuffer, alpha: PicturePainter.Alpha) {
        guard input.alpha == .premultiplied else { return input }
        let framebuffer = try pool.acquire(width: width, height: height)
        GLState.setTarget(framebuffer: framebuffer.name, width: width, height: height)
        GLState.setBlending(.replace)
        try painter.draw(
            input.framebuffer.texture, alpha: .premultiplied, geometry: .storedWhole,
            filter: .nearest, alphaOut: .straight)
        pool.release(input.framebuffer)
        return (framebuffer, .straight)
    }

    private func trimKept(to count: Int) {
        while kept.count < count { kept.append(nil) }
        while kept.count > count {
            dropKept(kept.count - 1)
            kept.removeLast()
        }
    }

    private func dropKept(_ slot: Int) {
        guard let last = kept[slot] else { return }
        pool.release(last.framebuffer)
        kept[slot] = nil
    }

    // MARK: Compositing

    private func composite(
        _ drawable: Drawable, _ geometry: LayerGeometry, opacity: Float, target: RenderTarget
    ) throws(GLError) {
        let position = geometry.position(in: target)
        switch drawable {
        case .picture(let picture, let scaling):
            try composite(
                picture, scaling, geometry, position, opacity: opacity, target: target)
        case .converted(let framebuffer, let request, let orientation):
            try composite(
                framebuffer, request, orientation, geometry, opacity: opacity, target: target)
        case .texture(let texture, let alpha):
            GLState.setBlending(
                alpha != .opaque || opacity < 1 ? .premultipliedOver : .replace)
            let isExact =
                Int(geometry.rect.width) == texture.width
                && Int(geometry.rect.height) == texture.height
            try painter.draw(
                texture, alpha: alpha,
                geometry: QuadGeometry(
                    position: position, texture: LayerGeometry.wholeFromBottom),
                filter: isExact ? .nearest : .linear, opacity: opacity, transform: transform,
                output: output(target))
        case .color(let color):
            let color = converted(color)
            let alpha = color.w * opacity
            GLState.setBlending(alpha < 1 ? .premultipliedOver : .replace)
            try drawColor(
                [color.x * alpha, color.y * alpha, color.z * alpha, alpha], position: position)
        }
    }

    private func output(_ target: RenderTarget) -> PicturePainter.Output {
        PicturePainter.Output(colorSpace: target.colorSpace, bitDepth: target.bitDepth)
    }

    /// Draws a picture's planes onto the target.
    private func composite(
        _ picture: PictureTextures, _ scaling: LayerScaling, _ geometry: LayerGeometry,
        _ position: GLMatrix3, opacity: Float, target: RenderTarget
    ) throws(GLError) {
        let orientation = picture.attachments.orientation
        let isOver = picture.hasAlpha || opacity < 1
        let filter = scaling.filter(for: picture, geometry)
        guard let filter, !filter.isPlain else {
            GLState.setBlending(isOver ? .premultipliedOver : .replace)
            try painter.draw(
                picture,
                geometry: QuadGeometry(
                    position: position, texture: geometry.texture(orientation)),
                sampling: filter == .nearest
                    ? .exactAll
                    : sampling(
                        picture, geometry, width: geometry.rect.width,
                        height: geometry.rect.height),
                opacity: opacity, output: output(target))
            return
        }
        let swaps = orientation.swapsAxes
        let contents = geometry.contents
        try scaler.draw(
            PictureScaler.Request(
                picture: picture, orientation: LayerGeometry.whole.texture(orientation),
                width: swaps ? picture.height : picture.width,
                height: swaps ? picture.width : picture.height,
                contents: (contents.x, contents.y, contents.width, contents.height),
                position: position, outputWidth: Int(geometry.rect.width),
                outputHeight: Int(geometry.rect.height), filter: filter,
                usesLinearLight: scaling.usesLinearLight, opacity: opacity),
            output: output(target)
        ) {
            GLState.setTarget(
                framebuffer: target.framebuffer, width: target.width, height: target.height)
            GLState.setBlending(isOver ? .premultipliedOver : .replace)
        }
    }

    /// Puts a converted picture on the target: by a copy where that is all there is to do.
    private func composite(
        _ framebuffer: GLFramebuffer, _ request: ConvertedPictureCache.Request,
        _ orientation: PictureOrientation, _ geometry: LayerGeometry, opacity: Float,
        target: RenderTarget
    ) throws(GLError) {
        let rect = geometry.rect
        if opacity == 1, !orientation.swapsAxes {
            let lower =
                target.isTopRowFirst
                ? Int(rect.y) : target.height - Int(rect.y) - framebuffer.height
            framebuffer.copy(
                to: target.framebuffer, x: Int(rect.x), y: lower,
                isFlipped: request.isBottomUp == target.isTopRowFirst)
            return
        }
        let texture =
            orientation.swapsAxes
            ? GLMatrix3(origin: [0, 0], right: [0, 1], down: [1, 0])
            : request.isBottomUp ? LayerGeometry.wholeFromBottom : .identity
        GLState.setBlending(opacity < 1 ? .premultipliedOver : .replace)
        try painter.draw(
            framebuffer.texture, alpha: .opaque,
            geometry: QuadGeometry(position: geometry.position(in: target), texture: texture),
            filter: .nearest, opacity: opacity)
    }

    private func sampling(
        _ picture: PictureTextures, _ geometry: LayerGeometry, width: Double, height: Double
    ) -> PicturePainter.Sampling {
        guard geometry.isExact(width: width, height: height, picture: picture) else {
            return .scaled
        }
        return picture.isSubsampled ? .exact : .exactAll
    }

    private func drawColor(
        _ color: SIMD4<Float>, position: GLMatrix3
    ) throws(GLError) {
        if colorProgram == nil {
            let program = try GLProgram(
                vertex: ShaderLibrary.source(["quad.vert"]),
                fragment: ShaderLibrary.source(["color.frag"]), fragmentOutput: "fragmentColor",
                label: "color.frag", context: context)
            colorProgram = (
                program, program.uniform("color"), program.uniform("positionMatrix")
            )
        }
        guard let colorProgram else { return }
        colorProgram.program.use()
        colorProgram.color.set(color)
        colorProgram.position.set(position)
        painter.drawQuad()
    }
}
