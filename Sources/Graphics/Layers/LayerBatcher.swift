// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// Puts layers that OpenGL can draw in one call together, however they are mixed with others, as
/// long as nobody can tell.
///
/// - Concurrency: render thread. Keeps its storage from frame to frame.
struct LayerBatcher {
    /// What layers of one batch have in common.
    struct Key: Equatable {
        var object: ObjectIdentifier?
        var sampling = PicturePainter.Sampling.exactAll
        var alpha = PicturePainter.Alpha.opaque
        var style = InstanceStyle()
        var blendMode = BlendMode.normal
    }

    /// Layers in one call.
    struct Batch {
        var key: Key
        /// Index of the first layer.
        var first: Int
        var last: Int
        var count = 1
        var isOpaque: Bool
        /// Around all of its layers.
        var region: LayerRect
    }

    /// How many batches a layer may be moved down past, at most.
    private static let reach = 8

    private(set) var batches: [Batch] = []
    /// Index of the next layer of the same batch, by index of the layer; -1 at the end.
    private(set) var next: [Int] = []

    /// - Parameter isLinear: whether the target holds light.
    mutating func sort(_ drawables: [LayerDrawable], isLinear: Bool) {
        batches.removeAll(keepingCapacity: true)
        next.removeAll(keepingCapacity: true)
        for index in drawables.indices {
            next.append(-1)
            let key = Self.key(of: drawables[index], isLinear: isLinear)
            // Drawn alone: what is behind each has to be read, or a copy does.
            var isAlone = key.style.mode != nil
            if case .converted = drawables[index].source { isAlone = true }
            if drawables[index].passFilter != nil { isAlone = true }
            if !isAlone, let batch = batch(for: key, index, drawables) {
                next[batches[batch].last] = index
                batches[batch].last = index
                batches[batch].count += 1
                batches[batch].isOpaque = batches[batch].isOpaque && drawables[index].isOpaque
                batches[batch].region = batches[batch].region.union(drawables[index].region)
                continue
            }
            batches.append(
                Batch(
                    key: key, first: index, last: index, isOpaque: drawables[index].isOpaque,
                    region: drawables[index].region))
        }
    }

    /// The batch that a layer may join: nothing that was to be drawn between touches its pixels.
    private func batch(for key: Key, _ index: Int, _ drawables: [LayerDrawable]) -> Int? {
        for batch in batches.indices.suffix(Self.reach).reversed() {
            if batches[batch].key == key { return batch }
            guard !overlaps(batch, drawables[index].region, drawables) else { return nil }
        }
        return nil
    }

    private func overlaps(
        _ batch: Int, _ region: LayerRect, _ drawables: [LayerDrawable]
    ) -> Bool {
        guard batches[batch].region.intersects(region) else { return false }
        var member = batches[batch].first
        while member >= 0 {
            if drawables[member].region.intersects(region) { return true }
            member = next[member]
        }
        return false
    }

    private static func key(of drawable: LayerDrawable, isLinear: Bool) -> Key {
        var key = Key()
        key.blendMode = drawable.blendMode
        key.style.isShaped = drawable.shape != nil
        if isLinear { key.style.transfer = .toLight }
        if drawable.blendMode.fixedFunction == nil {
            key.style.mode = drawable.blendMode.rawValue
            key.style.modeIsOperator = drawable.blendMode.isOperator
        }
        switch drawable.source {
        case .picture(let picture, let scaling):
            key.object = ObjectIdentifier(picture)
            key.sampling = drawable.sampling(of: picture, scaling)
        case .converted(let framebuffer, _, _):
            key.object = ObjectIdentifier(framebuffer)
        case .texture(let framebuffer, let alpha):
            key.object = ObjectIdentifier(framebuffer)
            key.alpha = alpha
            key.sampling.luma = drawable.filter(of: framebuffer.texture)
        case .group(let texture):
            key.object = ObjectIdentifier(texture)
            key.alpha = .premultiplied
            key.sampling.luma = .nearest
            key.style.usesScreenCoordinates = true
            key.style.transfer = .none
        case .plain(let texture):
            key.object = ObjectIdentifier(texture)
            key.alpha = .premultiplied
            key.sampling.luma = drawable.filter(of: texture)
        case .color:
            key.alpha = .straight
        }
        return key
    }
}
