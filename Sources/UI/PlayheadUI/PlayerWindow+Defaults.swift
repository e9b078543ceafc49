// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadEffects
import PlayheadLayers
import PlayheadPlayback
public import PlayheadPlayerUI
public import PlayheadWindow

extension PlayerWindow {
    /// A window on the film at a URL, with sound where there is a sound server. Nothing plays by
    /// itself: call `player.play()`.
    public convenience init(url: URL, effects: [EffectInstance] = []) throws(WindowError) {
        try self.init(asset: URLAsset(url: url), effects: effects)
    }

    /// A window on an asset, with sound where there is a sound server.
    public convenience init(asset: Asset, effects: [EffectInstance] = []) throws(WindowError) {
        try self.init(
            player: Player(asset: asset), configuration: WindowConfiguration(title: "Playhead"),
            effects: effects, background: effects.isEmpty ? .black : .checkerboard()
        ) { URLAsset($0) }
    }
}
