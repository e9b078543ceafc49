// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc
public import PlayheadGL

/// An OpenGL context without a window, for tests, snapshots and rendering to a file.
///
/// - Concurrency: see `GLContext`. Several may exist at once, each current on a thread of its own.
/// - Errors: `GLError.unavailable` says which part is missing.
/// - Corresponds to: EGL's surfaceless platform, `EGL_MESA_platform_surfaceless`; a 1 x 1 pbuffer
///   stands in where a driver cannot do without a surface.
public final class HeadlessContext: GLContext, @unchecked Sendable {
    // Unchecked: all properties are constant; EGL itself refuses to make a context current on a
    // second thread.
    private let display: EGLDisplay?
    private let context: EGLContext?
    private let surface: EGLSurface?
    public let capabilities: GLCapabilities
    public let deletionQueue = GLDeletionQueue()
    public var isExclusive: Bool { true }

    /// Makes a 3.3 core context and makes it current on the calling thread.
    public init() throws(GLError) {
        try Self.requireLibraries()
        let display = try Self.initializedDisplay()
        guard ph_eglBindAPI(UInt32(EGL_OPENGL_API)) != 0 else {
            throw .unavailable(reason: "this EGL offers OpenGL ES only")
        }
        let isSurfaceless = ph_epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")
        let config = try Self.config(of: display, needsPbuffer: !isSurfaceless)
        let context = ph_eglCreateContext(
            display, config, ph_EGL_NO_CONTEXT(),
            [
                EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE,
            ])
        guard context != ph_EGL_NO_CONTEXT() else {
            throw .unavailable(
                reason: "EGL makes no OpenGL 3.3 core context, \(Self.lastError())")
        }
        var surface = ph_EGL_NO_SURFACE()
        if !isSurfaceless {
            surface = ph_eglCreatePbufferSurface(
                display, config, [EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE])
        }
        do throws(GLError) {
            guard ph_eglMakeCurrent(display, surface, surface, context) != 0 else {
                throw .unavailable(
                    reason: "EGL does not make its context current, \(Self.lastError())")
            }
            deletionQueue.bindToCurrentThread()
            capabilities = try GLCapabilities.ofCurrentContext()
        } catch {
            Self.release(display: display, surface: surface, context: context)
            throw error
        }
        self.display = display
        self.context = context
        self.surface = surface
    }

    /// The display stays initialised: EGL has one for the whole process, and other contexts, of
    /// ours or of the host, may live on it.
    deinit { Self.release(display: display, surface: surface, context: context) }

    public func makeCurrent() throws(GLError) {
        guard ph_eglMakeCurrent(display, surface, surface, context) != 0 else {
            throw .unavailable(reason: "the context is current elsewhere, \(Self.lastError())")
        }
        deletionQueue.bindToCurrentThread()
    }

    public func clearCurrent() {
        _ = ph_eglMakeCurrent(
            display, ph_EGL_NO_SURFACE(), ph_EGL_NO_SURFACE(), ph_EGL_NO_CONTEXT())
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

    private static func release(
        display: EGLDisplay?, surface: EGLSurface?, context: EGLContext?
    ) {
        if surface != ph_EGL_NO_SURFACE() { _ = ph_eglDestroySurface(display, surface) }
        _ = ph_eglDestroyContext(display, context)
    }

    private static func lastError() -> String {
        "EGL error 0x" + String(ph_eglGetError(), radix: 16)
    }
}
