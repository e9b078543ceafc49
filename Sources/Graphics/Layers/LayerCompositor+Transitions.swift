// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

extension LayerCompositor {
    /// Returns the result of a transition. Both sides are drawn at the layer's size on the target,
    /// and mixed.
    func drawable(
        of layer: Layer, _ transition: LayerTransition, _ plane: LayerPlane,
        of target: RenderTarget, _ pass: inout Pass
    ) throws(GLError) -> LayerDrawable? {
        let frame = ownFrame(of: plane)
        let geometry = LayerGeometry(
            size: (frame.width, frame.height), frame: frame, contents: .unit,
            gravity: .resize, roundsEdges: plane.isFlat)
        guard let region = geometry.region(plane, in: target) else { return nil }
        let whole = pictureBounds(of: plane, geometry, in: target)
        func picture(
            of side: Layer, _ pass: inout Pass
        ) throws(GLError) -> LayerContentResolver.Stage {
            let framebuffer = try drawGroup(whole, of: target, forEffects: true, &pass) {
                target, drawables, pass in
                let own = plane.seen(geometry, in: whole)
                self.add(side, in: own, of: target, to: &drawables, &pass)
            }
            return (framebuffer, .premultiplied)
        }
        var made: LayerContentResolver.Stage?
        switch transition.sides {
        case .from: made = try picture(of: transition.from, &pass)
        case .to: made = try picture(of: transition.to, &pass)
        case .both:
            let from = try picture(of: transition.from, &pass)
            let to = try picture(of: transition.to, &pass)
            made = try contents.mix(transition, from, to, time: pass.time)
        }
        // If the layer has sublayers, its effects apply to the group and are drawn with it.
        if layer.sublayers.isEmpty, let mixed = made, !layer.effects.isEmpty {
            made = try contents.apply(layer.effects, to: mixed, time: pass.time)
        }
        guard let made else { return nil }
        let shape = LayerShape(of: layer, in: plane)
        let isPlain = plane.isFlat && shape.isPlain
        return LayerDrawable(
            source: .texture(made.framebuffer, made.alpha), geometry: geometry,
            opacity: Float(min(1, layer.opacity)), blendMode: layer.blendMode,
            map: plane.isFlat ? .identity : plane.map,
            shape: isPlain ? nil : plane.isFlat ? shape.onWholePixels(plane.map) : shape,
            region: region, lent: made.framebuffer)
    }
}
