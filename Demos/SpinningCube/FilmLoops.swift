// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// The videos of the game, each in a loop.
@MainActor final class FilmLoops {
    let players: [QueuePlayer]
    private let loopers: [PlayerLooper]
    private let waiting: [WaitingPlayer]
    let outputs: [PlayerVideoOutput]

    /// Creates the loops.
    ///
    /// - Parameter names: paths and URLs, six at most; empty for the built-in clip.
    init(_ names: [String], clock: any MediaClock) {
        let assets = names.isEmpty ? [Films.builtIn] : names.prefix(6).map { URLAsset($0) }
        players = assets.map { _ in QueuePlayer(audioSink: nil, masterClock: clock) }
        waiting = players.map { WaitingPlayer($0) }
        outputs = players.map { PlayerVideoOutput(player: $0) }
        loopers = zip(players, assets).map {
            PlayerLooper(player: $0, templateItem: PlayerItem(asset: $1))
        }
    }

    func play() { for player in players { player.play() } }

    /// The error of a video that cannot be played.
    var failure: MediaError? { waiting.lazy.compactMap(\.failure).first }

    /// Waits until the present frames have been decoded, on a manual clock.
    func wait() throws { for player in waiting { try player.wait() } }
}
