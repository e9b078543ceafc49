// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The packets that have been read from an asset and not been decoded yet, of all tracks that play.
struct PacketLevel: Sendable, Equatable {
    /// A track that plays.
    struct Track {
        var id: Int
        var progress: PacketProgress
        /// A Boolean value that indicates whether the reader of the track waits.
        var isDry: Bool
        /// A Boolean value that indicates whether no more packets are expected.
        var isOver: Bool
        /// A Boolean value that indicates whether the other tracks currently play without this
        /// track.
        var isPassedOver: Bool
    }

    /// The time up to which all tracks have been read. It is `invalid` if a track has no packets
    /// yet, and `indefinite` if packets have no times.
    var end = MediaTime.invalid
    /// The total size of the packets that wait to be decoded, in bytes.
    var byteCount: Int
    /// The number of bytes per second of media, for all tracks; nil if too little is known.
    var byteRate: Double?
    /// A Boolean value that indicates whether reading is paused.
    var isFull: Bool
    /// A Boolean value that indicates whether everything has been read.
    var hasEnded: Bool
    /// The tracks whose readers wait while more packets are to come.
    var dryTracks: Set<Int> = []
    var tracksPassedOver: Set<Int> = []

    init(_ tracks: [Track], byteCount: Int, isFull: Bool, hasEnded: Bool) {
        self.byteCount = byteCount
        self.isFull = isFull
        self.hasEnded = hasEnded
        tracksPassedOver = Set(tracks.filter(\.isPassedOver).map(\.id))
        let coming = tracks.filter { !$0.isPassedOver && !$0.isOver }
        if hasEnded || coming.isEmpty {
            // The track that ends last determines the end.
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
