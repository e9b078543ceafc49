// SPDX-License-Identifier: Apache-2.0

/// Why a window could not be opened.
public enum WindowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no window system to open it on. Rendering without a window may still work.
    case noDisplay(reason: String)
    /// There is one, but it gives no OpenGL 3.3 core context.
    case noOpenGL(reason: String)

    public var description: String {
        switch self {
        case .noDisplay(let reason):
            "no display: \(reason); set DISPLAY to a running X server, or run without a window"
        case .noOpenGL(let reason):
            "no OpenGL 3.3 on this display: \(reason); install the graphics driver, "
                + "or Mesa's software one (libgl1-mesa-dri)"
        }
    }
}
