// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Synchronization

/// A window's OpenGL 3.3 core context, and what the render thread has to know of the window.
///
/// - Concurrency: `makeCurrent`, `clearCurrent`, `swapBuffers` and `procAddress` belong to one
///   thread, the render thread; the sizes may be read on any.
/// - Lifetime: of no use after `Window.close`; no thread may have it current by then.
public final class WindowContext: Sendable {
    // Only functions of GLFW that any thread may call are called with it.
    nonisolated(unsafe) private let window: OpaquePointer
    private let swapInterval: WindowConfiguration.SwapInterval
    /// Width and height in one word, which the main thread keeps up to date.
    private let packedSize = Atomic<UInt64>(0)
    private let packedScale = Atomic<UInt64>(1.0.bitPattern)

    init(window: OpaquePointer, swapInterval: WindowConfiguration.SwapInterval) {
        self.window = window
        self.swapInterval = swapInterval
    }

    /// The size to draw in, in pixels, as of the last event.
    public var framebufferSize: WindowSize {
        let size = packedSize.load(ordering: .relaxed)
        return WindowSize(width: Int(size >> 32), height: Int(size & 0xFFFF_FFFF))
    }

    /// Pixels of content a screen coordinate, as of the last event.
    public var contentScale: Double { Double(bitPattern: packedScale.load(ordering: .relaxed)) }

    /// Makes the context current on the calling thread. No other thread may have it current.
    public func makeCurrent() {
        glfwMakeContextCurrent(window)
        glfwSwapInterval(swapInterval.rawValue)
    }

    /// Makes no context current on the calling thread, so that another may take this one.
    public func clearCurrent() { glfwMakeContextCurrent(nil) }

    /// Shows what was drawn.
    ///
    /// - Corresponds to: `glXSwapBuffers`.
    public func swapBuffers() { glfwSwapBuffers(window) }

    /// The address of an OpenGL function; the context is current on the calling thread.
    public func procAddress(_ name: String) -> UnsafeRawPointer? {
        glfwGetProcAddress(name).map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
    }

    func update(framebufferSize size: WindowSize) {
        let word = UInt64(max(0, size.width)) << 32 | UInt64(max(0, size.height))
        packedSize.store(word, ordering: .relaxed)
    }

    func update(contentScale: Double) {
        packedScale.store(contentScale.bitPattern, ordering: .relaxed)
    }
}
