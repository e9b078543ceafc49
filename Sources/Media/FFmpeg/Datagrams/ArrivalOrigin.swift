// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An estimate of the host time at which media at time zero of a transport stream arrives, if it
/// arrives as early as other media.
///
/// The estimate of a track is that of the packet with the shortest delay within some seconds,
/// because delays vary and only the shortest ones are steady. The latest of these estimates applies
/// to all tracks, so that the packets of each track have arrived when they are due.
///
/// - Concurrency: a value.
struct ArrivalOrigin {
    private struct Track {
        var minimum: MediaTime
        var previousMinimum: MediaTime?
        var start: MediaTime
    }

    private var tracks: [Int: Track] = [:]

    /// The duration after which a minimum is measured again. The previous one counts that much
    /// longer.
    private static let span = MediaTime(value: 5, timescale: 1)

    /// Returns the time of the media of a track that arrives at a host time, if it arrives as early
    /// as other media of the track; nil if no packet of the track has been recorded.
    func time(ofTrack number: Int, at hostTime: MediaTime) -> MediaTime? {
        tracks[number].map { hostTime - min($0.minimum, $0.previousMinimum ?? $0.minimum) }
    }

    /// Records a packet, and returns the estimate.
    mutating func note(
        _ time: MediaTime, ofTrack number: Int, at hostTime: MediaTime
    ) -> MediaTime {
        let origin = hostTime - time
        var track = tracks[number] ?? Track(minimum: origin, start: hostTime)
        if hostTime - track.start >= Self.span {
            track = Track(minimum: origin, previousMinimum: track.minimum, start: hostTime)
        }
        track.minimum = min(track.minimum, origin)
        tracks[number] = track
        return tracks.values.map { min($0.minimum, $0.previousMinimum ?? $0.minimum) }.max()
            ?? origin
    }
}

extension FormatContext {
    /// The delay of video and audio after their arrival. Audio arrives in groups of frames, and
    /// decoders and devices need some of it ahead.
    private static let videoDelay = MediaTime(value: 1, timescale: 20)
    private static let audioDelay = MediaTime(value: 3, timescale: 10)

    /// Returns the monitor of a live source; nil for media that is loaded ahead.
    func arrivalMonitor(of description: AssetDescription) -> ArrivalMonitor? {
        if camera != nil { return ArrivalMonitor() }
        guard arriving != nil else { return nil }
        let hasAudio = !description.tracks(of: .audio).isEmpty
        return ArrivalMonitor(delay: hasAudio ? Self.audioDelay : Self.videoDelay)
    }
}
