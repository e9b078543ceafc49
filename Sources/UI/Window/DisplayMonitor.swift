// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
package import PlayheadTime

/// A monitor that is plugged in, as it was when it was listed.
///
/// - Corresponds to: `NSScreen`, `GLFWmonitor`.
public struct DisplayMonitor: Sendable, Hashable {
    /// What the monitor calls itself; not necessarily unique.
    public let name: String
    /// The top left corner on the desktop, in screen coordinates.
    public let position: WindowPoint
    /// In screen coordinates.
    public let size: WindowSize
    /// Pixels of content a screen coordinate, as the desktop is set.
    public let contentScale: Double
    /// Refreshes a second, which window systems round to whole hertz; nil if not known.
    public let refreshRate: Int?

    /// From vsync to vsync at the nominal rate; of 60 Hz where it is not known.
    package var nominalPeriod: MediaTime {
        MediaTime(value: 1, timescale: Int32(refreshRate ?? 60))
    }

    /// All monitors, the primary one first.
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
        size = WindowSize(width: Int(mode?.width ?? 0), height: Int(mode?.height ?? 0))
        let rate = Int(mode?.refreshRate ?? 0)
        refreshRate = rate > 0 ? rate : nil
    }

    /// Whether the monitor is still there, by its name and place.
    @MainActor package var isPluggedIn: Bool { handle != nil }

    /// The window system's monitor of the same name and place; nil when it was unplugged.
    @MainActor var handle: OpaquePointer? {
        WindowSystem.monitors.first { monitor in
            let other = DisplayMonitor(monitor)
            return other.name == name && other.position == position
        }
    }
}
