// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
public import PlayheadGL
import Synchronization

/// A window's OpenGL 3.3 core context, and what the render thread has to know of the window.
///
/// - Concurrency: see `GLContext`; `swapBuffers` and `procAddress` are for the thread on which the
///   context is current. The sizes may be read on any.
/// - Lifetime: of no use after `Window.close`; no thread may have it current by then.
/// - Corresponds to: `NSOpenGLContext`, `GLXContext`.
public final class WindowContext: GLContext {
    // Only functions of GLFW that any thread may call are called with it.
    nonisolated(unsafe) private let window: OpaquePointer
    private let swapInterval: WindowConfiguration.SwapInterval
    /// Width and height in one word, which the main thread keeps up to date.
    private let packedSize = Atomic<UInt64>(0)
    private let packedScale = Atomic<UInt64>(1.0.bitPattern)

    public let capabilities: GLCapabilities
    public let deletionQueue = GLDeletionQueue()
    /// The thread on which the context is current, as a number; 0 for none.
    private let currentThread = Atomic<UInt>(0)
    /// Whether somebody has asked for a function of OpenGL, to call it himself.
    private let isShared = Atomic(false)

    /// The context of a window just made; current on no thread afterwards.
    @MainActor init(
        window: OpaquePointer, swapInterval: WindowConfiguration.SwapInterval
    ) throws(GLError) {
        self.window = window
        self.swapInterval = swapInterval
        glfwMakeContextCurrent(window)
        defer { glfwMakeContextCurrent(nil) }
        capabilities = try GLCapabilities.ofCurrentContext()
    }

    /// The size to draw in, in pixels, as of the last event.
    public var framebufferSize: WindowSize {
        let size = packedSize.load(ordering: .relaxed)
        return WindowSize(width: Int(size >> 32), height: Int(size & 0xFFFF_FFFF))
    }

    /// Pixels of content a screen coordinate, as of the last event.
    public var contentScale: Double { Double(bitPattern: packedScale.load(ordering: .relaxed)) }

    public func makeCurrent() throws(GLError) {
        // GLX would end the process if two threads wanted one context, so it is not asked.
        let thread = UInt(pthread_self())
        let (isFree, owner) = currentThread.compareExchange(
            expected: 0, desired: thread, ordering: .acquiringAndReleasing)
        guard isFree || owner == thread else {
            throw .unavailable(reason: "the window's context is current on another thread")
        }
        glfwMakeContextCurrent(window)
        glfwSwapInterval(swapInterval.rawValue)
        deletionQueue.bindToCurrentThread()
    }

    public func clearCurrent() {
        let (isOurs, _) = currentThread.compareExchange(
            expected: UInt(pthread_self()), desired: 0, ordering: .acquiringAndReleasing)
        if isOurs { glfwMakeContextCurrent(nil) }
    }

    /// Shows what was drawn.
    ///
    /// - Corresponds to: `glXSwapBuffers`.
    public func swapBuffers() { glfwSwapBuffers(window) }

    /// True until somebody asks for a function of OpenGL.
    public var isExclusive: Bool { !isShared.load(ordering: .relaxed) }

    /// The address of an OpenGL function; the context is current on the calling thread.
    public func procAddress(_ name: String) -> UnsafeRawPointer? {
        isShared.store(true, ordering: .relaxed)
        return glfwGetProcAddress(name).map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
    }

    func update(framebufferSize size: WindowSize) {
        let word = UInt64(max(0, size.width)) << 32 | UInt64(max(0, size.height))
        packedSize.store(word, ordering: .relaxed)
    }

    func update(contentScale: Double) {
        packedScale.store(contentScale.bitPattern, ordering: .relaxed)
    }
}
