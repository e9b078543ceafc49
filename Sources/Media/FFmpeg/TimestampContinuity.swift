// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Makes the timestamps of a stream go on where they begin anew in the middle: recordings that were
/// put one behind the other, or a broadcast that changes its source.
///
/// What comes first of the new timeline, of any track, follows on what was shown and heard before,
/// and all other tracks are moved by as much, so that they stay together. Each track is moved at
/// its own first packet of the new timeline: at a joint, the last of one track come after the first
/// of another. A packet whose timestamp alone is wrong is moved too, and the one after it back
/// again.
///
/// A gap is left as it is: nothing tells a loss of reception from a new timeline. Only a leap ahead
/// of hours is none, but a step back that FFmpeg has taken for an overflow of the 33 bits that
/// there are for timestamps; a true one it has undone.
///
/// It holds from one seek to the next, which goes by the file's own timestamps: where they come
/// twice, to one of the two places, and from there on times are the file's again up to the next
/// joint.
///
/// - Concurrency: the demuxer's thread only.
struct TimestampContinuity {
    /// Decoding times of a track do not step back at all; damaged ones do a little.
    private static let stepLimit = MediaTime(value: 1, timescale: 1)
    /// How far behind its end a track may go on with a timeline that another has begun.
    private static let gapLimit = MediaTime(value: 10, timescale: 1)
    /// Half of what 33 bits hold at 90 kHz: nearer from the other side.
    private static let leapLimit = MediaTime(value: 1 << 32, timescale: 90_000)

    private struct Track {
        /// What is added to its timestamps, and what was before that.
        var offset = MediaTime.zero
        var offsetBefore = MediaTime.zero
        /// When its newest packet is decoded and when the last of them ends, both on our timeline.
        var last = MediaTime.invalid
        var end = MediaTime.invalid
    }

    private var tracks: [Int: Track] = [:]
    /// That of the newest timeline.
    private var newestOffset = MediaTime.zero
    /// Where the newest packet of any track lies.
    private var position = MediaTime.invalid

    /// Whether times are other than the file's own.
    var isMoving: Bool { newestOffset != .zero || tracks.values.contains { $0.offset != .zero } }

    /// What has to be added to the times of the next packet.
    ///
    /// - Parameter isContinuous: whether packets of its track follow closely on each other, as
    ///   pictures and sound do; others only go where those have gone.
    mutating func offset(of packet: MediaPacket, isContinuous: Bool) -> MediaTime {
        var track = tracks[packet.trackID] ?? Track()
        let time = packet.decodeTime
        guard time.isNumeric else { return track.offset }
        if isContinuous, track.last.isNumeric {
            if let offset = change(at: packet, of: track) {
                track.offsetBefore = track.offset
                track.offset = offset
                newestOffset = offset
            }
        } else if position.isNumeric {
            let candidates = [track.offset, newestOffset]
            let distances = candidates.map { (time + $0 - position).magnitude }
            if distances[1] < distances[0] { track.offset = newestOffset }
        }
        position = time + track.offset
        if isContinuous {
            track.last = position
            let end = packet.end + track.offset
            if end.isNumeric { track.end = track.end.isNumeric ? max(track.end, end) : end }
        }
        tracks[packet.trackID] = track
        return track.offset
    }

    /// Forgets where the tracks have got to, but not how they are moved: what comes next is another
    /// variant of the same, from another place.
    mutating func forgetPlaces() {
        for id in tracks.keys { tracks[id]?.last = .invalid }
    }

    /// The offset of the timeline to which a packet belongs, if not to its track's present one.
    private func change(at packet: MediaPacket, of track: Track) -> MediaTime? {
        let time = packet.decodeTime
        let step = time + track.offset - track.last
        if step.magnitude <= Self.stepLimit { return nil }
        let hasSteppedBack = step < .zero || step > Self.leapLimit
        for known in [newestOffset, track.offsetBefore] where known != track.offset {
            let step = time + known - track.last
            let limit = hasSteppedBack && known == newestOffset ? Self.gapLimit : Self.stepLimit
            if step >= .zero - Self.stepLimit, step <= limit { return known }
        }
        guard hasSteppedBack else { return nil }
        // Behind everything that belongs to where this track ends: sound and pictures do not end at
        // once.
        let end = track.end.isNumeric ? track.end : track.last
        let ends = tracks.values.map(\.end).filter {
            $0.isNumeric && ($0 - end).magnitude <= Self.stepLimit
        }
        let start = packet.presentationTime.isNumeric ? packet.presentationTime : time
        return (ends.max() ?? end) - start
    }
}
