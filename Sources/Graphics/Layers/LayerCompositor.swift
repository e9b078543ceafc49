// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadTextures

/// Draws a scene's tree of layers. It computes the position of each layer, draws effects and groups
/// into intermediate images, and then draws everything onto the target, from back to front.
///
/// - Concurrency: render thread.
final class LayerCompositor {
    /// The state of drawing one frame.
    struct Pass {
        let sources: VideoSourceTable
        let time: EffectTime
        /// A Boolean value that indicates whether targets contain linear light.
        var isLinear: Bool
        /// The number of layers that were visited so far.
        var slot = 0
        var report: RenderReport
    }

    let contents: LayerContentResolver
    let layerPainter: LayerPainter
    let pool: FramebufferPool
    private let context: any GLContext
    private let painter: PicturePainter
    private var drawables: [LayerDrawable] = []
    /// A Boolean value that indicates whether OpenGL has reported an error in this frame.
    private var hasFailed = false
    private var reportedGLErrors: Set<GLError> = []
    private var reportedLayerErrors: Set<LayerError> = []
    private var reportedTextureErrors: Set<TextureError> = []

    init(
        context: any GLContext, textures: TextureCache, conversions: ConvertedPictureCache?,
        painter: PicturePainter, pool: FramebufferPool
    ) {
        self.context = context
        self.painter = painter
        self.pool = pool
        contents = LayerContentResolver(
            context: context, textures: textures, conversions: conversions, painter: painter,
            pool: pool)
        layerPainter = LayerPainter(context: context, painter: painter, pool: pool)
    }

    func draw(
        _ scene: Scene, into target: RenderTarget, sources: VideoSourceTable, time: EffectTime,
        report: inout RenderReport
    ) {
        var pass = Pass(
            sources: sources, time: time, isLinear: target.mixesLight, report: report)
        // The array is moved out of its property while it is filled, so that it is not copied.
        var drawables: [LayerDrawable] = []
        swap(&drawables, &self.drawables)
        drawables.removeAll(keepingCapacity: true)
        let plane = LayerPlane(
            width: target.width, height: target.height,
            sublayerTransform: scene.sublayerTransform)
        var clearColor: SIMD4<Float>?
        switch scene.background {
        case .none: break
        case .color(let color): clearColor = color
        case .generator(let effect):
            let background = Layer(.generator(effect), gravity: .resize)
            var flat = plane
            flat.sublayerTransform = .identity
            add(background, in: flat, of: target, to: &drawables, &pass)
            for index in drawables.indices { drawables[index].isBackground = true }
        }
        scene.layers.forEachFromBack {
            add(scene.layers[$0], in: plane, of: target, to: &drawables, &pass)
        }
        if pass.isLinear {
            drawInLight(drawables, over: clearColor, onto: target, &pass)
        } else {
            GLState.setTarget(
                framebuffer: target.framebuffer, width: target.width, height: target.height)
            dropCovered(&drawables, in: target)
            if let clearColor, !isCovered(target, by: drawables) {
                GLState.clear(layerPainter.clearColor(clearColor, of: target))
            }
            draw(drawables, into: target, &pass)
        }
        for error in contents.takeErrors() { pass.report.problems.append(.effect(error)) }
        for error in contents.takeTextureErrors() { note(error, &pass) }
        drawables.removeAll(keepingCapacity: true)
        swap(&drawables, &self.drawables)
        GLState.endFrame(
            usedUnits: PicturePainter.unitCount, isExclusive: context.isExclusive)
        contents.endFrame(slotCount: pass.slot)
        if hasFailed {
            // A draw that failed did not return the framebuffers that it borrowed.
            pool.reclaim { contents.keeps($0) }
            hasFailed = false
        }
        report = pass.report
    }

    /// Draws onto the current draw target, and returns the borrowed framebuffers to the pool.
    func draw(_ drawables: [LayerDrawable], into target: RenderTarget, _ pass: inout Pass) {
        layerPainter.draw(drawables, into: target, isLinear: pass.isLinear) {
            note($0, &pass)
        }
        for drawable in drawables {
            if let lent = drawable.lent { pool.release(lent) }
        }
    }

    /// Returns whether the first layer hides the previous contents. Software OpenGL then need not
    /// clear the target. GPUs clear it anyway, because they are faster if nothing has to be read
    /// from memory.
    private func isCovered(_ target: RenderTarget, by drawables: [LayerDrawable]) -> Bool {
        context.capabilities.isSoftware && drawables.first?.covers(target) == true
    }

    /// Removes the layers behind a layer that covers all of the target.
    private func dropCovered(_ drawables: inout [LayerDrawable], in target: RenderTarget) {
        guard let cover = drawables.lastIndex(where: { $0.covers(target) }), cover > 0 else {
            return
        }
        for drawable in drawables[..<cover] {
            if let lent = drawable.lent { pool.release(lent) }
        }
        drawables.removeSubrange(..<cover)
    }

    func note(_ error: GLError, _ pass: inout Pass) {
        hasFailed = true
        if reportedGLErrors.insert(error).inserted { pass.report.problems.append(.gl(error)) }
    }

    private func note(_ error: TextureError, _ pass: inout Pass) {
        if case .gl(let error) = error {
            note(error, &pass)
        } else if reportedTextureErrors.insert(error).inserted {
            pass.report.problems.append(.picture(error))
        }
    }

    private func note(_ error: LayerError, _ pass: inout Pass) {
        if reportedLayerErrors.insert(error).inserted {
            pass.report.problems.append(.layer(error))
        }
    }

    // MARK: The tree

    /// Adds a layer and its sublayers.
    ///
    /// - Parameter parent: the plane of the layer's parent, mapped to `target`.
    func add(
        _ layer: Layer, in parent: LayerPlane, of target: RenderTarget,
        to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) {
        let slot = pass.slot
        pass.slot += 1
        guard !layer.isHidden, layer.opacity > 0 || layer.opacity.isNaN else { return }
        let frame = layer.frame.rect(width: parent.width, height: parent.height)
        if let problem = layer.problem(frame: frame) {
            note(problem, &pass)
            return
        }
        guard let plane = LayerPlane(of: layer, in: parent) else {
            note(.unreasonable(property: "transform", layer: layer.name), &pass)
            return
        }
        do throws(GLError) {
            if layer.isGroup {
                try addGroup(layer, plane, in: parent, of: target, to: &drawables, &pass)
                return
            }
            if let drawable = try drawable(of: layer, slot: slot, plane, of: target, &pass) {
                drawables.append(drawable)
            }
        } catch {
            note(error, &pass)
        }
        addSublayers(of: layer, plane, of: target, to: &drawables, &pass)
    }

    func addSublayers(
        of layer: Layer, _ plane: LayerPlane, of target: RenderTarget,
        to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) {
        guard !layer.sublayers.isEmpty else { return }
        layer.sublayers.forEachFromBack {
            add(layer.sublayers[$0], in: plane, of: target, to: &drawables, &pass)
        }
    }

    /// Returns the drawable for a layer's own content; nil if nothing of it is visible.
    func drawable(
        of layer: Layer, slot: Int, _ plane: LayerPlane, of target: RenderTarget,
        _ pass: inout Pass
    ) throws(GLError) -> LayerDrawable? {
        if case .transition(let transition) = layer.content {
            return try drawable(of: layer, transition, plane, of: target, &pass)
        }
        guard
            let (geometry, picture, size) = geometry(of: layer, plane, in: target, &pass),
            let region = geometry.region(plane, in: target)
        else { return nil }
        let isFlat = plane.isFlat
        let shape = LayerShape(of: layer, in: plane)
        let isPlain = isFlat && shape.isPlain
        let request = LayerContentResolver.Request(
            layer: layer, slot: slot, picture: picture, geometry: geometry, size: size,
            scale: isFlat ? 1 : plane.map.scale(at: geometry.rect), time: pass.time,
            mayConvert: isPlain && layer.blendMode == .normal && !pass.isLinear
                && !pass.sources.isUsedByMany(layer.content))
        guard let source = try contents.source(request, in: target) else { return nil }
        return LayerDrawable(
            source: source, geometry: geometry, opacity: Float(min(1, layer.opacity)),
            blendMode: layer.blendMode, map: isFlat ? .identity : plane.map,
            shape: isPlain ? nil : isFlat ? shape.onWholePixels(plane.map) : shape,
            region: region)
    }

    /// Returns the geometry of a layer's content; nil without content. If the layer is only
    /// translated, the geometry is in the target's pixels, otherwise in the layer's own pixels.
    private func geometry(
        of layer: Layer, _ plane: LayerPlane, in target: RenderTarget, _ pass: inout Pass
    ) -> (LayerGeometry, LayerPicture?, size: (width: Double, height: Double))? {
        var picture: LayerPicture?
        switch layer.content {
        case .none: return nil
        case .video(let source):
            do throws(GLError) {
                picture = try pass.sources.picture(of: source, layer.deinterlacing)
            } catch {
                note(error, &pass)
            }
            if picture == nil { return nil }
        case .image(let buffer):
            do throws(TextureError) {
                picture = try contents.picture(of: buffer)
            } catch {
                note(error, &pass)
                return nil
            }
        case .color, .generator, .transition: break
        }
        let isFlat = plane.isFlat
        let frame = ownFrame(of: plane)
        if let overlay = overlay(of: layer, pass.sources) {
            return lay(
                overlay, of: layer, in: frame, picture, roundsEdges: isFlat, target: target)
        }
        let size = picture?.displaySize ?? (frame.width, frame.height)
        let geometry = LayerGeometry(
            size: size, frame: frame, contents: picture == nil ? .unit : layer.contentsRect,
            gravity: picture == nil ? .resize : layer.gravity, roundsEdges: isFlat)
        return (geometry, picture, size)
    }

    private func overlay(
        of layer: Layer, _ sources: VideoSourceTable
    ) -> (source: any OverlaySource, rect: LayerRect)? {
        if case .video(let source) = layer.content { sources.overlay(source) } else { nil }
    }

    /// Returns the geometry of an image that is positioned over a video. The layout of the video
    /// determines the geometry.
    private func lay(
        _ overlay: (source: any OverlaySource, rect: LayerRect), of layer: Layer,
        in frame: LayerRect, _ picture: LayerPicture?, roundsEdges: Bool, target: RenderTarget
    ) -> (LayerGeometry, LayerPicture?, size: (width: Double, height: Double))? {
        let film = LayerGeometry(
            size: overlay.source.overlaySize, frame: frame, contents: .unit,
            gravity: layer.gravity, roundsEdges: roundsEdges)
        let whole = film.wholeRect
        guard let picture, whole.isReasonable else { return nil }
        // If the video is drawn much larger than the target, only a small part of it is visible. To
        // save memory, the size of the image is then limited by the size of the target.
        let fit = min(
            1, Double(target.width) * LayerContentResolver.largestOversize / whole.width,
            Double(target.height) * LayerContentResolver.largestOversize / whole.height)
        overlay.source.noteDisplaySize(
            width: Int((whole.width * fit).rounded()), height: Int((whole.height * fit).rounded()))
        let origin = whole.point(overlay.rect.x, overlay.rect.y)
        let rect = LayerRect(
            x: origin.x, y: origin.y, width: overlay.rect.width * whole.width,
            height: overlay.rect.height * whole.height)
        let geometry = LayerGeometry(
            size: picture.displaySize, frame: rect, contents: .unit, gravity: .resize,
            roundsEdges: roundsEdges)
        return (geometry, picture, picture.displaySize)
    }
}

extension Layer {
    /// A Boolean value that indicates whether the layer and its sublayers are first drawn to an
    /// intermediate image, which is then drawn onto the target.
    var isGroup: Bool {
        if case .layer = mask { return true }
        guard !sublayers.isEmpty else { return false }
        return opacity < 1 || mask != nil || masksToBounds || blendMode != .normal
            || effects.contains { $0.isEnabled }
    }
}

extension LayerGeometry {
    /// Returns the pixels of a target that the layer may touch; nil if it is not visible.
    func region(_ plane: LayerPlane, in target: RenderTarget) -> LayerRect? {
        guard rect.width > 0, rect.height > 0, contents.width > 0, contents.height > 0 else {
            return nil
        }
        guard !plane.isFlat else {
            let region = rect.intersection(target.bounds)
            return region.width > 0 && region.height > 0 ? region : nil
        }
        let seen = plane.map.bounds(of: rect)?.enlargedByPixel ?? target.bounds
        let region = seen.wholePixels.intersection(target.bounds)
        return region.width > 0 && region.height > 0 ? region : nil
    }
}

extension SIMD4<Float> {
    /// The colour with red, green and blue multiplied by alpha.
    var premultiplied: SIMD4<Float> { SIMD4(x * w, y * w, z * w, w) }
}
