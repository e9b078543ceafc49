// SPDX-License-Identifier: Apache-2.0

/// The source of vsync times, which states how the figures about timing were measured.
///
/// The raw value is the word in reports (`timing_source` in `--stats-json`, the on-screen
/// statistics).
public enum TimingSource: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The X server's Present extension: the time and number of the vsync itself.
    case xPresent = "x-present"
    /// A timer at the display's nominal rate: real time, but not the display's phase.
    case timer
    /// A display that exists only in the program, on a clock that the program moves.
    case simulated
    /// Ticks that the program makes one by one.
    case manual

    /// A Boolean value that indicates whether vsyncs have times of the host clock.
    package var isRealTime: Bool { self == .xPresent || self == .timer }
}
