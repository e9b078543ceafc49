// SPDX-License-Identifier: Apache-2.0

/// The source of vsync times. It shows how the timing statistics were measured.
///
/// The raw value is used in reports (`timing_source` in `--stats-json`, and the on-screen
/// statistics).
public enum TimingSource: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The X server's Present extension, which reports the time and the number of the vsync itself.
    case xPresent = "x-present"
    /// A Wayland compositor, which reports the times at which frames became visible. The vsyncs in
    /// between are calculated.
    case waylandPresentation = "wayland-presentation"
    /// A timer at the display's nominal rate. The times are real, but do not have the phase of the
    /// display.
    case timer
    /// A display that exists only in the program, with a clock that the program moves.
    case simulated
    /// Ticks that the program generates one by one.
    case manual

    /// A Boolean value that indicates whether the times of vsyncs are host times.
    package var isRealTime: Bool {
        switch self {
        case .xPresent, .waylandPresentation, .timer: true
        case .simulated, .manual: false
        }
    }
}
