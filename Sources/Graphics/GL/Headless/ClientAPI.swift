// SPDX-License-Identifier: Apache-2.0

import CPlayheadEGL
import Glibc

/// A kind of OpenGL for which EGL creates contexts.
///
/// - Corresponds to: the client APIs of EGL 1.5, 3.7: `EGL_OPENGL_API` and `EGL_OPENGL_ES_API`.
enum ClientAPI: CaseIterable {
    // In the order in which they are tried. Processors of small boards often support OpenGL ES 3
    // and no OpenGL later than 3.1.
    case desktop, embedded

    /// The name with the version that Playhead requires.
    var name: String { self == .desktop ? "OpenGL 3.3" : "OpenGL ES 3.0" }

    /// The versions to request, in this order. Compute shaders need OpenGL 4.3 or OpenGL ES 3.1.
    ///
    /// Mesa returns the newest version that is compatible with the requested one, and NVIDIA's
    /// driver returns the requested one.
    var versions: [(major: Int32, minor: Int32)] {
        self == .desktop ? [(4, 3), (3, 3)] : [(3, 1), (3, 0)]
    }

    /// The bit of `EGL_RENDERABLE_TYPE`.
    var renderableType: Int32 { self == .desktop ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT }

    /// The attributes of a context besides its version.
    var attributes: [Int32] {
        self == .desktop
            ? [EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT] : []
    }

    /// Makes the API that of the calling thread, for calls of EGL that create contexts or make
    /// them current.
    ///
    /// - Returns: false if EGL does not support it.
    func bind() -> Bool {
        ph_eglBindAPI(UInt32(self == .desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API)) != 0
    }

    /// Checks that the libraries exist, because libepoxy ends the process if one is missing.
    func requireLibraries() throws(GLError) {
        let functions =
            self == .desktop
            ? (["libOpenGL.so.0", "libGL.so.1"], "libgl1") : (["libGLESv2.so.2"], "libgles2")
        for (names, package) in [(["libEGL.so.1"], "libegl1"), functions] {
            guard names.contains(where: { dlopen($0, RTLD_LAZY | RTLD_LOCAL) != nil }) else {
                throw .unavailable(
                    reason: "\(names[0]) is not installed; on Debian: apt install \(package)")
            }
        }
    }
}
