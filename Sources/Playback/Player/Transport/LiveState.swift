// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The part of the transport that follows the window of a live stream.
///
/// - Concurrency: a value.
struct LiveState: Sendable {
    /// The window; nil if the asset is not a live stream.
    private(set) var window: LiveWindow?
    /// The distance from the live edge that was set; `invalid` if the recommended one applies.
    private(set) var configuredOffset = MediaTime.invalid
    /// A Boolean value that indicates whether the distance from the live edge is restored after a
    /// stall.
    private(set) var preservesOffset = false
    /// The distance of the playhead from the live edge when the window last moved during playback;
    /// nil if the playhead has been moved since.
    private(set) var playedOffset: MediaTime?

    /// The distance of the playhead from the oldest segment up to which it counts as being within
    /// the window, because the times of segments are rounded.
    private static let rounding = MediaTime(value: 1, timescale: 100)
    /// The increase of the distance from the live edge that is not worth a jump.
    private static let smallLoss = MediaTime(value: 1, timescale: 2)

    /// The distance from the live edge at which playback begins.
    var offset: MediaTime {
        configuredOffset.isNumeric
            ? max(configuredOffset, .zero) : window?.recommendedOffset ?? .invalid
    }

    /// The distance from the present of a source that is followed as it arrives; `invalid` if the
    /// one that suits the source applies.
    var arrivalOffset: MediaTime {
        configuredOffset.isNumeric ? max(configuredOffset, .zero) : .invalid
    }

    /// The delay of the playhead of a low-latency stream beyond its offset from the live edge, when
    /// the window has just moved; nil unless the offset is preserved. The duration of a part, which
    /// the window moves at once, does not count.
    var loss: MediaTime? {
        guard preservesOffset, let part = window?.partTarget, position != nil, let playedOffset
        else { return nil }
        return max(playedOffset - offset - part, .zero)
    }

    /// The time at which a live stream is played: the live edge minus `offset`; nil if there is no
    /// live edge.
    var position: MediaTime? {
        guard let window, !window.hasEnded else { return nil }
        return max(window.range.end - offset, window.range.start)
    }

    /// The time at which playback begins because an offset was set; nil without a set offset.
    var configuredStart: MediaTime? { configuredOffset.isNumeric ? position : nil }

    /// The time at which playback of a low-latency stream begins unless another one was set or
    /// stated; nil for other streams, which begin with a segment.
    var preciseStart: MediaTime? { window?.partTarget == nil ? nil : position }

    /// Returns the maximum duration that playback of a low-latency stream waits for: what is loaded
    /// at least if the playhead is `offset` before the live edge, or half the distance of a
    /// playhead that is further behind. Returns nil for other streams.
    func reachableLevel(from playhead: MediaTime) -> MediaTime? {
        guard let window, let part = window.partTarget, position != nil else { return nil }
        let distance = playhead.isNumeric ? window.range.end - playhead : .zero
        return max(offset - part, part, distance * 0.5)
    }

    /// Returns the time to which a requested seek moves. A time before the window becomes its
    /// beginning, and a time at or after the live edge becomes `position`. Returns nil if the time
    /// is not numeric and there is no live edge.
    func target(of time: MediaTime) -> MediaTime? {
        guard let window else { return time.isNumeric ? time : nil }
        guard time.isNumeric else { return time.isPositiveInfinity ? position : nil }
        if let position, time >= window.range.end { return position }
        return min(max(time, window.range.start), window.range.end)
    }

    /// Returns the beginning of the window if playback is to continue at a time that the window no
    /// longer contains.
    func returnTarget(from time: MediaTime) -> MediaTime? {
        guard let window, time < window.range.start - Self.rounding else { return nil }
        return window.range.start
    }

    /// Returns the beginning of the window if playback is to continue after a stall at a time that
    /// the window no longer contains, and the frames after that time are gone.
    ///
    /// - Parameter next: The beginning of the next frame.
    func returnTarget(from time: MediaTime, next: MediaTime) -> MediaTime? {
        returnTarget(from: time).flatMap { next < $0 - Self.rounding ? nil : $0 }
    }

    /// Returns the time at which playback continues after a stall to keep its distance from the
    /// live edge; nil to continue at `time`.
    func preservedTarget(from time: MediaTime) -> MediaTime? {
        guard preservesOffset, let window, !window.hasEnded, let playedOffset else { return nil }
        let target = max(window.range.end - playedOffset, window.range.start)
        return target - time > Self.smallLoss ? target : nil
    }

    /// Takes the current window.
    ///
    /// - Parameter playhead: The time of the playhead if the timeline is running.
    mutating func note(_ window: LiveWindow, playhead: MediaTime?) {
        self.window = window
        if let playhead { playedOffset = window.range.end - playhead }
    }

    mutating func setConfiguredOffset(_ offset: MediaTime) { configuredOffset = offset }
    mutating func setPreservesOffset(_ preserves: Bool) { preservesOffset = preserves }
    mutating func forgetPlayedOffset() { playedOffset = nil }
}
