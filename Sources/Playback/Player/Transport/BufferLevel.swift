// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// An estimate of whether playback will keep up with loading. It has hysteresis.
///
/// If media loads more slowly than it plays, the loaded part must last until the rest has arrived.
/// With R seconds left to load, f seconds that load per second, and s seconds that are played per
/// second, the loaded part must be at least R × (s / f − 1) seconds long. Once it is, playback
/// counts as likely to keep up, until hardly any loaded media is left. The required length is
/// limited to `longest`: if that is not enough, playback stalls more than once anyway. If no data
/// arrives at all, waiting is useless, and the loaded part is played. Near the live edge of a
/// low-latency stream, the required length is at most what its distance from the edge allows.
///
/// - Concurrency: a value.
/// - Corresponds to: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
struct BufferLevel: Sendable, Equatable {
    /// The state of the buffer at one moment.
    struct Reading: Sendable {
        /// The loaded duration ahead of the playhead, in media time. It is not numeric if packets
        /// have no times.
        var loaded: MediaTime
        /// The duration that is left to load after the loaded duration; nil for live streams.
        var remaining: MediaTime?
        /// The maximum duration that is loaded ahead.
        var capacity: MediaTime
        /// The duration that can be loaded before the live edge of a low-latency stream; nil for
        /// others.
        var reachable: MediaTime?
        /// The number of bytes that arrive per second of waiting for data. It is infinite if no
        /// time is spent waiting, and nil if it is unknown.
        var bytesPerSecond: Double?
        /// The number of bytes per second of media; nil if it is unknown.
        var byteRate: Double?
        /// The number of seconds of media that are played per second, in either direction.
        var rate = 1.0
        /// A Boolean value that indicates whether the buffer is full.
        var isFull = false
        /// A Boolean value that indicates whether everything is loaded.
        var isComplete = false
        /// A Boolean value that indicates whether no data has arrived for a long time, although the
        /// reader waits for data.
        var isSilent = false
    }

    /// The loaded duration that is required to start, at rate 1, in seconds.
    static let shortest = 1.0
    /// The maximum loaded duration that playback waits for, at rate 1, in seconds.
    static let longest = 10.0
    /// The loaded duration, at rate 1, in seconds, below which playback is about to stall.
    static let lowest = 0.5
    /// The factor that is applied to the transfer rate, because networks are less steady than
    /// measurements suggest.
    static let safety = 0.9

    private(set) var isLikelyToKeepUp = false

    mutating func update(_ reading: Reading) {
        guard reading.loaded.isNumeric else {
            isLikelyToKeepUp = reading.isFull || reading.isComplete
            return
        }
        let loaded = reading.loaded.seconds
        if reading.isComplete || (reading.isFull && loaded > 0) || loaded >= reading.needed {
            isLikelyToKeepUp = true
        } else if loaded < reading.low {
            isLikelyToKeepUp = false
        }
    }
}

extension BufferLevel.Reading {
    private var speed: Double { max(rate.magnitude, 0.01) }

    /// The number of seconds of media that load while one second is played.
    private var gain: Double? {
        guard let bytesPerSecond else { return nil }
        if bytesPerSecond == .infinity { return .infinity }
        guard let byteRate, byteRate > 0 else { return nil }
        return bytesPerSecond / byteRate / speed * BufferLevel.safety
    }

    /// The number of seconds of media above which playback is likely to keep up.
    var needed: Double {
        let capacity = capacity.isNumeric ? capacity.seconds : .infinity
        let reachable = reachable?.seconds ?? .infinity
        let longest = min(BufferLevel.longest * speed, capacity, reachable)
        let shortest = min(BufferLevel.shortest * speed, longest)
        if isSilent { return shortest }
        guard let gain else { return longest }
        if gain >= 1 { return shortest }
        guard let remaining, remaining.isNumeric, gain > 0 else { return longest }
        return min(max(remaining.seconds * (1 / gain - 1), shortest), longest)
    }

    /// The number of seconds of media below which playback is no longer likely to keep up.
    var low: Double { min(BufferLevel.lowest * speed, needed / 2) }
}
