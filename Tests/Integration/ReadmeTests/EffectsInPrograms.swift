// SPDX-License-Identifier: Apache-2.0

import PlayheadAtlas
import PlayheadUI

// The code of Documentation/Effects.md, so that it compiles; a test holds both equal.

func showTile(of output: PlayerVideoOutput) throws -> Layer {
    // document begins
    let atlas = try TextureAtlas(contentsOf: "loops.json")
    let layer = Layer(.video(output), contentsRect: atlas.contentsRect(of: atlas.tiles[2]))
    // document ends
    return layer
}

func grade(_ output: PlayerVideoOutput) throws -> Layer {
    // document begins
    let grade = try ["exposure", "hue_curve", "vignette"].map {
        EffectInstance(try EffectLibrary.load($0))
    }
    try grade[0].set(.float(0.5), for: "stops")
    let layer = Layer(.video(output), effects: grade)
    // document ends
    return layer
}

func lead(
    from a: PlayerVideoOutput, to b: PlayerVideoOutput, by wipe: EffectInstance, now: MediaTime,
    oneSecond: MediaTime
) -> Layer {
    // document begins
    let transition = LayerTransition(wipe, from: Layer(.video(a)), to: Layer(.video(b)))
    var layer = Layer(.transition(transition))
    layer.animate(.progress([0, 1]), beginTime: now, duration: oneSecond)
    // document ends
    return layer
}
