// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

// The README's loupe, so that it compiles; a test holds both equal.

func loupe(
    output: PlayerItemVideoOutput, renderer: VideoRenderer, target: RenderTarget, now: MediaTime
) {
    // README begins
    var loupe = Layer(.video(output))
    loupe.frame = .pixels(LayerRect(x: 200, y: 120, width: 160, height: 160))
    loupe.contentsRect = LayerRect(x: 0.4, y: 0.4, width: 0.05, height: 0.09)
    loupe.mask = .ellipse
    loupe.animate(
        .opacity([0, 1]), beginTime: now, duration: MediaTime(value: 1, timescale: 4))
    var scene = Scene(layers: [Layer(.video(output)), loupe])
    scene.sublayerTransform = .perspective(distance: 1200)
    _ = renderer.render(scene, hostTime: now, into: target)
    // README ends
}
