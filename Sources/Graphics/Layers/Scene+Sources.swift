// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension Scene {
    /// Calls `body` with the sources of all visible layers, from back to front. A source that
    /// several layers show is passed several times.
    package func forEachSource(_ body: (any PixelBufferSource) -> Void) {
        forEachVideo { source, _ in body(source) }
    }

    /// Calls `body` with each source and a layer that shows it.
    func forEachVideo(_ body: (any PixelBufferSource, Layer) -> Void) {
        for layer in layers { layer.forEachVideo(body) }
    }
}

extension Layer {
    fileprivate func forEachVideo(_ body: (any PixelBufferSource, Layer) -> Void) {
        guard !isHidden else { return }
        switch content {
        case .video(let source): body(source, self)
        case .transition(let transition):
            transition.from.forEachVideo(body)
            transition.to.forEachVideo(body)
        case .none, .image, .color, .generator: break
        }
        for sublayer in sublayers { sublayer.forEachVideo(body) }
        if case .layer(let mask) = mask { mask.forEachVideo(body) }
    }
}
