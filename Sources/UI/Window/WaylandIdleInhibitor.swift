// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import CPlayheadWayland

/// Keeps on the monitors that show a window of Wayland.
///
/// - Concurrency: the main thread, until the last reference is released on any thread.
/// - Lifetime: the window's surface has to exist until the object is released.
/// - Corresponds to: the protocol idle-inhibit, `zwp_idle_inhibitor_v1`.
final class WaylandIdleInhibitor: @unchecked Sendable {
    // Unchecked: a constant. The C functions are called on the main thread, and by `deinit`.
    private let handle: OpaquePointer

    /// Connects to the compositor; nil if the window is not one of Wayland, or if the compositor
    /// has no such protocol.
    @MainActor init?(of window: OpaquePointer) {
        guard WindowSystem.isWayland, let display = ph_wayland_display(),
            let surface = ph_wayland_surface(window),
            let handle = ph_idle_create(display, surface)
        else { return nil }
        self.handle = OpaquePointer(handle)
    }

    deinit { ph_idle_destroy(UnsafeMutablePointer(handle)) }

    /// Sets whether the monitors stay on. A window that is not visible has no effect.
    @MainActor func set(_ isOn: Bool) { ph_idle_inhibit(UnsafeMutablePointer(handle), isOn) }
}
