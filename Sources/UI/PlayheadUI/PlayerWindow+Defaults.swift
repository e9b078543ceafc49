// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadEffects
import PlayheadLayers
import PlayheadPlayback
public import PlayheadPlayerUI
public import PlayheadWindow

extension PlayerWindow {
    /// Creates a window for the media at a URL, with audio if there is an audio server.
    ///
    /// The window opens with playback paused. Call `player.play()` to start it.
    public convenience init(url: URL, effects: [EffectInstance] = []) throws(WindowError) {
        try self.init(asset: URLAsset(url: url), effects: effects)
    }

    /// Creates a window for an asset, with audio if there is an audio server.
    public convenience init(asset: Asset, effects: [EffectInstance] = []) throws(WindowError) {
        try self.init(
            player: Player(asset: asset), configuration: WindowConfiguration(title: "Playhead"),
            effects: effects, background: effects.isEmpty ? .black : .checkerboard()
        ) { URLAsset($0) }
    }
}
