// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// A player with all tracks of a video enabled, and an output for each video track.
struct TracksPlayer {
    let item: PlayerItem
    let player: Player
    let outputs: [PlayerItemVideoOutput]

    init(_ film: TracksFilm, sink: any AudioSink, clock: any MediaClock) throws {
        let tracks = try AssetReader(asset: film.asset).description.tracks(of: .video)
        item = PlayerItem(asset: film.asset)
        outputs = tracks.map { PlayerItemVideoOutput(track: $0) }
        for output in outputs { item.add(output) }
        player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        let item = item
        try Self.wait("the item") { item.status != .unknown }
        for track in item.tracks { track.isEnabled = true }
        guard item.tracks.filter(\.isEnabled).count == TracksFilm.count * 2 else {
            throw CannotProve("tracks: not every track can be enabled")
        }
    }

    /// - Parameter interval: The time between two looks, in microseconds. Each takes a lock that the
    ///   threads of the player need.
    static func wait(
        _ name: String, interval: UInt32 = 200, _ condition: () -> Bool
    ) throws {
        let deadline = HostClock.nanoseconds + 120_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < deadline else {
                throw CannotProve("tracks: \(name) is late by two minutes")
            }
            usleep(interval)
        }
    }
}
