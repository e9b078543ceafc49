// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// What an OpenGL implementation is and can do.
///
/// - Corresponds to: `glGetString`, and the limits that `glGetIntegerv` reads.
public struct GLCapabilities: Sendable, Hashable {
    /// 33 for OpenGL 3.3, 46 for 4.6.
    public let version: Int
    public let vendor: String
    /// Such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
    public let renderer: String
    /// Largest width and height of a texture, in texels.
    public let maximumTextureSize: Int
    /// Whether the CPU draws, so that every pixel shaded costs CPU time.
    public let isSoftware: Bool

    /// The lowest version that Playhead draws with.
    public static let requiredVersion = 33

    public init(version: Int, vendor: String, renderer: String, maximumTextureSize: Int) {
        self.version = version
        self.vendor = vendor
        self.renderer = renderer
        self.maximumTextureSize = maximumTextureSize
        isSoftware = Self.softwareRenderers.contains { renderer.lowercased().contains($0) }
    }

    /// Mesa's software rasterisers, and the name under which old versions hide them.
    private static let softwareRenderers = [
        "llvmpipe", "softpipe", "swrast", "software rasterizer",
    ]

    /// Asks the context that is current on the calling thread.
    ///
    /// - Throws: `GLError.unsupportedVersion` for OpenGL ES and for OpenGL below 3.3.
    public static func ofCurrentContext() throws(GLError) -> GLCapabilities {
        let version = Int(ph_epoxy_gl_version())
        let renderer = string(GL_RENDERER)
        guard ph_epoxy_is_desktop_gl(), version >= requiredVersion else {
            throw .unsupportedVersion(
                found: string(GL_VERSION).isEmpty ? "no OpenGL" : string(GL_VERSION),
                renderer: renderer)
        }
        var size: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_MAX_TEXTURE_SIZE), &size)
        return GLCapabilities(
            version: version, vendor: string(GL_VENDOR), renderer: renderer,
            maximumTextureSize: Int(size))
    }

    /// `GL_VERSION` of the context that is current on the calling thread.
    public static func versionText() -> String { string(GL_VERSION) }

    private static func string(_ name: Int32) -> String {
        ph_glGetString(UInt32(name)).map { String(cString: $0) } ?? ""
    }
}
