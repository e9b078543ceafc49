// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// One call of a display link: which vsync has passed, and for which one to draw.
///
///     |-- timestamp ------------ now: drawing ------ targetTimestamp --|
///       vsync `sequence`                             vsync `sequence + 1`
///
/// - Corresponds to: the properties of `CADisplayLink` during its callback; `CVTimeStamp`.
public struct DisplayTick: Sendable, Hashable {
    /// Host time of the last vsync.
    public var timestamp: MediaTime
    /// Host time at which what is drawn now will be seen: the time to ask a player's output for.
    public var targetTimestamp: MediaTime
    /// The estimated time from one vsync to the next.
    public var duration: MediaTime
    /// The count of the vsync at `timestamp`. It grows by one a vsync, so a gap between two ticks
    /// is that many vsyncs missed, or passed while the link was paused.
    public var sequence: Int64
    /// Where these times come from.
    public var source: TimingSource
    /// Host time of the last vsync as the display itself told it, for the record: `timestamp` is what
    /// lies behind such reports, which are late now and then. Nil where there was none.
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

    /// The vsync in which something due at `hostTime` should be seen first: the earliest one that
    /// is not before it. For a picture drawn in this tick this is `targetTimestamp`, or an earlier
    /// vsync if the picture comes late.
    ///
    /// Estimated times move by microseconds from tick to tick, so a vsync less than a fiftieth of
    /// a period before `hostTime` counts as not before it.
    package func slot(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let due = hostTime.nanoseconds, let target = targetTimestamp.nanoseconds,
            let period = duration.nanoseconds, period > 0
        else { return targetTimestamp }
        let early = target - due + period / 50
        let vsyncs = early >= 0 ? early / period : -((-early + period - 1) / period)
        return MediaTime(nanoseconds: target - vsyncs * period)
    }
}
