// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// How far a track has been read from an asset since it was last moved to.
struct PacketProgress: Sendable {
    /// How much of a track there is.
    enum Extent: Sendable, Equatable {
        case unknown
        /// A single picture for all of the film.
        case still
        /// Samples up to this time.
        case end(MediaTime)

        init(_ track: AssetTrack, isPrecise: Bool) {
            let end = track.timeRange.end
            self =
                track.isAttachedPicture ? .still : isPrecise && end.isNumeric ? .end(end) : .unknown
        }
    }

    /// Ends of tracks are rounded in containers, and decoders' delays are in some and not in others.
    private static let tolerance = MediaTime(value: 1, timescale: 4)

    var extent = Extent.unknown
    /// Where it has been read up to: everything before can be decoded. `invalid` at first, and where
    /// packets do not tell.
    private(set) var end = MediaTime.invalid
    /// Where that began.
    private(set) var start = MediaTime.invalid
    private(set) var byteCount = 0
    private(set) var count = 0

    /// Whether there is nothing more to come.
    var isComplete: Bool {
        switch extent {
        case .unknown: false
        case .still: count > 0
        case .end(let time): end.isNumeric && end + Self.tolerance >= time
        }
    }

    /// Bytes a second of media; nil where too little has been read to tell.
    var byteRate: Double? {
        guard end.isNumeric, start.isNumeric else { return nil }
        let seconds = (end - start).seconds
        return seconds >= 0.2 ? Double(byteCount) / seconds : nil
    }

    mutating func note(_ packet: MediaPacket) {
        count += 1
        byteCount += packet.byteCount
        let time = packet.time
        guard time.isNumeric else { return }
        let packetEnd = packet.duration.isNumeric ? time + packet.duration : time
        if !start.isNumeric { start = time }
        end = end.isNumeric ? max(end, packetEnd) : packetEnd
    }

    mutating func restart() {
        end = .invalid
        start = .invalid
        byteCount = 0
        count = 0
    }
}
