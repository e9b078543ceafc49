// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc
import Synchronization

/// An OpenGL context without a window, for tests, snapshots and rendering to a file.
///
/// - Concurrency: see `GLContext`. Several may exist at once, each current on a thread of its own.
/// - Errors: `GLError.unavailable` says which part is missing.
/// - Corresponds to: EGL's surfaceless platform, `EGL_MESA_platform_surfaceless`; a 1 x 1 pbuffer
///   stands in where a driver cannot do without a surface.
public final class HeadlessContext: GLContext, @unchecked Sendable {
    // Unchecked: `made` changes in `remake` only, on the render thread, which alone reads it while
    // the context is current; EGL itself refuses to make a context current on a second thread.
    private let display: EGLDisplay?
    private let isDebug: Bool
    private var made: Made
    /// Whether somebody has asked for a function of OpenGL, to call it himself.
    private let isShared = Atomic(false)
    /// Set before anybody else knows of the context, and by `remake`.
    public private(set) var shareGroup: GLShareGroup
    public let messages = GLMessageLog()
    /// True until somebody asks for a function of OpenGL.
    public var isExclusive: Bool { !isShared.load(ordering: .relaxed) }
    public var capabilities: GLCapabilities { made.capabilities }
    public var deletionQueue: GLDeletionQueue { made.deletionQueue }
    public var loss: GLContextLoss { made.loss }
    public var storage: AnyObject { made.handle }

    /// What is made anew when the context has been lost.
    private struct Made {
        var handle: Handle
        var capabilities: GLCapabilities
        let deletionQueue = GLDeletionQueue()
        let loss = GLContextLoss()
    }

    /// EGL's context, which goes with the last reference.
    ///
    /// The display stays initialised: EGL has one for the whole process, and other contexts, of
    /// ours or of the host, may live on it.
    private final class Handle {
        let display: EGLDisplay?
        let context: EGLContext?
        let surface: EGLSurface?
        /// The driver has its address.
        private let messages: GLMessageLog

        init(
            display: EGLDisplay?, context: EGLContext?, surface: EGLSurface?, messages: GLMessageLog
        ) {
            self.display = display
            self.context = context
            self.surface = surface
            self.messages = messages
            _ = Self.endObserver
        }

        /// Whether the process is ending: EGL's libraries are being torn down then.
        private static let isEnding = Mutex(false)
        /// Registered with the first context, after EGL has been loaded, hence called before EGL's own end.
        private static let endObserver: Int32 = atexit { Handle.isEnding.withLock { $0 = true } }

        deinit {
            // The last reference may be a decoder's, on a thread that ends after the program's end has
            // begun: libglvnd would free what it keeps for that thread twice.
            Self.isEnding.withLock { isEnding in
                guard !isEnding else { return }
                if surface != ph_EGL_NO_SURFACE() { _ = ph_eglDestroySurface(display, surface) }
                GLTurns.take { _ = ph_eglDestroyContext(display, context) }
                if !ph_eglHasCurrentContext() { _ = ph_eglReleaseThread() }
            }
        }

        /// Whether it is current on the calling thread.
        var isCurrent: Bool { ph_eglGetCurrentContext() == context }

        func makeCurrent() -> Bool {
            GLTurns.take { ph_eglMakeCurrent(display, surface, surface, context) } != 0
        }
    }

    /// Makes a 3.3 core context and makes it current on the calling thread.
    ///
    /// - Parameters:
    ///   - other: a context whose textures and buffers this one is to see, and the other way round.
    ///   - isDebug: whether the driver is to say what is wrong with how it is used, into
    ///     `messages`; nil for what the environment says (`GLMessageLog.variable`).
    public init(sharing other: HeadlessContext? = nil, isDebug: Bool? = nil) throws(GLError) {
        try Self.requireLibraries()
        self.isDebug = isDebug ?? GLMessageLog.isWanted
        display = try Self.initializedDisplay()
        shareGroup = other?.shareGroup ?? GLShareGroup()
        made = try Self.make(
            on: display, isDebug: self.isDebug, sharing: other?.made.handle, messages: messages)
        if other != nil { shareGroup.join() }
    }

    /// Makes the context anew, after it was lost, and makes it current on the calling thread; objects
    /// that were made in it are of no use any more.
    ///
    /// It may turn out as another renderer: `capabilities` are asked anew. It shares with no other:
    /// those of its group are lost too. Memory that objects were mapped to stays as long as somebody
    /// holds the old `storage`.
    ///
    /// - Concurrency: render thread.
    /// - Errors: the lost context stays, and the next try may succeed.
    package func remake() throws(GLError) {
        // The log is written to by one context at a time.
        clearCurrent()
        made = try Self.make(on: display, isDebug: isDebug, sharing: nil, messages: messages)
        shareGroup = GLShareGroup()
    }

    public func makeCurrent() throws(GLError) {
        guard made.handle.makeCurrent() else {
            throw .unavailable(reason: "the context is current elsewhere, \(Self.lastError())")
        }
        deletionQueue.bindToCurrentThread()
    }

    /// Takes it from the calling thread. Where another has become current since, that stays.
    public func clearCurrent() {
        guard made.handle.isCurrent else { return }
        GLTurns.take {
            _ = ph_eglMakeCurrent(
                display, ph_EGL_NO_SURFACE(), ph_EGL_NO_SURFACE(), ph_EGL_NO_CONTEXT())
        }
    }

    /// The address of an OpenGL function; nil where there is none of that name. The context is current
    /// on the calling thread.
    ///
    /// - Corresponds to: `eglGetProcAddress`.
    public func procAddress(_ name: String) -> UnsafeRawPointer? {
        isShared.store(true, ordering: .relaxed)
        return ph_eglGetProcAddress(name)
    }

    private static func make(
        on display: EGLDisplay?, isDebug: Bool, sharing other: Handle?, messages: GLMessageLog
    ) throws(GLError) -> Made {
        guard ph_eglBindAPI(UInt32(EGL_OPENGL_API)) != 0 else {
            throw .unavailable(reason: "this EGL offers OpenGL ES only")
        }
        let isSurfaceless = ph_epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")
        let config = try Self.config(of: display, needsPbuffer: !isSurfaceless)
        let context = try Self.context(
            on: display, config, isDebug: isDebug,
            sharing: other?.context ?? ph_EGL_NO_CONTEXT())
        var surface = ph_EGL_NO_SURFACE()
        if !isSurfaceless {
            surface = ph_eglCreatePbufferSurface(
                display, config, [EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE])
        }
        let handle = Handle(
            display: display, context: context, surface: surface, messages: messages)
        guard handle.makeCurrent() else {
            throw .unavailable(
                reason: "EGL does not make its context current, \(Self.lastError())")
        }
        let made = Made(handle: handle, capabilities: try GLCapabilities.ofCurrentContext())
        made.deletionQueue.bindToCurrentThread()
        messages.attach(made.capabilities)
        return made
    }

    /// Makes a context that tells when it is lost, where there is such a thing, or else any.
    private static func context(
        on display: EGLDisplay?, _ config: EGLConfig?, isDebug: Bool, sharing other: EGLContext?
    ) throws(GLError) -> EGLContext? {
        var attributes = [
            EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
            EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
        ]
        if isDebug {
            attributes += [EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR]
        }
        // EGL 1.5, 3.7.1.5; `EGL_EXT_create_context_robustness` says whether drivers take part.
        let reports = [
            EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET,
        ]
        for extra in [reports, []] {
            let context = ph_eglCreateContext(
                display, config, other, attributes + extra + [EGL_NONE])
            if context != ph_EGL_NO_CONTEXT() { return context }
        }
        throw .unavailable(reason: "EGL makes no OpenGL 3.3 core context, \(lastError())")
    }

    /// libepoxy ends the process when a library is missing, so they are looked for beforehand.
    private static func requireLibraries() throws(GLError) {
        for (names, package) in [
            (["libEGL.so.1"], "libegl1"), (["libOpenGL.so.0", "libGL.so.1"], "libgl1"),
        ] {
            guard names.contains(where: { dlopen($0, RTLD_LAZY | RTLD_LOCAL) != nil }) else {
                throw .unavailable(
                    reason: "\(names[0]) is not installed; on Debian: apt install \(package)")
            }
        }
    }

    private static func initializedDisplay() throws(GLError) -> EGLDisplay? {
        var candidates: [EGLDisplay?] = []
        if ph_epoxy_has_egl_extension(ph_EGL_NO_DISPLAY(), "EGL_EXT_platform_base"),
            ph_epoxy_has_egl_extension(ph_EGL_NO_DISPLAY(), "EGL_MESA_platform_surfaceless")
        {
            candidates.append(
                ph_eglGetPlatformDisplayEXT(
                    UInt32(EGL_PLATFORM_SURFACELESS_MESA), nil, nil))
        }
        candidates.append(ph_eglGetDefaultDisplay())
        for display in candidates where display != ph_EGL_NO_DISPLAY() {
            if ph_eglInitialize(display, nil, nil) != 0 { return display }
        }
        throw .unavailable(
            reason: "EGL has no display, \(lastError()); on Debian: apt install libegl-mesa0 "
                + "libgl1-mesa-dri")
    }

    private static func config(
        of display: EGLDisplay?, needsPbuffer: Bool
    ) throws(GLError) -> EGLConfig? {
        var config: EGLConfig?
        var count: Int32 = 0
        let found = ph_eglChooseConfig(
            display,
            [
                EGL_SURFACE_TYPE, needsPbuffer ? EGL_PBUFFER_BIT : 0, EGL_RENDERABLE_TYPE,
                EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_NONE,
            ], &config, 1, &count)
        guard found != 0, count > 0 else {
            throw .unavailable(reason: "EGL has no configuration for OpenGL, \(lastError())")
        }
        return config
    }

    private static func lastError() -> String {
        "EGL error 0x" + String(ph_eglGetError(), radix: 16)
    }
}
