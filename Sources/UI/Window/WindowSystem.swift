// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import Synchronization

/// The process's use of GLFW, which starts with the first window and runs until the process ends.
@MainActor enum WindowSystem {
    private(set) static var isStarted = false
    /// The thread that GLFW was started on, as a number; 0 before that.
    nonisolated static let thread = Atomic<UInt>(0)

    /// The handler for monitors that are plugged in or unplugged.
    static var monitorHandler: (@MainActor () -> Void)?

    static func start() throws(WindowError) {
        if isStarted { return }
        guard glfwInit() == GLFW_TRUE else {
            throw .noDisplay(reason: lastError ?? "GLFW does not start")
        }
        isStarted = true
        glfwSetMonitorCallback { _, _ in
            // Not during an event, in which GLFW cannot destroy a window.
            Task { @MainActor in WindowSystem.monitorHandler?() }
        }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    /// Returns the last error on this thread, and clears it.
    static var lastError: String? {
        var text: UnsafePointer<CChar>?
        guard glfwGetError(&text) != GLFW_NO_ERROR, let text else { return nil }
        return String(cString: text)
    }

    /// The monitors that are plugged in, the primary one first.
    static var monitors: [OpaquePointer] {
        var count: Int32 = 0
        let monitors = glfwGetMonitors(&count)
        return (0..<Int(count)).compactMap { monitors?[$0] }
    }
}
