// SPDX-License-Identifier: Apache-2.0

import PlayheadAtlas
import PlayheadUI

// The code of Documentation/Effects.md; a test compares the two.

private struct EffectPrograms {
    // document begins
    struct Graded {
        @MainActor static func main() throws {
            let grade = try ["exposure", "hue_curve", "vignette"].map {
                EffectInstance(try EffectLibrary.load($0))
            }
            try grade[0].set(.float(0.5), for: "stops")
            let window = try PlayerWindow(asset: URLAsset(CommandLine.arguments[1]), effects: grade)
            window.player.play()
            MainLoop.shared.run()
        }
    }
    // document ends

    // document begins
    /// A layer that shows `a`, then `b`, with a transition of one second that starts now.
    func transitionLayer(
        from a: PlayerItemVideoOutput, to b: PlayerItemVideoOutput, effect path: String
    ) throws -> Layer {
        let wipe = EffectInstance(try EffectLibrary.load(path))
        let transition = LayerTransition(wipe, from: Layer(.video(a)), to: Layer(.video(b)))
        var layer = Layer(.transition(transition))
        layer.animate(
            .progress([0, 1]), beginTime: HostClock.shared.time,
            duration: MediaTime(value: 1, timescale: 1))
        return layer
    }
    // document ends

    // document begins
    /// A layer that shows one tile of an atlas. `manifest` is the path of its JSON file,
    /// and `output` an output of its video.
    func tileLayer(
        _ index: Int, of manifest: String, output: PlayerItemVideoOutput
    ) throws -> Layer {
        let atlas = try TextureAtlas(contentsOf: manifest)
        return Layer(.video(output), contentsRect: atlas.contentsRect(of: atlas.tiles[index]))
    }
    // document ends
}
