// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// What has been read from an asset and not been decoded yet, of all tracks that play.
struct PacketLevel: Sendable, Equatable {
    /// A track that plays.
    struct Track {
        var id: Int
        var progress: PacketProgress
        /// Whether its reader waits.
        var isDry: Bool
        /// Whether the others play without it for now.
        var isPassedOver: Bool
    }

    /// Up to where all tracks have been read; `invalid` where one of them has nothing yet,
    /// `indefinite` where packets do not say.
    var end = MediaTime.invalid
    /// Of packets that wait to be decoded.
    var byteCount: Int
    /// Bytes a second of media, of all tracks; nil where too little is known.
    var byteRate: Double?
    /// Whether reading rests.
    var isFull: Bool
    /// Whether all has been read.
    var hasEnded: Bool
    /// Tracks whose readers wait, and more is to come.
    var dryTracks: Set<Int> = []
    var tracksPassedOver: Set<Int> = []

    init(_ tracks: [Track], byteCount: Int, isFull: Bool, hasEnded: Bool) {
        self.byteCount = byteCount
        self.isFull = isFull
        self.hasEnded = hasEnded
        tracksPassedOver = Set(tracks.filter(\.isPassedOver).map(\.id))
        let coming = tracks.filter { !$0.isPassedOver && !$0.progress.isComplete }
        if hasEnded || coming.isEmpty {
            // The last to come to its end says where all do.
            end = tracks.map(\.progress.end).filter(\.isNumeric).max() ?? .invalid
        } else {
            dryTracks = Set(coming.filter(\.isDry).map(\.id))
            let ends = coming.map(\.progress.end).filter(\.isNumeric)
            let isBegun = coming.allSatisfy { $0.progress.count > 0 }
            end = isBegun ? ends.min() ?? .indefinite : .invalid
        }
        let rates = tracks.compactMap(\.progress.byteRate)
        if !rates.isEmpty { byteRate = rates.reduce(0, +) }
    }
}
