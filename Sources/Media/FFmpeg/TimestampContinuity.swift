// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A filter that makes the timestamps of a stream continuous if they restart in the middle, as in
/// concatenated recordings or a broadcast that changes its source.
///
/// The first packet of the new timeline, in whichever track it is, is placed at the end of the
/// previous timeline. All other tracks get the same offset, so that they stay in sync. The offset
/// of each track changes at the track's own first packet of the new timeline, because at a joint
/// the last packets of one track follow the first packets of another. If a single packet has a
/// wrong timestamp, the offset changes at that packet too, and changes back at the next packet.
///
/// Gaps are preserved, because a loss of reception cannot be distinguished from a new timeline,
/// unless a playlist states a discontinuity there. A jump of many hours forwards is not preserved
/// either. It is in fact a step back that FFmpeg has treated as an overflow of the 33-bit
/// timestamps. FFmpeg has already corrected real overflows.
///
/// The offsets apply until the next seek, which uses the timestamps of the file. If a timestamp
/// occurs twice in the file, the seek leads to one of the two positions, and times are those of the
/// file until the next joint. In playlists with discontinuities, a seek finds the segment, and
/// begins with its offset.
///
/// - Concurrency: the demuxer's thread only.
struct TimestampContinuity {
    /// The minimum step back that counts as a new timeline. Decode times never decrease, except
    /// slightly in damaged files.
    private static let stepLimit = MediaTime(value: 1, timescale: 1)
    /// The maximum distance from the end of a track to the start of another track's new timeline.
    /// If it is longer, the track does not join that timeline.
    private static let gapLimit = MediaTime(value: 10, timescale: 1)
    /// Half of the range of 33 bits at 90 kHz. A larger step forwards is treated as a step back.
    private static let leapLimit = MediaTime(value: 1 << 32, timescale: 90_000)

    /// The maximum time from the end of the video to that of the audio, whose frames have another
    /// duration.
    private static let overhang = MediaTime(value: 50, timescale: 1000)

    private struct Track {
        /// The current offset of the timestamps, and the previous offset.
        var offset = MediaTime.zero
        var offsetBefore = MediaTime.zero
        /// The decode time of the newest packet, and the latest end of any packet, with the offset
        /// applied.
        var last = MediaTime.invalid
        var end = MediaTime.invalid
    }

    private var tracks: [Int: Track] = [:]
    /// The offset with which tracks begin.
    private let firstOffset: MediaTime
    /// The offset of the newest timeline.
    private var newestOffset: MediaTime
    /// The decode time of the newest packet of any track, with the offset applied.
    private var position = MediaTime.invalid

    /// - Parameter offset: The offset of the first packets of all tracks.
    init(offset: MediaTime = .zero) {
        firstOffset = offset
        newestOffset = offset
    }

    /// Returns the offset of the last packet of a track.
    func offset(ofTrack id: Int) -> MediaTime { tracks[id]?.offset ?? firstOffset }

    /// A Boolean value that indicates whether times differ from those of the file.
    var isMoving: Bool { newestOffset != .zero || tracks.values.contains { $0.offset != .zero } }

    /// Returns the offset of the next packet.
    ///
    /// - Parameters:
    ///   - isContinuous: A Boolean value that indicates whether the packets of the track follow
    ///     each other closely, as those of video and audio do. If not, the track only adopts the
    ///     offsets of tracks whose packets do.
    ///   - joint: Returns the time near another one at which a new timeline is stated to begin.
    mutating func offset(
        of packet: MediaPacket, isContinuous: Bool,
        joint: (MediaTime) -> MediaTime? = { _ in nil }
    ) -> MediaTime {
        var track =
            tracks[packet.trackID] ?? Track(offset: firstOffset, offsetBefore: firstOffset)
        let time = packet.decodeTime
        guard time.isNumeric else { return track.offset }
        if isContinuous, track.last.isNumeric {
            if let offset = change(at: packet, of: track, joint) {
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

    /// Clears the positions of the tracks and keeps their offsets. This is for the case that the
    /// next packets come from another variant of the stream, at another position.
    mutating func forgetPlaces() {
        for id in tracks.keys { tracks[id]?.last = .invalid }
    }

    /// Returns the offset of a packet's timeline; nil if it is the current offset of the packet's
    /// track.
    private func change(
        at packet: MediaPacket, of track: Track, _ joint: (MediaTime) -> MediaTime?
    ) -> MediaTime? {
        let time = packet.decodeTime
        let step = time + track.offset - track.last
        if step.magnitude <= Self.stepLimit { return nil }
        let joint = joint(track.last)
        let isNewTimeline = step < .zero || step > Self.leapLimit || joint != nil
        for known in [newestOffset, track.offsetBefore] where known != track.offset {
            let step = time + known - track.last
            let limit = isNewTimeline && known == newestOffset ? Self.gapLimit : Self.stepLimit
            if step >= .zero - Self.stepLimit, step <= limit { return known }
        }
        guard isNewTimeline else { return nil }
        // The new timeline begins after the latest of these ends, because audio and video do not
        // end at the same time.
        let end = track.end.isNumeric ? track.end : track.last
        let ends = tracks.values.map(\.end).filter {
            $0.isNumeric && ($0 - end).magnitude <= Self.stepLimit
        }
        let start = packet.presentationTime.isNumeric ? packet.presentationTime : time
        let latest = ends.max() ?? end
        // What audio is longer than the video does not add up if a joint is stated.
        guard let joint, (joint - latest).magnitude <= Self.overhang else { return latest - start }
        return joint - start
    }
}
