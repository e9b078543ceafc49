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
public final class WindowContext: GLContext, @unchecked Sendable {
    // Unchecked: `made` and `shareGroup` change in `replace` only, on the main thread while the context
    // is current on none. Only functions of GLFW that any thread may call are called with `window`.
    private var made: Made
    private var window: OpaquePointer {
        guard let handle = made.handle else { preconditionFailure("the window has been closed") }
        return handle.window
    }
    /// Contexts that see its textures; another one after it was remade.
    public private(set) var shareGroup: GLShareGroup
    private let swapInterval: WindowConfiguration.SwapInterval
    /// Width and height in one word, which the main thread keeps up to date.
    private let packedSize = Atomic<UInt64>(0)
    private let packedScale = Atomic<UInt64>(1.0.bitPattern)

    /// What OpenGL has said of errors and slow ways.
    public let messages = GLMessageLog()
    public var capabilities: GLCapabilities { made.capabilities }
    public var deletionQueue: GLDeletionQueue { made.deletionQueue }
    public var loss: GLContextLoss { made.loss }
    /// The contexts that are current, by thread: each on one, and one on each.
    private static let current = Mutex<[UInt: ObjectIdentifier]>([:])
    /// Whether somebody has asked for a function of OpenGL, to call it himself.
    private let isShared = Atomic(false)

    public var storage: AnyObject {
        guard let handle = made.handle else { preconditionFailure("the window has been closed") }
        return handle
    }

    /// GLFW's window, which goes with the last reference: what is mapped in its context may be in use
    /// by a decoder, when the window has long been closed.
    final class Handle: @unchecked Sendable {
        // Unchecked: constant; GLFW says which functions are for the main thread only.
        let window: OpaquePointer
        private let messages: GLMessageLog

        init(_ window: OpaquePointer, messages: GLMessageLog) {
            self.window = window
            self.messages = messages
        }

        deinit {
            nonisolated(unsafe) let window = window
            if pthread_self() == WindowSystem.thread.load(ordering: .relaxed) {
                GLDriverLock.withLock { glfwDestroyWindow(window) }
            } else {
                Task { @MainActor in GLDriverLock.withLock { glfwDestroyWindow(window) } }
            }
        }
    }

    /// What is made anew when the context has been lost.
    private struct Made {
        /// Nil once the window is closed.
        var handle: Handle?
        var capabilities: GLCapabilities
        let deletionQueue = GLDeletionQueue()
        let loss = GLContextLoss()
    }

    /// The context of a window just made; current on no thread afterwards.
    ///
    /// - Ownership: the window is destroyed with the context, also if there is no such context.
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

    /// Takes the context of another window instead, the first having been lost.
    @MainActor func replace(_ window: OpaquePointer) throws(GLError) {
        precondition(
            Self.current.withLock { !$0.values.contains(ObjectIdentifier(self)) },
            "a context is replaced while it is current on no thread")
        made = try Self.take(window, messages)
        shareGroup = GLShareGroup()
    }

    /// Lets go of the window, which is destroyed as soon as nobody works in its memory any more.
    @MainActor func close() {
        if let window = made.handle?.window, !isKnownUniquelyReferenced(&made.handle) {
            glfwHideWindow(window)
        }
        made.handle = nil
    }

    @MainActor private static func take(
        _ window: OpaquePointer, _ messages: GLMessageLog
    ) throws(GLError) -> Made {
        let handle = Handle(window, messages: messages)
        GLDriverLock.withLock { glfwMakeContextCurrent(window) }
        defer { GLDriverLock.withLock { glfwMakeContextCurrent(nil) } }
        let made = Made(handle: handle, capabilities: try GLCapabilities.ofCurrentContext())
        messages.attach(made.capabilities)
        return made
    }

    /// The size to draw in, in pixels, as of the last event.
    public var framebufferSize: WindowSize {
        let size = packedSize.load(ordering: .relaxed)
        return WindowSize(width: Int(size >> 32), height: Int(size & 0xFFFF_FFFF))
    }

    /// Pixels of content a screen coordinate, as of the last event.
    package var contentScale: Double { Double(bitPattern: packedScale.load(ordering: .relaxed)) }

    public func makeCurrent() throws(GLError) {
        // GLX would end the process if two threads wanted one context, so it is not asked.
        let (thread, own) = (UInt(pthread_self()), ObjectIdentifier(self))
        let isFree = Self.current.withLock { current in
            guard !current.contains(where: { $0.key != thread && $0.value == own }) else {
                return false
            }
            // The one before, if there is one, is let go of.
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

    public func clearCurrent() {
        let (thread, own) = (UInt(pthread_self()), ObjectIdentifier(self))
        let isOurs = Self.current.withLock { current in
            guard current[thread] == own else { return false }
            current[thread] = nil
            return true
        }
        // Another's may have become current since.
        if isOurs, glfwGetCurrentContext() == window {
            GLDriverLock.withLock { glfwMakeContextCurrent(nil) }
        }
    }

    /// Shows what was drawn.
    ///
    /// - Corresponds to: `glXSwapBuffers`.
    public func swapBuffers() { GLDriverLock.withLock { glfwSwapBuffers(window) } }

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
