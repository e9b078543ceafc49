// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
import Synchronization

/// GLFW as a whole: started once, at the first window, and left running until the process ends.
@MainActor enum WindowSystem {
    private(set) static var isStarted = false
    /// The thread that GLFW was started on, as a number; 0 before.
    nonisolated static let thread = Atomic<UInt>(0)

    static func start() throws(WindowError) {
        if isStarted { return }
        guard glfwInit() == GLFW_TRUE else {
            throw .noDisplay(reason: lastError ?? "GLFW does not start")
        }
        isStarted = true
        glfwSetMonitorCallback { _, _ in
            // Not in the middle of an event, in which GLFW lets no window go.
            Task { @MainActor in Window.tellOfMonitors() }
        }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    /// What went wrong last on this thread; asking forgets it.
    static var lastError: String? {
        var text: UnsafePointer<CChar>?
        guard glfwGetError(&text) != GLFW_NO_ERROR, let text else { return nil }
        return String(cString: text)
    }

    /// The monitors plugged in now, the primary one first.
    static var monitors: [OpaquePointer] {
        var count: Int32 = 0
        let monitors = glfwGetMonitors(&count)
        return (0..<Int(count)).compactMap { monitors?[$0] }
    }
}
