// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadTextures

extension LayerCompositor {
    /// Adds a layer and its sublayers as one image.
    ///
    /// Without effects, each pixel of the image is a pixel of the target, so that the layer's
    /// contents are not resampled when the image is drawn. With effects, the image is drawn in the
    /// layer's own plane, at the layer's size on the target.
    func addGroup(
        _ layer: Layer, _ plane: LayerPlane, in parent: LayerPlane, of target: RenderTarget,
        to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) throws(GLError) {
        if case .layer(let mask) = layer.mask {
            try addMasked(layer, by: mask, plane, in: parent, of: target, to: &drawables, &pass)
        } else if layer.effects.contains(where: \.isEnabled) {
            try addFiltered(layer, plane, of: target, to: &drawables, &pass)
        } else {
            let isCut = layer.masksToBounds || layer.mask != nil
            let reach =
                isCut ? plane.map.bounds(of: plane.bounds) : reach(of: layer, plane, target)
            guard let region = target.part(around: reach) else { return }
            let group = try drawGroup(region, of: target, &pass) { target, drawables, pass in
                let plane = plane.moved(by: -region.x, -region.y)
                self.addPlain(layer, plane, isCut: isCut, of: target, to: &drawables, &pass)
            }
            drawables.append(
                placed(group, region, layer, isCut ? plane : nil, of: target))
        }
    }

    /// Adds a layer whose mask is a layer. Both are drawn into an image, in which the layer is
    /// multiplied by the mask's alpha.
    private func addMasked(
        _ layer: Layer, by mask: Layer, _ plane: LayerPlane, in parent: LayerPlane,
        of target: RenderTarget, to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) throws(GLError) {
        guard let region = target.part(around: plane.map.bounds(of: plane.bounds)) else { return }
        var inner = layer
        (inner.mask, inner.opacity, inner.blendMode) = (nil, 1, .normal)
        // The result as a whole is clipped to the corners. Clipping twice would thin the edges.
        inner.cornerRadius = 0
        let masked = try drawGroup(region, of: target, &pass) { target, drawables, pass in
            self.add(
                inner, in: parent.moved(by: -region.x, -region.y), of: target, to: &drawables,
                &pass)
            do throws(GLError) {
                let whole = target.bounds
                let alpha = try self.drawGroup(whole, of: target, &pass) {
                    target, drawables, pass in
                    self.add(
                        mask, in: plane.moved(by: -region.x, -region.y), of: target,
                        to: &drawables, &pass)
                }
                var cut = self.placed(alpha, whole, Layer(.none), nil, of: target)
                cut.blendMode = .destinationIn
                drawables.append(cut)
            } catch {
                self.note(error, &pass)
            }
        }
        drawables.append(placed(masked, region, layer, plane, of: target))
    }

    /// Adds a layer with sublayers and effects. The effects are applied to one image of content and
    /// sublayers.
    private func addFiltered(
        _ layer: Layer, _ plane: LayerPlane, of target: RenderTarget,
        to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) throws(GLError) {
        let isFlat = plane.isFlat
        let frame = ownFrame(of: plane)
        let geometry = LayerGeometry(
            size: (frame.width, frame.height), frame: frame, contents: .unit, gravity: .resize,
            roundsEdges: isFlat)
        guard let region = geometry.region(plane, in: target) else { return }
        let whole = pictureBounds(of: plane, geometry, in: target)
        let picture = try drawGroup(whole, of: target, forEffects: true, &pass) {
            target, drawables, pass in
            let own = plane.seen(geometry, in: whole)
            self.addPlain(layer, own, isCut: true, of: target, to: &drawables, &pass)
        }
        guard
            let made = try contents.apply(
                layer.effects, to: (picture, .premultiplied), time: pass.time)
        else { return }
        let shape = LayerShape(of: layer, in: plane)
        let isPlain = isFlat && shape.isPlain
        drawables.append(
            LayerDrawable(
                source: .texture(made.framebuffer, made.alpha), geometry: geometry,
                opacity: Float(min(1, layer.opacity)), blendMode: layer.blendMode,
                map: isFlat ? .identity : plane.map,
                shape: isPlain ? nil : isFlat ? shape.onWholePixels(plane.map) : shape,
                region: region, lent: made.framebuffer))
    }

    /// Returns the rectangle of a layer's plane. If the plane is only translated, the rectangle is
    /// in the target's pixels, otherwise in the plane's own pixels.
    func ownFrame(of plane: LayerPlane) -> LayerRect {
        var frame = plane.bounds
        if plane.isFlat { (frame.x, frame.y) = (plane.map.one.x, plane.map.one.y) }
        return frame
    }

    /// Returns the size at which a plane is drawn for effects: its size on the target, but at most
    /// twice the size of the target.
    func pictureBounds(
        of plane: LayerPlane, _ geometry: LayerGeometry, in target: RenderTarget
    ) -> LayerRect {
        let scale = plane.isFlat ? 1 : plane.map.scale(at: plane.bounds)
        func length(_ length: Double, _ limit: Int) -> Double {
            min(
                max(1, (length * scale).rounded()),
                Double(limit) * LayerContentResolver.largestOversize)
        }
        return LayerRect(
            x: 0, y: 0, width: length(geometry.rect.width, target.width),
            height: length(geometry.rect.height, target.height))
    }

    /// Adds a layer's content and its sublayers, without the properties that apply to the layer as
    /// a whole.
    ///
    /// - Parameter isCut: true if the group is clipped to the edges and round corners of the layer.
    private func addPlain(
        _ layer: Layer, _ plane: LayerPlane, isCut: Bool, of target: RenderTarget,
        to drawables: inout [LayerDrawable], _ pass: inout Pass
    ) {
        var own = layer
        (own.opacity, own.blendMode, own.mask) = (1, .normal, nil)
        if isCut { own.cornerRadius = 0 }
        let slot = pass.slot
        pass.slot += 1
        do throws(GLError) {
            if var drawable = try drawable(of: own, slot: slot, plane, of: target, &pass) {
                if isCut { drawable.shape?.isCutByGroup = true }
                drawables.append(drawable)
            }
        } catch {
            note(error, &pass)
        }
        addSublayers(of: layer, plane, of: target, to: &drawables, &pass)
    }

    /// Draws an image of a part of a target. `collect` adds the layers to draw.
    func drawGroup(
        _ region: LayerRect, of target: RenderTarget, forEffects: Bool = false,
        _ pass: inout Pass,
        _ collect: (RenderTarget, inout [LayerDrawable], inout Pass) -> Void
    ) throws(GLError) -> GLFramebuffer {
        let wasLinear = pass.isLinear
        if forEffects { pass.isLinear = false }
        defer { pass.isLinear = wasLinear }
        let framebuffer = try pool.acquire(
            format: pass.isLinear ? .rgba16Float : forEffects ? .rgba8 : target.texelFormat,
            width: Int(region.width),
            height: Int(region.height))
        // Effects expect the values of a BT.709 display.
        let part = RenderTarget(framebuffer, colorSpace: forEffects ? .bt709 : target.colorSpace)
        var drawables: [LayerDrawable] = []
        collect(part, &drawables, &pass)
        GLState.setTarget(
            framebuffer: framebuffer.name, width: framebuffer.width, height: framebuffer.height)
        GLState.clear(SIMD4(0, 0, 0, 0))
        draw(drawables, into: part, &pass)
        return framebuffer
    }

    /// Returns a drawable for the image of a group. It is drawn at the region of the target that
    /// the image shows.
    ///
    /// - Parameter plane: the plane whose bounds and shape clip the image; nil if nothing is
    ///   clipped.
    private func placed(
        _ group: GLFramebuffer, _ region: LayerRect, _ layer: Layer, _ plane: LayerPlane?,
        of target: RenderTarget
    ) -> LayerDrawable {
        var geometry = LayerGeometry(
            size: (region.width, region.height), frame: region, contents: .unit,
            gravity: .resize)
        var (map, shape) = (PlaneMap.identity, LayerShape?.none)
        if let plane {
            let cut = LayerShape(of: layer, in: plane)
            if plane.isFlat {
                shape = cut.onWholePixels(plane.map)
            } else {
                (shape, map) = (cut, plane.map)
                geometry.rect = plane.bounds
            }
        }
        return LayerDrawable(
            source: .group(group.texture), geometry: geometry,
            opacity: Float(min(1, layer.opacity)), blendMode: layer.blendMode, map: map,
            shape: shape, region: region, lent: group)
    }

    /// Returns the rectangle around all pixels that a layer and its sublayers may touch; nil if it
    /// cannot be computed.
    private func reach(
        of layer: Layer, _ plane: LayerPlane, _ target: RenderTarget
    ) -> LayerRect? {
        guard var reach = plane.map.bounds(of: plane.bounds) else { return nil }
        for sublayer in layer.sublayers where !sublayer.isHidden {
            guard let inner = LayerPlane(of: sublayer, in: plane) else { continue }
            guard let part = self.reach(of: sublayer, inner, target) else { return nil }
            reach = reach.union(part)
        }
        return reach
    }

    // MARK: Light

    /// Mixes layers in linear light, and then converts the result to the target's own values.
    func drawInLight(
        _ drawables: [LayerDrawable], over clearColor: SIMD4<Float>?, onto target: RenderTarget,
        _ pass: inout Pass
    ) {
        do throws(GLError) {
            let (width, height) = (target.width, target.height)
            let light = try pool.acquire(format: .rgba16Float, width: width, height: height)
            defer { pool.release(light) }
            let canvas = RenderTarget(light, colorSpace: target.colorSpace)
            var all: [LayerDrawable] = []
            if let clearColor {
                var fill = placed(light, canvas.bounds, Layer(.none), nil, of: canvas)
                (fill.source, fill.lent) = (.color(clearColor), nil)
                all = [fill]
            } else {
                // The previous contents of the target are treated as a layer.
                let before = try pool.acquire(
                    format: target.texelFormat, width: width, height: height)
                before.fill(
                    from: target.framebuffer, x: 0, y: 0, isFlipped: target.isTopRowFirst)
                var fill = placed(before, canvas.bounds, Layer(.none), nil, of: canvas)
                fill.source = .plain(before.texture)
                all = [fill]
            }
            all += drawables
            GLState.setTarget(framebuffer: light.name, width: width, height: height)
            GLState.clear(SIMD4(0, 0, 0, 0))
            draw(all, into: canvas, &pass)
            GLState.setTarget(framebuffer: target.framebuffer, width: width, height: height)
            var whole = placed(light, target.bounds, Layer(.none), nil, of: target)
            whole.lent = nil
            try layerPainter.drawSignal(of: whole, onto: target)
        } catch {
            note(error, &pass)
        }
    }
}

extension LayerPlane {
    /// Returns this plane, without its transform, as it appears in an image.
    func seen(_ geometry: LayerGeometry, in picture: LayerRect) -> LayerPlane {
        var own = self
        // The edges of a plane that is only translated are at whole pixels. Its contents are then
        // aligned with the pixels of the image, as they are with the pixels of the target.
        if isFlat { (own.width, own.height) = (geometry.rect.width, geometry.rect.height) }
        own.map = .scale(picture.width / own.width, picture.height / own.height)
        own.isFlat = own.map == .identity
        return own
    }
}

extension RenderTarget {
    /// Returns the whole pixels of the target that a rectangle may touch; all pixels if the
    /// rectangle is nil.
    func part(around rect: LayerRect?) -> LayerRect? {
        let part = rect?.enlargedByPixel.wholePixels.intersection(bounds) ?? bounds
        return part.width > 0 && part.height > 0 ? part : nil
    }
}

extension LayerShape {
    /// Returns this shape in pixels of the target, for a layer whose only transform is a
    /// translation, which may be by a fraction of a pixel.
    func onWholePixels(_ map: PlaneMap) -> LayerShape {
        var shape = self
        let (right, bottom) = (
            (bounds.x + bounds.width + map.one.x).rounded(),
            (bounds.y + bounds.height + map.one.y).rounded()
        )
        shape.bounds.x = (bounds.x + map.one.x).rounded()
        shape.bounds.y = (bounds.y + map.one.y).rounded()
        shape.bounds.width = right - shape.bounds.x
        shape.bounds.height = bottom - shape.bounds.y
        shape.maskRect.x += map.one.x
        shape.maskRect.y += map.one.y
        return shape
    }
}

extension LayerRect {
    /// The rectangle enlarged by one pixel on every side, which smooth edges need.
    var enlargedByPixel: LayerRect {
        LayerRect(x: x - 1, y: y - 1, width: width + 2, height: height + 2)
    }
}
