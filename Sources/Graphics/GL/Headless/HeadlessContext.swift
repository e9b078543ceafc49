// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc
import Synchronization

/// An OpenGL context without a window, for tests, snapshots and rendering to a file.
///
/// It is a core context of OpenGL 3.3 or later. If the driver has none, it is a context of OpenGL
/// ES 3.0 or later, and `GLCapabilities.isES` is true.
///
/// - Concurrency: see `GLContext`. Several contexts may exist at once, each current on its own
///   thread.
/// - Errors: `GLError.unavailable` names the missing library, display or driver.
/// - Corresponds to: EGL's surfaceless platform, `EGL_MESA_platform_surfaceless`, or a GPU's own
///   display, `EGL_EXT_platform_device`. If a driver requires a surface, a 1 x 1 pbuffer is used.
public final class HeadlessContext: GLContext, @unchecked Sendable {
    // Unchecked: `made` and `shareGroup` change in `remake` only, on the render thread. While the
    // context is current, only that thread reads them, and EGL refuses to make a context current on
    // a second thread. Other threads read them only to share objects with the context, which they
    // must not do while it is recreated.
    private let display: EGLDisplay?
    private let isDebug: Bool
    private var made: Made
    /// True once other code has requested the address of an OpenGL function.
    private let isShared = Atomic(false)
    /// The group of contexts that this one shares objects with. Set in the initializer and by
    /// `remake`.
    public private(set) var shareGroup: GLShareGroup
    /// The log of the driver's messages.
    public let messages = GLMessageLog()
    /// True until `procAddress` is called, because the caller may change state from then on.
    public var isExclusive: Bool { !isShared.load(ordering: .relaxed) }
    /// The capabilities of the context's OpenGL.
    public var capabilities: GLCapabilities { made.capabilities }
    /// The queue of the names of released objects.
    public var deletionQueue: GLDeletionQueue { made.deletionQueue }
    /// A record of whether the context has been lost.
    public var loss: GLContextLoss { made.loss }
    /// The owner of the context and of its objects' mapped memory.
    public var storage: AnyObject { made.handle }

    /// The parts that are recreated if the context is lost.
    private struct Made {
        var handle: Handle
        var capabilities: GLCapabilities
        let deletionQueue = GLDeletionQueue()
        let loss = GLContextLoss()
    }

    /// EGL's context, which is destroyed when the last reference is released.
    ///
    /// The display stays initialised. EGL has one display for the whole process, and other
    /// contexts, ours or the host's, may use it.
    private final class Handle {
        let display: EGLDisplay?
        let context: EGLContext?
        let surface: EGLSurface?
        let api: ClientAPI
        /// The log of messages, held here because the driver has its address.
        private let messages: GLMessageLog

        init(
            display: EGLDisplay?, context: EGLContext?, surface: EGLSurface?, api: ClientAPI,
            messages: GLMessageLog
        ) {
            self.display = display
            self.context = context
            self.surface = surface
            self.api = api
            self.messages = messages
            HeadlessExit.registerLast()
        }

        deinit {
            // A decoder may drop the last reference on a thread that ends after the program has
            // begun to exit. libglvnd would then free its data for that thread twice.
            HeadlessExit.isEnding.withLock { isEnding in
                guard !isEnding else { return }
                if surface != ph_EGL_NO_SURFACE() { _ = ph_eglDestroySurface(display, surface) }
                GLDriverLock.withLock { _ = ph_eglDestroyContext(display, context) }
                if !ph_eglHasCurrentContext() { _ = ph_eglReleaseThread() }
            }
        }

        /// A Boolean value that indicates whether the context is current on the calling thread.
        var isCurrent: Bool { ph_eglGetCurrentContext() == context }

        func makeCurrent() -> Bool {
            api.bind()
                && GLDriverLock.withLock { ph_eglMakeCurrent(display, surface, surface, context) }
                    != 0
        }
    }

    /// Creates a context and makes it current on the calling thread.
    ///
    /// - Parameters:
    ///   - other: a context to share textures and buffers with. The new context is of the same
    ///     kind of OpenGL.
    ///   - isDebug: true to log the driver's messages in `messages`; nil, the default, to follow
    ///     the environment variable `GLMessageLog.variable`.
    public init(sharing other: HeadlessContext? = nil, isDebug: Bool? = nil) throws(GLError) {
        self.isDebug = isDebug ?? GLMessageLog.isWanted
        try Self.requireLibraries()
        display = try HeadlessDisplay.initialized()
        shareGroup = other?.shareGroup ?? GLShareGroup()
        made = try Self.make(
            on: display, isDebug: self.isDebug, sharing: other?.made.handle, messages: messages)
        if other != nil { shareGroup.join() }
    }

    /// Recreates the context after it was lost, and makes it current on the calling thread. Objects
    /// that were created in the lost context are invalid.
    ///
    /// The driver may provide another renderer, so `capabilities` are read again. The context
    /// shares objects with no other context afterwards, because the other contexts of its group are
    /// lost too. Mapped memory stays valid as long as the old `storage` is held.
    ///
    /// - Concurrency: render thread.
    /// - Errors: after an error, the context is still lost, and another attempt may succeed.
    package func remake() throws(GLError) {
        // Only one context at a time may write to the log.
        clearCurrent()
        made = try Self.make(on: display, isDebug: isDebug, sharing: nil, messages: messages)
        shareGroup = GLShareGroup()
    }

    /// Makes the context current on the calling thread, which becomes its render thread.
    ///
    /// - Throws: `GLError.unavailable` if it is current on another thread.
    public func makeCurrent() throws(GLError) {
        guard made.handle.makeCurrent() else {
            throw .unavailable(
                reason:
                    "the context cannot be made current (\(Self.lastError())); it may be current "
                    + "on another thread")
        }
        deletionQueue.bindToCurrentThread()
    }

    /// Makes no context current on the calling thread. Does nothing if another context has become
    /// current in the meantime.
    public func clearCurrent() {
        guard made.handle.isCurrent else { return }
        GLDriverLock.withLock {
            _ = ph_eglMakeCurrent(
                display, ph_EGL_NO_SURFACE(), ph_EGL_NO_SURFACE(), ph_EGL_NO_CONTEXT())
        }
    }

    /// Returns the address of an OpenGL function; nil if no function has that name. The context
    /// must be current on the calling thread.
    ///
    /// - Corresponds to: `eglGetProcAddress`.
    public func procAddress(_ name: String) -> UnsafeRawPointer? {
        isShared.store(true, ordering: .relaxed)
        return ph_eglGetProcAddress(name)
    }

    /// Creates a context of the kind of `other`; without it, of the first kind that the driver
    /// supports.
    private static func make(
        on display: EGLDisplay?, isDebug: Bool, sharing other: Handle?, messages: GLMessageLog
    ) throws(GLError) -> Made {
        var first: GLError?
        for api in other.map({ [$0.api] }) ?? ClientAPI.allCases {
            do throws(GLError) {
                return try make(
                    api, on: display, isDebug: isDebug, sharing: other, messages: messages)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? .unavailable(reason: "EGL cannot create a context, \(lastError())")
    }

    private static func make(
        _ api: ClientAPI, on display: EGLDisplay?, isDebug: Bool, sharing other: Handle?,
        messages: GLMessageLog
    ) throws(GLError) -> Made {
        try api.requireLibraries()
        guard api.bind() else {
            throw .unavailable(
                reason: "this EGL does not support \(api.name); install a driver that does")
        }
        let isSurfaceless = ph_epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")
        let config = try Self.config(api, of: display, needsPbuffer: !isSurfaceless)
        let context = try Self.context(
            api, on: display, config, isDebug: isDebug,
            sharing: other?.context ?? ph_EGL_NO_CONTEXT())
        var surface = ph_EGL_NO_SURFACE()
        if !isSurfaceless {
            surface = ph_eglCreatePbufferSurface(
                display, config, [EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE])
        }
        let handle = Handle(
            display: display, context: context, surface: surface, api: api, messages: messages)
        guard handle.makeCurrent() else {
            throw .unavailable(
                reason: "EGL cannot make its context current, \(Self.lastError())")
        }
        let made = Made(handle: handle, capabilities: try GLCapabilities.ofCurrentContext())
        made.deletionQueue.bindToCurrentThread()
        messages.attach(made.capabilities)
        return made
    }

    /// Creates a context of the newest version that Playhead uses. If the driver supports it, the
    /// context reports its loss.
    private static func context(
        _ api: ClientAPI, on display: EGLDisplay?, _ config: EGLConfig?, isDebug: Bool,
        sharing other: EGLContext?
    ) throws(GLError) -> EGLContext? {
        var attributes = api.attributes
        if isDebug {
            attributes += [EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR]
        }
        // Requests reports of a loss: EGL 1.5, 3.7.1.5. The extension
        // `EGL_EXT_create_context_robustness` indicates whether a driver supports such reports.
        let reports = [
            EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET,
        ]
        for (major, minor) in api.versions {
            let version = [
                EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor,
            ]
            for extra in [reports, []] {
                let context = ph_eglCreateContext(
                    display, config, other, version + attributes + extra + [EGL_NONE])
                if context != ph_EGL_NO_CONTEXT() { return context }
            }
        }
        throw .unavailable(reason: "EGL cannot create a context of \(api.name), \(lastError())")
    }

    /// Checks that libraries of one kind exist, because libepoxy ends the process if EGL's is
    /// missing.
    private static func requireLibraries() throws(GLError) {
        do throws(GLError) {
            try ClientAPI.desktop.requireLibraries()
        } catch {
            do { try ClientAPI.embedded.requireLibraries() } catch _ { throw error }
        }
    }

    private static func config(
        _ api: ClientAPI, of display: EGLDisplay?, needsPbuffer: Bool
    ) throws(GLError) -> EGLConfig? {
        var config: EGLConfig?
        var count: Int32 = 0
        let found = ph_eglChooseConfig(
            display,
            [
                EGL_SURFACE_TYPE, needsPbuffer ? EGL_PBUFFER_BIT : 0, EGL_RENDERABLE_TYPE,
                api.renderableType, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_NONE,
            ], &config, 1, &count)
        guard found != 0, count > 0 else {
            throw .unavailable(
                reason: "EGL has no configuration for \(api.name), \(lastError())")
        }
        return config
    }

    static func lastError() -> String {
        "EGL error 0x" + String(ph_eglGetError(), radix: 16)
    }
}
