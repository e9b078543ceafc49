// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures

/// Draws layers onto a target, from back to front. The contents of the layers must already be
/// resolved.
///
/// A video that fills its frame is drawn as one quad. Layers that share a source and a program, and
/// all layers that are rotated, masked or blended, are drawn as instances: one call draws a
/// thousand of them.
///
/// - Concurrency: render thread.
final class LayerPainter {
    private let context: any GLContext
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let scaler: PictureScaler
    /// The transform from the values of effects and plain colours to the values of the target.
    private var transform = ColorTransform(from: ColorSpace.bt709, to: .bt709)
    private var transformSpace = ColorSpace.bt709
    private var batcher = LayerBatcher()
    private var instances: [LayerInstance] = []
    private var buffer: GLInstances?

    init(context: any GLContext, painter: PicturePainter, pool: FramebufferPool) {
        self.context = context
        self.painter = painter
        self.pool = pool
        scaler = PictureScaler(painter: painter, pool: pool)
    }

    /// Draws onto a target, which is the current draw target.
    ///
    /// - Parameters:
    ///   - isLinear: true if the target contains linear light instead of nonlinear values.
    ///   - failed: called with each OpenGL error; everything else is still drawn.
    func draw(
        _ drawables: [LayerDrawable], into target: RenderTarget, isLinear: Bool = false,
        failed: (GLError) -> Void
    ) {
        setTransform(to: target.colorSpace)
        if drawables.count == 1, drawables[0].isSimple, !isLinear {
            attempt(on: target, failed) { () throws(GLError) in
                try drawSimple(drawables[0], into: target)
            }
            return
        }
        // The batcher is moved out of its property while it is read, so that it is not copied.
        var batcher = LayerBatcher()
        swap(&batcher, &self.batcher)
        defer { swap(&batcher, &self.batcher) }
        batcher.sort(drawables, isLinear: isLinear)
        for batch in batcher.batches {
            attempt(on: target, failed) { () throws(GLError) in
                if batch.count == 1, drawables[batch.first].isSimple, !isLinear {
                    try drawSimple(drawables[batch.first], into: target)
                } else {
                    try draw(batch, batcher.next, drawables, into: target, isLinear: isLinear)
                }
            }
        }
    }

    /// Draws a group in linear light onto all of the target, converted to the target's own values.
    func drawSignal(
        of drawable: LayerDrawable, onto target: RenderTarget
    ) throws(GLError) {
        batcher.sort([drawable], isLinear: true)
        guard var batch = batcher.batches.first else { return }
        batch.key.style.transfer = .toSignal
        batch.isOpaque = true
        try draw(batch, batcher.next, [drawable], into: target, isLinear: false)
    }

    private func attempt(
        on target: RenderTarget, _ failed: (GLError) -> Void, _ body: () throws(GLError) -> Void
    ) {
        do throws(GLError) {
            try body()
        } catch {
            // The draw that failed may have set a different target.
            GLState.setTarget(
                framebuffer: target.framebuffer, width: target.width, height: target.height)
            failed(error)
        }
    }

    /// Returns a plain colour, premultiplied, in a target's own values.
    func clearColor(_ color: SIMD4<Float>, of target: RenderTarget) -> SIMD4<Float> {
        setTransform(to: target.colorSpace)
        return converted(color).premultiplied
    }

    private func setTransform(to space: ColorSpace) {
        guard space != transformSpace else { return }
        transform = ColorTransform(from: ColorSpace.bt709, to: space)
        transformSpace = space
    }

    private func converted(_ color: SIMD4<Float>) -> SIMD4<Float> {
        if transform.isIdentity { return color }
        let result = transform(SIMD3(Double(color.x), Double(color.y), Double(color.z)))
        return SIMD4(Float(result.x), Float(result.y), Float(result.z), color.w)
    }

    // MARK: Instances

    private func draw(
        _ batch: LayerBatcher.Batch, _ next: [Int], _ drawables: [LayerDrawable],
        into target: RenderTarget, isLinear: Bool
    ) throws(GLError) {
        if drawables[batch.first].passFilter != nil {
            try drawFiltered(drawables[batch.first], into: target, isLinear: isLinear)
            return
        }
        instances.removeAll(keepingCapacity: true)
        var index = batch.first
        while index >= 0 {
            append(drawables[index], in: target)
            index = next[index]
        }
        guard !instances.isEmpty else { return }
        let (key, source) = (batch.key, drawables[batch.first].source)
        let behind =
            key.style.mode == nil
            ? nil : try self.backdrop(batch.region, of: target, isLinear: isLinear)
        defer { if let behind { pool.release(behind) } }
        let backdrop = behind.map {
            InstanceStyle.Backdrop(
                texture: $0.texture, x: Int(batch.region.x),
                y: target.lowerEdge(of: batch.region))
        }
        if buffer == nil {
            buffer = GLInstances(vectorCount: LayerInstance.vectorCount, context: context)
        }
        let output = target.output
        switch source {
        case .picture(let picture, _):
            try painter.useForInstances(
                of: picture, sampling: key.sampling, style: key.style, backdrop: backdrop,
                output: output)
        case .converted(let framebuffer, _, _):
            try painter.useForInstances(
                of: framebuffer.texture, alpha: .opaque, filter: .nearest, style: key.style,
                backdrop: backdrop, output: output)
        case .texture(let framebuffer, _):
            try painter.useForInstances(
                of: framebuffer.texture, alpha: key.alpha, filter: key.sampling.luma,
                style: key.style,
                backdrop: backdrop, transform: transform, output: output)
        case .group(let texture), .plain(let texture):
            try painter.useForInstances(
                of: texture, alpha: key.alpha, filter: key.sampling.luma, style: key.style,
                backdrop: backdrop, output: output)
        case .color:
            try painter.useForInstances(
                of: nil, alpha: .straight, filter: .nearest, style: key.style,
                backdrop: backdrop, output: output)
        }
        if backdrop != nil || batch.isOpaque && key.blendMode == .normal {
            GLState.setBlending(.replace)
        } else {
            GLState.setBlending(key.blendMode.fixedFunction ?? .premultipliedOver)
        }
        instances.withUnsafeBytes { buffer?.draw($0, count: instances.count) }
    }

    private func append(_ drawable: LayerDrawable, in target: RenderTarget) {
        var outset = SIMD2<Double>(0, 0)
        if drawable.shape != nil {
            guard let needed = drawable.map.outset(of: drawable.geometry.rect) else { return }
            outset = needed
        }
        var (texture, tint) = (TextureFrame.none, SIMD4<Float>(repeating: 1))
        switch drawable.source {
        case .picture(let picture, _):
            texture = drawable.geometry.textureFrame(picture.attachments.orientation)
        case .converted(_, let request, let orientation):
            texture =
                orientation.swapsAxes
                ? TextureFrame(origin: SIMD2(0, 0), right: SIMD2(0, 1), down: SIMD2(1, 0))
                : request.isBottomUp
                    ? .wholeFromBottom
                    : TextureFrame(origin: SIMD2(0, 0), right: SIMD2(1, 0), down: SIMD2(0, 1))
        case .texture, .plain: texture = .wholeFromBottom
        case .group: texture = Self.screen(drawable.region, of: target)
        case .color(let color): tint = converted(color)
        }
        instances.append(
            LayerInstance(drawable, in: target, texture: texture, tint: tint, outset: outset))
    }

    /// Returns the map from pixels, as OpenGL counts them, to the coordinates of a texture that
    /// contains a part of the target, with its bottom row first.
    private static func screen(_ region: LayerRect, of target: RenderTarget) -> TextureFrame {
        let left = -region.x / region.width
        if target.isTopRowFirst {
            return TextureFrame(
                origin: SIMD2(left, 1 + region.y / region.height),
                right: SIMD2(1 / region.width, 0),
                down: SIMD2(0, -1 / region.height))
        }
        let lower = Double(target.lowerEdge(of: region))
        return TextureFrame(
            origin: SIMD2(left, -lower / region.height), right: SIMD2(1 / region.width, 0),
            down: SIMD2(0, 1 / region.height))
    }

    /// Returns a copy of a part of the target.
    private func backdrop(
        _ region: LayerRect, of target: RenderTarget, isLinear: Bool
    ) throws(GLError) -> GLFramebuffer {
        let copy = try pool.acquire(
            format: isLinear ? .rgba16Float : target.texelFormat, width: Int(region.width),
            height: Int(region.height))
        copy.fill(
            from: target.framebuffer, x: Int(region.x), y: target.lowerEdge(of: region))
        GLState.setTarget(
            framebuffer: target.framebuffer, width: target.width, height: target.height)
        return copy
    }

    // MARK: One quad

    private func drawSimple(
        _ drawable: LayerDrawable, into target: RenderTarget
    ) throws(GLError) {
        let geometry = drawable.geometry
        let position = geometry.position(in: target)
        let blending: GLBlending = drawable.isOpaque ? .replace : .premultipliedOver
        switch drawable.source {
        case .picture(let picture, let scaling):
            if let filter = drawable.passFilter {
                try drawFiltered(
                    drawable, picture, scaling, filter, position: position, output: target.output,
                    opacity: drawable.opacity
                ) {
                    GLState.setTarget(
                        framebuffer: target.framebuffer, width: target.width,
                        height: target.height)
                    GLState.setBlending(blending)
                }
                return
            }
            GLState.setBlending(blending)
            try painter.draw(
                picture,
                geometry: QuadGeometry(
                    position: position,
                    texture: geometry.texture(picture.attachments.orientation)),
                sampling: drawable.sampling(of: picture, scaling), opacity: drawable.opacity,
                output: target.output)
        case .converted(let framebuffer, let request, let orientation):
            try drawConverted(
                framebuffer, request, orientation, geometry, opacity: drawable.opacity,
                target: target)
        case .texture(let framebuffer, let alpha):
            if isCopy(drawable, of: framebuffer, alpha, in: target) {
                framebuffer.copy(to: target, geometry.rect, isBottomUp: true)
                return
            }
            GLState.setBlending(blending)
            try painter.draw(
                framebuffer.texture, alpha: alpha,
                geometry: QuadGeometry(
                    position: position, texture: LayerGeometry.wholeFromBottom),
                filter: drawable.filter(of: framebuffer.texture), opacity: drawable.opacity,
                transform: transform, output: target.output)
        case .group, .plain, .color: break
        }
    }

    /// Returns whether drawing copies the pixels of `framebuffer`, the result of effects, without
    /// changes. Software OpenGL can then copy memory instead.
    private func isCopy(
        _ drawable: LayerDrawable, of framebuffer: GLFramebuffer, _ alpha: PictureAlpha,
        in target: RenderTarget
    ) -> Bool {
        context.capabilities.isSoftware && !target.isMultisampled
            && drawable.isOpaque && alpha != .straight
            && framebuffer.texture.format == .rgba8 && target.bitDepth == 8
            && transform.isIdentity && drawable.geometry.isInside(target)
            && drawable.filter(of: framebuffer.texture) == .nearest
    }

    /// Draws a frame at its size on the target, with a filter that requires separate passes.
    private func drawFiltered(
        _ drawable: LayerDrawable, _ picture: PictureTextures, _ scaling: LayerScaling,
        _ filter: ScalingFilter, position: GLMatrix3, output: PictureOutput,
        opacity: Float, setTarget: () -> Void
    ) throws(GLError) {
        let (orientation, contents) = (
            picture.attachments.orientation, drawable.geometry.contents
        )
        let swaps = orientation.swapsAxes
        try scaler.draw(
            PictureScaler.Request(
                picture: picture, orientation: LayerGeometry.whole.texture(orientation),
                width: swaps ? picture.height : picture.width,
                height: swaps ? picture.width : picture.height,
                contents: (contents.x, contents.y, contents.width, contents.height),
                position: position, outputWidth: Int(drawable.geometry.rect.width),
                outputHeight: Int(drawable.geometry.rect.height), filter: filter,
                usesLinearLight: scaling.usesLinearLight, opacity: opacity),
            output: output, setTarget: setTarget)
    }

    /// Filters a frame into an intermediate image, which is then clipped or blended like any other.
    private func drawFiltered(
        _ drawable: LayerDrawable, into target: RenderTarget, isLinear: Bool
    ) throws(GLError) {
        guard case .picture(let picture, let scaling) = drawable.source,
            let filter = drawable.passFilter
        else { return }
        let rect = drawable.geometry.rect
        let framebuffer = try pool.acquire(
            format: target.texelFormat, width: Int(rect.width), height: Int(rect.height))
        defer { pool.release(framebuffer) }
        try drawFiltered(
            drawable, picture, scaling, filter, position: QuadGeometry.uprightWhole.position,
            output: target.output, opacity: 1
        ) {
            GLState.setTarget(
                framebuffer: framebuffer.name, width: framebuffer.width,
                height: framebuffer.height)
            GLState.setBlending(.replace)
        }
        GLState.setTarget(
            framebuffer: target.framebuffer, width: target.width, height: target.height)
        var filtered = drawable
        filtered.source = .plain(framebuffer.texture)
        var alone = LayerBatcher()
        alone.sort([filtered], isLinear: isLinear)
        for batch in alone.batches {
            try draw(batch, alone.next, [filtered], into: target, isLinear: isLinear)
        }
    }

    /// Draws a converted frame onto the target. If nothing else is needed, the frame is copied.
    private func drawConverted(
        _ framebuffer: GLFramebuffer, _ request: ConvertedPictureRequest,
        _ orientation: PictureOrientation, _ geometry: LayerGeometry, opacity: Float,
        target: RenderTarget
    ) throws(GLError) {
        let rect = geometry.rect
        if opacity == 1, !orientation.swapsAxes {
            framebuffer.copy(to: target, rect, isBottomUp: request.isBottomUp)
            return
        }
        let texture =
            orientation.swapsAxes
            ? GLMatrix3(origin: SIMD2(0, 0), right: SIMD2(0, 1), down: SIMD2(1, 0))
            : request.isBottomUp ? LayerGeometry.wholeFromBottom : .identity
        GLState.setBlending(opacity < 1 ? .premultipliedOver : .replace)
        try painter.draw(
            framebuffer.texture, alpha: .opaque,
            geometry: QuadGeometry(position: geometry.position(in: target), texture: texture),
            filter: .nearest, opacity: opacity)
    }
}

extension GLFramebuffer {
    /// Copies the whole framebuffer to the position of a layer that has the same size in pixels.
    ///
    /// - Parameter isBottomUp: true if the first row is the bottom one.
    fileprivate func copy(to target: RenderTarget, _ rect: LayerRect, isBottomUp: Bool) {
        copy(
            to: target.framebuffer, x: Int(rect.x),
            y: target.isTopRowFirst ? Int(rect.y) : target.height - Int(rect.y) - height,
            isFlipped: isBottomUp == target.isTopRowFirst)
    }
}
