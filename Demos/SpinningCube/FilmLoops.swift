// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// The videos of the game. Each of them loops.
@MainActor final class FilmLoops {
    let players: [QueuePlayer]
    private let loopers: [PlayerLooper]
    private let waiting: [WaitingPlayer]
    let outputs: [PlayerVideoOutput]

    /// Creates the loops.
    ///
    /// - Parameter names: paths and URLs, at most six. If it is empty, the built-in clip is used.
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

    /// With a manual clock, waits until the current frames have been decoded.
    func wait() throws { for player in waiting { try player.wait() } }
}
