// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// Groups layers into batches that OpenGL can draw in one call. Layers of a batch need not be
/// adjacent if the result is the same.
///
/// - Concurrency: render thread. Keeps its storage from frame to frame.
struct LayerBatcher {
    /// The properties that all layers of a batch have in common.
    struct Key: Equatable {
        var object: ObjectIdentifier?
        var sampling = PicturePainter.Sampling.exactAll
        var alpha = PictureAlpha.opaque
        var style = InstanceStyle()
        var blendMode = BlendMode.normal
    }

    /// The layers that are drawn by one call.
    struct Batch {
        var key: Key
        /// The index of the first layer.
        var first: Int
        var last: Int
        var count = 1
        var isOpaque: Bool
        /// The rectangle around all layers of the batch.
        var region: LayerRect
    }

    /// The maximum number of earlier batches that are compared with a layer to find one that it may
    /// join.
    private static let reach = 8

    private(set) var batches: [Batch] = []
    /// For each layer, the index of the next layer in the same batch; -1 for the last one.
    private(set) var next: [Int] = []

    /// Groups layers into batches.
    ///
    /// - Parameter isLinear: true if the target contains linear light.
    mutating func sort(_ drawables: [LayerDrawable], isLinear: Bool) {
        batches.removeAll(keepingCapacity: true)
        next.removeAll(keepingCapacity: true)
        for index in drawables.indices {
            next.append(-1)
            let key = Self.key(of: drawables[index], isLinear: isLinear)
            // A layer is drawn alone if it must read its backdrop, is copied, or is filtered in
            // separate passes.
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

    /// Returns the batch that a layer may join. No layer that is drawn in between may touch the
    /// layer's pixels.
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
