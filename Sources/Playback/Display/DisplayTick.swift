// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A call of a display link's callback, with the times of the last vsync and of the vsync to draw
/// for.
///
///     |-- timestamp ------------ now: drawing ------ targetTimestamp --|
///       vsync `sequence`                             vsync `sequence + 1`
///
/// - Corresponds to: the properties of `CADisplayLink` during its callback; `CVTimeStamp`.
public struct DisplayTick: Sendable, Hashable {
    /// The host time of the last vsync.
    public var timestamp: MediaTime
    /// The host time at which the frame that is drawn now will be visible. Use it to request a
    /// frame from a player's output.
    public var targetTimestamp: MediaTime
    /// The estimated time between two vsyncs.
    public var duration: MediaTime
    /// The number of the vsync at `timestamp`. It increases by one per vsync. If it increases by
    /// more than one from tick to tick, the vsyncs in between were missed, or passed while the link
    /// was paused.
    public var sequence: Int64
    /// The source of the times in this tick.
    public var source: TimingSource
    /// The host time of the last vsync as reported by the display; nil if there was no report. It
    /// is used in records only: reports are occasionally late, so `timestamp` is estimated from
    /// many of them.
    package var reportedTimestamp: MediaTime?

    package init(
        timestamp: MediaTime, targetTimestamp: MediaTime, duration: MediaTime, sequence: Int64,
        source: TimingSource, reportedTimestamp: MediaTime? = nil
    ) {
        self.timestamp = timestamp
        self.targetTimestamp = targetTimestamp
        self.duration = duration
        self.sequence = sequence
        self.source = source
        self.reportedTimestamp = reportedTimestamp
    }

    /// Returns the vsync at which an event due at `hostTime` should first be visible: the earliest
    /// vsync that is not before `hostTime`. For a frame that is drawn in this tick, this is
    /// `targetTimestamp`, or an earlier vsync if the frame is late.
    ///
    /// Estimated times vary by microseconds from tick to tick. Therefore a vsync also counts if it
    /// is less than a fiftieth of a period before `hostTime`.
    package func slot(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let due = hostTime.nanoseconds, let target = targetTimestamp.nanoseconds,
            let period = duration.nanoseconds, period > 0
        else { return targetTimestamp }
        let early = target - due + period / 50
        let vsyncs = early >= 0 ? early / period : -((-early + period - 1) / period)
        return MediaTime(nanoseconds: target - vsyncs * period)
    }
}
