// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

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
}
