// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension Scene {
    /// The sources of all layers in sight, from back to front; one that several show, several times.
    package func forEachSource(_ body: (any PixelBufferSource) -> Void) {
        for layer in layers { layer.forEachSource(body) }
    }
}

extension Layer {
    fileprivate func forEachSource(_ body: (any PixelBufferSource) -> Void) {
        guard !isHidden else { return }
        switch content {
        case .video(let source): body(source)
        case .transition(let transition):
            transition.from.forEachSource(body)
            transition.to.forEachSource(body)
        case .none, .image, .color, .generator: break
        }
        for sublayer in sublayers { sublayer.forEachSource(body) }
        if case .layer(let mask) = mask { mask.forEachSource(body) }
    }
}
