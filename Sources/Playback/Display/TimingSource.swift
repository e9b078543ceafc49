// SPDX-License-Identifier: Apache-2.0

/// Where the times of vsyncs come from, so that every figure about timing says how it was measured.
///
/// The raw value is the word that reports use (`timing_source` in `--stats-json`, the HUD).
public enum TimingSource: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The X server's Present extension: the vsync's own time and count.
    case xPresent = "x-present"
    /// A timer at the display's nominal rate: real time, but not the display's phase.
    case timer
    /// A display that exists in the program only, on a clock that the program moves.
    case simulated
    /// Ticks given one by one by the program.
    case manual

    /// Whether vsyncs are stamped in the time of the machine's own clock.
    package var isRealTime: Bool { self == .xPresent || self == .timer }
}
