// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import CPlayheadWayland

/// The presentation of a window's frames by a Wayland compositor.
///
/// - Concurrency: each method says which thread calls it.
/// - Lifetime: the window's surface has to exist until the last call.
final class WaylandPresentation: @unchecked Sendable {
    // Unchecked: a constant. The C functions synchronise the threads that call them.
    private let handle: OpaquePointer

    /// Connects to the compositor; nil if the window is not one of Wayland, or if the compositor
    /// does not report presentation times.
    @MainActor init?(of window: OpaquePointer) {
        guard WindowSystem.isWayland, let display = ph_wayland_display(),
            let surface = ph_wayland_surface(window),
            let handle = ph_presentation_create(display, surface)
        else { return nil }
        self.handle = OpaquePointer(handle)
    }

    deinit { ph_presentation_destroy(pointer) }

    private var pointer: UnsafeMutablePointer<ph_presentation> { UnsafeMutablePointer(handle) }

    /// Requests the presentation time of the frame that is swapped next. The thread that swaps.
    func requestReport() { ph_presentation_request(pointer) }

    /// Returns the latest presentation time in nanoseconds of host time, and the time between
    /// vsyncs, which is 0 if it is not constant; nil if no frame was presented since the last
    /// call. The display link's thread.
    func takeReport() -> (time: Int64, refresh: Int64)? {
        var (time, refresh): (Int64, UInt32) = (0, 0)
        return ph_presentation_take(pointer, &time, &refresh) ? (time, Int64(refresh)) : nil
    }

    /// Waits for a report, for `wake`, or until the time has passed. The display link's thread.
    func wait(nanoseconds: Int64) { ph_presentation_wait(pointer, nanoseconds) }

    /// Ends all waits. Any thread.
    func wake() { ph_presentation_wake(pointer) }

    /// The compositor's object for the monitor of the last frame, for comparisons; nil before the
    /// first frame. Any thread.
    var output: UnsafeRawPointer? { UnsafeRawPointer(ph_presentation_output(pointer)) }

    /// The monitor of the last frame; nil before the first one. The main thread.
    @MainActor var monitor: OpaquePointer? {
        guard let output = ph_presentation_output(pointer) else { return nil }
        return WindowSystem.monitors.first { ph_wayland_output($0) == output }
    }
}
