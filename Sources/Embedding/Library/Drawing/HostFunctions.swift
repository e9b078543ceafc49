// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadGL

/// The host's function that finds OpenGL functions.
struct HostFunctions {
    typealias Get =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) ->
        UnsafeMutableRawPointer?

    private let get: Get
    private let user: UnsafeMutableRawPointer?

    init(_ get: @escaping Get, _ user: UnsafeMutableRawPointer?) {
        self.get = get
        self.user = user
    }

    /// Checks that the host and the library use the same OpenGL.
    func check() throws {
        typealias GetString = @convention(c) (UInt32) -> UnsafePointer<UInt8>?
        let address = Callback.run { "glGetString".withCString { get(user, $0) } }
        guard let address else {
            throw CallFailure.argument(
                "options.get_proc returned NULL for glGetString; use eglGetProcAddress or similar")
        }
        guard GLCurrentContext() != nil else { return }
        let ours = try GLCapabilities.ofCurrentContext().versionText
        let getString = unsafeBitCast(address, to: GetString.self)
        // The number is that of GL_VERSION in glcorearb.h.
        let version = getString(0x1F02).map { String(cString: $0) } ?? ""
        guard version == ours else {
            throw CallFailure(
                PLAYHEAD_GL_UNSUPPORTED,
                "options.get_proc returns functions of OpenGL '\(version)', but the current EGL or "
                    + "GLX context is '\(ours)'; make the host's context current")
        }
    }
}
