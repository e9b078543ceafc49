// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import Synchronization

/// The process's use of GLFW. It begins with the first window and lasts until the process ends.
@MainActor package enum WindowSystem {
    private(set) static var isStarted = false
    /// A remark on what windows lack in this session, with the remedy; nil if they lack nothing, or
    /// before the first one.
    package private(set) static var remark: String?
    /// The number of the thread on which GLFW was started; 0 before the start.
    nonisolated static let thread = Atomic<UInt>(0)

    /// The handler that is called when a monitor is plugged in or unplugged.
    static var monitorHandler: (@MainActor () -> Void)?

    static func start() throws(WindowError) {
        if isStarted { return }
        remark = try WindowSystemChoice.prepare()
        guard glfwInit() == GLFW_TRUE else {
            throw WindowSystemChoice.failure(lastError ?? "GLFW does not start")
        }
        isStarted = true
        glfwSetMonitorCallback { _, _ in
            // GLFW cannot destroy a window during an event.
            Task { @MainActor in WindowSystem.monitorHandler?() }
        }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    /// A Boolean value that indicates whether windows are those of a Wayland compositor. Their
    /// sizes are in points, and their positions are not known.
    static var isWayland: Bool { isStarted && ph_is_wayland() }

    /// Returns the last error on this thread, and clears it.
    static var lastError: String? {
        var text: UnsafePointer<CChar>?
        guard glfwGetError(&text) != GLFW_NO_ERROR, let text else { return nil }
        return String(cString: text)
    }

    /// The connected monitors, the primary one first.
    static var monitors: [OpaquePointer] {
        var count: Int32 = 0
        let monitors = glfwGetMonitors(&count)
        return (0..<Int(count)).compactMap { monitors?[$0] }
    }
}
