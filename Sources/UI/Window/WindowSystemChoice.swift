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
    /// - Throws: `WindowError.noDisplay` if GLFW does not support it.
    @MainActor package func select() throws(WindowError) {
        Self.selected = self
        guard self != .automatic else { return }
        let platform = self == .x11 ? PH_GLFW_PLATFORM_X11 : PH_GLFW_PLATFORM_WAYLAND
        guard ph_has_platform(platform) else { throw Self.isMissing(self) }
        if ph_has_platforms() { glfwInitHint(PH_GLFW_PLATFORM, platform) }
    }

    @MainActor private static var selected = automatic

    // MARK: The session

    /// Looks at the session before GLFW starts, and avoids what GLFW cannot handle.
    ///
    /// - Returns: A remark on what is missing; nil if nothing is.
    /// - Throws: `WindowError.noDisplay`
    @MainActor static func prepare() throws(WindowError) -> String? {
        guard ph_has_platforms(), ph_has_platform(PH_GLFW_PLATFORM_WAYLAND), selected != .x11,
            !isSet("WAYLAND_SOCKET")
        else { return nil }
        let hasX11 = selected == .automatic && isSet("DISPLAY")
        guard isPath("XDG_RUNTIME_DIR") || isPath("WAYLAND_DISPLAY") else {
            // There is nowhere to look for a compositor. GLFW would look for one, and libwayland
            // would print an error.
            if selected == .automatic && (hasX11 || !isSet("WAYLAND_DISPLAY")) {
                glfwInitHint(PH_GLFW_PLATFORM, PH_GLFW_PLATFORM_X11)
                return nil
            }
            throw .noDisplay(
                reason: "XDG_RUNTIME_DIR, the folder of Wayland's sockets, is not set; it is "
                    + "usually /run/user/\(getuid())")
        }
        if hasX11, value("XDG_SESSION_TYPE") == "x11" { return nil }
        // If there is no compositor, GLFW uses X11 or states the reason.
        guard let compositor = WaylandCompositor() else { return nil }
        guard compositor.hasSeat else {
            // GLFW 3.4 crashes (glfw#2517).
            guard hasX11 else {
                throw .noDisplay(
                    reason: "the Wayland compositor has no seat, that is, neither a keyboard nor a "
                        + "pointer")
            }
            glfwInitHint(PH_GLFW_PLATFORM, PH_GLFW_PLATFORM_X11)
            return nil
        }
        guard !TitleBarPlugins.areInstalled(environment: value) else { return nil }
        // Without plug-ins, libdecor prints lines, and windows have no frame to resize them by.
        glfwInitHint(PH_GLFW_WAYLAND_LIBDECOR, PH_GLFW_WAYLAND_DISABLE_LIBDECOR)
        return compositor.drawsTitleBars
            ? nil
            : "windows have no title bar, because this compositor draws none and libdecor has no "
                + "plug-in; install libdecor-0-plugin-1-gtk or libdecor-0-plugin-1-cairo"
    }

    /// Returns the reason why GLFW did not start.
    @MainActor static func failure(_ reason: String) -> WindowError {
        let isWayland = selected != .x11 && isSet("WAYLAND_DISPLAY") && !isSet("DISPLAY")
        let lacksWayland = !ph_has_platform(PH_GLFW_PLATFORM_WAYLAND)
        return isWayland && lacksWayland ? isMissing(.wayland) : .noDisplay(reason: reason)
    }

    /// Returns the error that GLFW does not support a window system.
    private static func isMissing(_ choice: WindowSystemChoice) -> WindowError {
        let name = choice == .x11 ? "X11" : "Wayland"
        if ph_has_platforms() {
            return WindowError.noDisplay(
                reason: "this GLFW was built without \(name); install one that has it")
        }
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        glfwGetVersion(&major, &minor, &revision)
        return WindowError.noDisplay(
            reason: "Wayland needs GLFW 3.4, this is GLFW \(major).\(minor).\(revision); install a "
                + "newer one")
    }

    private static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func isSet(_ name: String) -> Bool { value(name)?.isEmpty == false }

    private static func isPath(_ name: String) -> Bool { value(name)?.hasPrefix("/") == true }
}
