// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
package import PlayheadTime

/// A monitor, with its properties at the time at which it was listed.
///
/// - Corresponds to: `NSScreen`, `GLFWmonitor`.
public struct DisplayMonitor: Sendable, Hashable {
    /// The name that the monitor reports. It is not necessarily unique.
    public let name: String
    /// The upper left corner on the desktop, in screen coordinates.
    public let position: WindowPoint
    /// The size, in screen coordinates.
    public let size: WindowSize
    /// The number of pixels in a screen coordinate, according to the desktop's settings.
    public let contentScale: Double
    /// The refresh rate in hertz, rounded by the window system; nil if it is not known.
    public let refreshRate: Int?

    /// The time between vsyncs at the nominal refresh rate, or at 60 Hz if that rate is unknown.
    package var nominalPeriod: MediaTime {
        MediaTime(value: 1, timescale: Int32(refreshRate ?? 60))
    }

    /// Returns all monitors, the primary one first.
    @MainActor public static func all() throws(WindowError) -> [DisplayMonitor] {
        try WindowSystem.start()
        return WindowSystem.monitors.map { DisplayMonitor($0) }
    }

    @MainActor init(_ monitor: OpaquePointer) {
        name = glfwGetMonitorName(monitor).map { String(cString: $0) } ?? ""
        var (x, y): (Int32, Int32) = (0, 0)
        glfwGetMonitorPos(monitor, &x, &y)
        position = WindowPoint(x: Double(x), y: Double(y))
        var (horizontal, vertical): (Float, Float) = (1, 1)
        glfwGetMonitorContentScale(monitor, &horizontal, &vertical)
        contentScale = Double(horizontal)
        let mode = glfwGetVideoMode(monitor)?.pointee
        // Wayland's screen coordinates are points, and its video modes are in pixels.
        let pixels = WindowSystem.isWayland ? max(1, contentScale) : 1
        size = WindowSize(
            width: Int(Double(mode?.width ?? 0) / pixels),
            height: Int(Double(mode?.height ?? 0) / pixels))
        let rate = Int(mode?.refreshRate ?? 0)
        refreshRate = rate > 0 ? rate : nil
    }

    /// A Boolean value that indicates whether a monitor with this name and position is plugged in.
    @MainActor package var isPluggedIn: Bool { handle != nil }

    /// The window system's monitor with this name and position; nil if the monitor was unplugged.
    @MainActor var handle: OpaquePointer? {
        WindowSystem.monitors.first { monitor in
            let other = DisplayMonitor(monitor)
            return other.name == name && other.position == position
        }
    }
}
