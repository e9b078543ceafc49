// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
package import PlayheadEffects
package import PlayheadLayers
package import PlayheadVideoCompositions

/// Translates a frame of a video composition to a scene of layers. The scene is drawn like any
/// other: to a file, an image or a window.
package enum VideoCompositionScene {
    /// Returns the scene for a frame.
    ///
    /// - Parameter transition: Returns the effect of the instruction's transition.
    package static func scene(
        of frame: VideoCompositionFrame, in composition: VideoComposition,
        transition effect: (VideoCompositionFrame) -> EffectInstance?
    ) -> Scene {
        let size = composition.pixelSize
        let scale = Transform2D.scale(
            x: Double(size.width) / Double(composition.renderSize.width),
            y: Double(size.height) / Double(composition.renderSize.height))
        let instruction = frame.instruction
        let drawing = composition.ownDrawing
        let ids = instruction.transition.map { [$0.fromTrackID, $0.toTrackID] } ?? []
        var layers: [Layer] = []
        var isMixed = false
        for part in instruction.layerInstructions {
            guard let transition = instruction.transition, ids.contains(part.trackID),
                let effect = effect(frame)
            else {
                layer(part, frame, scale, drawing.effects).map { layers.append($0) }
                continue
            }
            // Layers are listed from top to bottom, so the transition takes the place of the first
            // of its two layers.
            if isMixed { continue }
            isMixed = true
            func side(_ id: Int) -> Layer {
                let part = instruction.layerInstructions.first { $0.trackID == id }
                return Layer(
                    sublayers: [part.flatMap { layer($0, frame, scale, drawing.effects) }]
                        .compactMap { $0 })
            }
            let progress = instruction.transitionProgress(
                at: frame.time, frameDuration: composition.frameDuration)
            var mixture = LayerTransition(
                effect, from: side(transition.fromTrackID), to: side(transition.toTrackID),
                progress: progress)
            // An effect from a file has its own formula, which also applies at the ends.
            if case .effect = transition.kind { mixture.drawsEffectAtEnds = true }
            layers.append(Layer(.transition(mixture)))
        }
        layers.reverse()
        if let tool = composition.animationTool { layers = tool.layers(Layer(sublayers: layers)) }
        return Scene(background: .color(instruction.backgroundColor), layers: layers)
    }

    /// Returns the layer of a track; nil if the track shows nothing.
    private static func layer(
        _ part: VideoCompositionLayerInstruction, _ frame: VideoCompositionFrame,
        _ scale: Transform2D, _ effects: [Int: [EffectInstance]]
    ) -> Layer? {
        guard let buffer = frame.sourceFrames[part.trackID]?.pixelBuffer else { return nil }
        let opacity = part.opacity(at: frame.time)
        let size = buffer.displaySize
        let whole = CropRectangle(x: 0, y: 0, width: size.width, height: size.height)
        var crop = part.cropRectangle(at: frame.time) ?? whole
        var transform = part.transform(at: frame.time).concatenating(scale)
        let orientation = buffer.attachments.orientation
        if !part.appliesPreferredTransform, orientation != .up {
            // Layers show upright frames, but the instruction's values are for stored frames.
            let upright = Transform2D(
                orientation,
                size: orientation.swapsAxes ? (size.height, size.width) : size)
            if part.cropRectangle(at: frame.time) != nil { crop = crop.applying(upright) }
            transform = upright.inverted.concatenating(transform)
        }
        crop = crop.clipped(toWidth: size.width, height: size.height)
        guard opacity > 0, crop.width > 0, crop.height > 0, transform.determinant != 0 else {
            return nil
        }
        var layer = Layer(
            .image(buffer),
            contentsRect: LayerRect(
                x: crop.x / size.width, y: crop.y / size.height, width: crop.width / size.width,
                height: crop.height / size.height),
            gravity: .resize, opacity: opacity, effects: effects[part.trackID] ?? [])
        if let rect = wholePixels(of: crop, transform) {
            layer.frame = .pixels(rect)
            return layer
        }
        // The transform is relative to the origin of the whole frame; the layer shows a part of it.
        layer.frame = .pixels(
            LayerRect(x: crop.x, y: crop.y, width: crop.width, height: crop.height))
        layer.anchorPoint = SIMD2(-crop.x / crop.width, -crop.y / crop.height)
        layer.transform = Transform3D(
            SIMD4(transform.a, transform.b, 0, 0), SIMD4(transform.c, transform.d, 0, 0),
            SIMD4(0, 0, 1, 0), SIMD4(transform.tx, transform.ty, 0, 1))
        return layer
    }

    /// Returns the transformed rectangle; nil if the transform does more than scale and move it, or
    /// if its edges do not lie on pixel boundaries. A rectangle of whole pixels can be drawn
    /// without blending its edges with the surroundings.
    private static func wholePixels(
        of rect: CropRectangle, _ transform: Transform2D
    ) -> LayerRect? {
        guard transform.b == 0, transform.c == 0, transform.a > 0, transform.d > 0 else {
            return nil
        }
        let edges = [
            rect.x * transform.a + transform.tx, rect.y * transform.d + transform.ty,
            (rect.x + rect.width) * transform.a + transform.tx,
            (rect.y + rect.height) * transform.d + transform.ty,
        ]
        guard edges.allSatisfy({ abs($0 - $0.rounded()) < 1e-6 }) else { return nil }
        let whole = edges.map { $0.rounded() }
        return LayerRect(
            x: whole[0], y: whole[1], width: whole[2] - whole[0], height: whole[3] - whole[1])
    }
}
