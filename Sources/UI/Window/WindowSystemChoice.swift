// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc

/// The window system that the process uses, for sessions that have both.
package enum WindowSystemChoice: String, Sendable, CaseIterable {
    /// The window system of the session: Wayland if `XDG_SESSION_TYPE` says so.
    case automatic = "auto"
    /// X11; in a Wayland session, through XWayland.
    case x11
    /// Wayland, which needs GLFW 3.4.
    case wayland

    /// Selects the window system. Call it before the first window opens; later calls have no
    /// effect.
    ///
    /// - Throws: `WindowError.noDisplay` if GLFW supports X11 only, and this is Wayland.
    @MainActor package func select() throws(WindowError) {
        Self.selected = self
        guard self != .automatic else { return }
        guard ph_has_platforms() else {
            if self == .x11 { return }
            var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
            glfwGetVersion(&major, &minor, &revision)
            throw .noDisplay(
                reason: "Wayland needs GLFW 3.4, this is GLFW \(major).\(minor).\(revision)")
        }
        glfwInitHint(
            PH_GLFW_PLATFORM, self == .x11 ? PH_GLFW_PLATFORM_X11 : PH_GLFW_PLATFORM_WAYLAND)
    }

    @MainActor private static var selected = automatic

    /// Selects X11 if there is nowhere to look for a compositor of Wayland, unless a window system
    /// was selected. GLFW would look for one, and libwayland would print an error.
    @MainActor static func selectWithoutSession() {
        func isPath(_ name: String) -> Bool { getenv(name).map { $0.pointee == 0x2F } ?? false }
        guard selected == .automatic, ph_has_platforms(), !isPath("XDG_RUNTIME_DIR"),
            !isPath("WAYLAND_DISPLAY"), getenv("WAYLAND_SOCKET") == nil
        else { return }
        glfwInitHint(PH_GLFW_PLATFORM, PH_GLFW_PLATFORM_X11)
    }
}
