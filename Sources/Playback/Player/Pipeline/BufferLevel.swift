// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Whether playback will keep up with what comes in: a level with hysteresis.
///
/// While media comes in more slowly than it plays, what is loaded has to last until the rest has come:
/// with R seconds left to load, of which f come in each second, and s played, it does from
/// R × (s / f − 1) on. From there on playback is likely to keep up, and stays so until hardly anything
/// is left. Nobody waits for more than `longest`, though: where so much does not do, playback stops more
/// than once anyway. And where nothing comes at all there is nothing to wait for: what is there is played.
///
/// - Concurrency: a value.
/// - Corresponds to: `AVPlayerItem.isPlaybackLikelyToKeepUp`.
struct BufferLevel: Sendable, Equatable {
    /// What is known of the buffer at a moment.
    struct Reading: Sendable {
        /// How long what is loaded lasts, in media time from the playhead on; not numeric where
        /// packets have no times.
        var loaded: MediaTime
        /// How much there is to load after it; nil for streams without an end.
        var remaining: MediaTime?
        /// How much is loaded ahead at most.
        var capacity: MediaTime
        /// Bytes of media that come in each second that is waited for them; infinite from what makes
        /// nobody wait, nil where nothing is known.
        var bytesPerSecond: Double?
        /// Bytes of a second of media, likewise.
        var byteRate: Double?
        /// Seconds of media that are played in a second, in either direction.
        var rate = 1.0
        /// Whether no more fits.
        var isFull = false
        /// Whether no more is to come.
        var isComplete = false
        /// Whether nothing has come for long, although it is waited for.
        var isSilent = false
    }

    /// Less than this is not begun with, at rate 1.
    static let shortest = 1.0
    /// More than this is not waited for, at rate 1.
    static let longest = 10.0
    /// With less than this left, at rate 1, playback is about to stop.
    static let lowest = 0.5
    /// Networks are not as steady as they look.
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

    /// Seconds of media that come in while one is played.
    private var gain: Double? {
        guard let bytesPerSecond else { return nil }
        if bytesPerSecond == .infinity { return .infinity }
        guard let byteRate, byteRate > 0 else { return nil }
        return bytesPerSecond / byteRate / speed * BufferLevel.safety
    }

    /// Seconds of media from which on playback is likely to keep up.
    var needed: Double {
        let capacity = capacity.isNumeric ? capacity.seconds : .infinity
        let longest = min(BufferLevel.longest * speed, capacity)
        let shortest = min(BufferLevel.shortest * speed, longest)
        if isSilent { return shortest }
        guard let gain else { return longest }
        if gain >= 1 { return shortest }
        guard let remaining, remaining.isNumeric, gain > 0 else { return longest }
        return min(max(remaining.seconds * (1 / gain - 1), shortest), longest)
    }

    /// Seconds of media below which it is not.
    var low: Double { min(BufferLevel.lowest * speed, needed / 2) }
}
