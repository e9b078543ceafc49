// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import Glibc
public import PlayheadGL
import Synchronization

/// The OpenGL 3.3 core context of a window. It also has the window's sizes, for the render thread.
///
/// - Concurrency: see `GLContext`. `swapBuffers` and `procAddress` are called on the thread on
///   which the context is current. The sizes may be read on any thread.
/// - Lifetime: until `Window.close`. The context must not be current on any thread at that time.
/// - Corresponds to: `NSOpenGLContext`, `GLXContext`.
public final class WindowContext: GLContext, @unchecked Sendable {
    // Unchecked: `made` and `shareGroup` change in `replace` and `close` only, on the main thread,
    // while the context is not current on any thread. Only those GLFW functions that any thread may
    // call are called with `window`.
    private var made: Made
    private var window: OpaquePointer {
        guard let handle = made.handle else { preconditionFailure("the window has been closed") }
        return handle.window
    }
    /// The group of contexts that share textures with this one. It changes when the context is
    /// remade.
    public private(set) var shareGroup: GLShareGroup
    private let swapInterval: WindowConfiguration.SwapInterval
    /// The width and the height, packed into one word. The main thread updates it.
    private let packedSize = Atomic<UInt64>(0)
    private let packedScale = Atomic<UInt64>(1.0.bitPattern)

    /// The driver's messages about errors and performance.
    public let messages = GLMessageLog()
    /// The limits and extensions of the context.
    public var capabilities: GLCapabilities { made.capabilities }
    /// The queue of objects to be deleted on the render thread.
    public var deletionQueue: GLDeletionQueue { made.deletionQueue }
    /// The record of a loss of the context.
    public var loss: GLContextLoss { made.loss }
    /// The current contexts, by thread. A context is current on at most one thread.
    private static let current = Mutex<[UInt: ObjectIdentifier]>([:])
    /// A Boolean value that indicates whether the host has requested OpenGL functions and may
    /// therefore call them.
    private let isShared = Atomic(false)

    /// The object that keeps the context's memory alive.
    public var storage: AnyObject {
        guard let handle = made.handle else { preconditionFailure("the window has been closed") }
        return handle
    }

    /// GLFW's window. It is destroyed with the last reference, because a decoder may use memory
    /// that is mapped in its context even after the window was closed.
    final class Handle: @unchecked Sendable {
        // Unchecked: a constant. GLFW documents which functions must be called on the main thread.
        let window: OpaquePointer
        private let messages: GLMessageLog

        init(_ window: OpaquePointer, messages: GLMessageLog) {
            self.window = window
            self.messages = messages
        }

        deinit {
            // No other reference to the window is left. The main thread destroys it.
            nonisolated(unsafe) let window = window
            if pthread_self() == WindowSystem.thread.load(ordering: .relaxed) {
                GLDriverLock.withLock { glfwDestroyWindow(window) }
            } else {
                Task { @MainActor in GLDriverLock.withLock { glfwDestroyWindow(window) } }
            }
        }
    }

    /// The objects that are recreated after a loss of the context.
    private struct Made {
        /// The window; nil after the window was closed.
        var handle: Handle?
        var capabilities: GLCapabilities
        /// The compositor's reports about frames; nil on X11. It is released before the window.
        var presentation: WaylandPresentation?
        /// Keeps the monitor on; nil on X11. It is released before the window.
        var idleInhibitor: WaylandIdleInhibitor?
        let deletionQueue = GLDeletionQueue()
        let loss = GLContextLoss()
    }

    /// Creates the context of a new window. The context is not current on any thread afterwards.
    ///
    /// - Ownership: the window is destroyed with the context, or if the initializer throws.
    @MainActor init(
        window: OpaquePointer, swapInterval: WindowConfiguration.SwapInterval,
        sharing other: WindowContext?
    ) throws(GLError) {
        self.swapInterval = swapInterval
        shareGroup = other?.shareGroup ?? GLShareGroup()
        made = try Self.take(window, messages)
        if other != nil { shareGroup.join() }
    }

    deinit {
        let own = ObjectIdentifier(self)
        Self.current.withLock { current in
            for (thread, context) in current where context == own { current[thread] = nil }
        }
    }

    /// Replaces a lost context by the context of another window.
    @MainActor func replace(_ window: OpaquePointer) throws(GLError) {
        precondition(
            Self.current.withLock { !$0.values.contains(ObjectIdentifier(self)) },
            "a context is replaced while it is current on no thread")
        made = try Self.take(window, messages)
        shareGroup = GLShareGroup()
    }

    /// Releases the window. It is destroyed as soon as its memory is no longer in use.
    @MainActor func close() {
        if let window = made.handle?.window, !isKnownUniquelyReferenced(&made.handle) {
            glfwHideWindow(window)
        }
        made.presentation = nil
        made.idleInhibitor = nil
        made.handle = nil
    }

    /// The compositor's reports about the window's frames; nil on X11.
    var presentation: WaylandPresentation? { made.presentation }
    /// Keeps on the monitor that shows the window; nil on X11.
    var idleInhibitor: WaylandIdleInhibitor? { made.idleInhibitor }

    @MainActor private static func take(
        _ window: OpaquePointer, _ messages: GLMessageLog
    ) throws(GLError) -> Made {
        let handle = Handle(window, messages: messages)
        GLDriverLock.withLock { glfwMakeContextCurrent(window) }
        defer { GLDriverLock.withLock { glfwMakeContextCurrent(nil) } }
        let made = Made(
            handle: handle, capabilities: try GLCapabilities.ofCurrentContext(),
            presentation: WaylandPresentation(of: window),
            idleInhibitor: WaylandIdleInhibitor(of: window))
        messages.attach(made.capabilities)
        return made
    }

    /// The size of the framebuffer in pixels, according to the last event.
    public var framebufferSize: WindowSize {
        let size = packedSize.load(ordering: .relaxed)
        return WindowSize(width: Int(size >> 32), height: Int(size & 0xFFFF_FFFF))
    }

    /// The number of pixels in a screen coordinate, according to the last event.
    package var contentScale: Double { Double(bitPattern: packedScale.load(ordering: .relaxed)) }

    /// Makes the context current on the calling thread.
    public func makeCurrent() throws(GLError) {
        // GLX terminates the process if two threads make the same context current.
        let (thread, own) = (UInt(pthread_self()), ObjectIdentifier(self))
        let isFree = Self.current.withLock { current in
            guard !current.contains(where: { $0.key != thread && $0.value == own }) else {
                return false
            }
            current[thread] = own
            return true
        }
        guard isFree else {
            throw .unavailable(reason: "the window's context is current on another thread")
        }
        GLDriverLock.withLock { glfwMakeContextCurrent(window) }
        glfwSwapInterval(swapInterval.rawValue)
        deletionQueue.bindToCurrentThread()
    }

    /// Ends the use of the context on the calling thread.
    public func clearCurrent() {
        let (thread, own) = (UInt(pthread_self()), ObjectIdentifier(self))
        let isOurs = Self.current.withLock { current in
            guard current[thread] == own else { return false }
            current[thread] = nil
            return true
        }
        // Another context may have become current in the meantime.
        if isOurs, glfwGetCurrentContext() == window {
            GLDriverLock.withLock { glfwMakeContextCurrent(nil) }
        }
    }

    /// Shows the frame that was drawn.
    ///
    /// - Corresponds to: `glXSwapBuffers`.
    public func swapBuffers() {
        made.presentation?.requestReport()
        GLDriverLock.withLock { glfwSwapBuffers(window) }
    }

    /// A Boolean value that indicates whether only Playhead uses the context. It is true until
    /// `procAddress` is called.
    public var isExclusive: Bool { !isShared.load(ordering: .relaxed) }

    /// Returns the address of an OpenGL function. The context must be current on the calling
    /// thread.
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
