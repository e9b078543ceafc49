// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The range of a track that has been read from an asset since the demuxer last moved.
struct PacketProgress: Sendable {
    /// The amount of media in a track.
    enum Extent: Sendable, Equatable {
        case unknown
        /// A single frame for the whole duration of the media.
        case still
        /// Samples up to this time.
        case end(MediaTime)

        init(_ track: AssetTrack, isPrecise: Bool) {
            let end = track.timeRange.end
            self =
                track.isAttachedPicture ? .still : isPrecise && end.isNumeric ? .end(end) : .unknown
        }
    }

    /// The tolerance for the ends of tracks. Containers round them, and may or may not include the
    /// delay of decoders.
    private static let tolerance = MediaTime(value: 1, timescale: 4)

    var extent = Extent.unknown
    /// The time up to which the track has been read, so that everything before it can be decoded.
    /// It is `invalid` at first, and if packets have no times.
    private(set) var end = MediaTime.invalid
    /// The start of the range that has been read.
    private(set) var start = MediaTime.invalid
    private(set) var byteCount = 0
    private(set) var count = 0

    /// A Boolean value that indicates whether the track has been read to its end, within the
    /// tolerance.
    var isComplete: Bool {
        switch extent {
        case .unknown: false
        case .still: count > 0
        case .end(let time): end.isNumeric && end + Self.tolerance >= time
        }
    }

    /// Returns whether no more packets will come if other tracks have been read to `front`, because
    /// containers store packets about in the order of their times.
    func isOver(whenOthersEndAt front: MediaTime?) -> Bool {
        switch extent {
        case .unknown: false
        case .still: isComplete
        case .end(let time): isComplete && front.map { $0 >= time } ?? false
        }
    }

    /// The number of bytes per second of media; nil if too little has been read.
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

extension MediaPacket {
    /// The decoding time, or the presentation time if the decoding time is unknown.
    var time: MediaTime { decodeTime.isNumeric ? decodeTime : presentationTime }
}
