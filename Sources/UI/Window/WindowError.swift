// SPDX-License-Identifier: Apache-2.0

/// An error that prevents a window from being opened.
public enum WindowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no window system. Rendering without a window may still be possible.
    case noDisplay(reason: String)
    /// The window system provides neither a core context of OpenGL 3.3 nor one of OpenGL ES 3.0.
    case noOpenGL(reason: String)

    /// The problem and its remedy, as one line.
    public var description: String {
        switch self {
        case .noDisplay(let reason):
            "no display: \(reason); set DISPLAY or WAYLAND_DISPLAY to a running display server, "
                + "or run without a window"
        case .noOpenGL(let reason):
            "no OpenGL 3.3 or OpenGL ES 3.0 on this display: \(reason); install the graphics "
                + "driver, or Mesa's software driver (libgl1-mesa-dri)"
        }
    }
}
