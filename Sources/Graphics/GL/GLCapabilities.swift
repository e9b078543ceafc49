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
    /// Of the driver, such as `4.5 (Core Profile) Mesa 22.3.6`.
    public let versionText: String
    /// Largest width and height of a texture, in texels.
    public let maximumTextureSize: Int
    /// Whether the CPU draws, so that every pixel shaded costs CPU time.
    public let isSoftware: Bool
    /// Whether the context was made to say what is wrong with how it is used: `GLMessageLog`.
    public let isDebug: Bool
    /// Whether the context was made to tell when it is lost: `GLContextLoss`.
    public let reportsLoss: Bool
    /// Whether buffers can stay mapped while OpenGL reads them: `ARB_buffer_storage`.
    public let hasBufferStorage: Bool

    /// The lowest version that Playhead draws with.
    public static let requiredVersion = 33

    public init(
        version: Int, vendor: String, renderer: String, versionText: String = "",
        maximumTextureSize: Int, isDebug: Bool = false, reportsLoss: Bool = false,
        hasBufferStorage: Bool = false
    ) {
        self.version = version
        self.vendor = vendor
        self.renderer = renderer
        self.versionText = versionText
        self.maximumTextureSize = maximumTextureSize
        self.isDebug = isDebug
        self.reportsLoss = reportsLoss
        self.hasBufferStorage = hasBufferStorage
        let name = renderer.lowercased()
        isSoftware = Self.softwareRenderers.contains { software in
            name.indices.contains { name[$0...].hasPrefix(software) }
        }
    }

    /// Mesa's software rasterisers, and the name under which old versions hide them.
    private static let softwareRenderers = [
        "llvmpipe", "softpipe", "swrast", "software rasterizer",
    ]

    /// The same without buffers that stay mapped, for a context that others may destroy while decoders
    /// work in them.
    public var withoutBufferStorage: GLCapabilities {
        GLCapabilities(
            version: version, vendor: vendor, renderer: renderer, versionText: versionText,
            maximumTextureSize: maximumTextureSize, isDebug: isDebug, reportsLoss: reportsLoss)
    }

    /// Asks the context that is current on the calling thread.
    ///
    /// - Throws: `GLError.unsupportedVersion` for OpenGL ES and for OpenGL below 3.3.
    public static func ofCurrentContext() throws(GLError) -> GLCapabilities {
        let version = Int(ph_epoxy_gl_version())
        let renderer = string(GL_RENDERER)
        let versionText = string(GL_VERSION)
        guard ph_epoxy_is_desktop_gl(), version >= requiredVersion else {
            throw .unsupportedVersion(
                found: versionText.isEmpty ? "no OpenGL" : versionText, renderer: renderer)
        }
        func has(since first: Int, _ extensions: String...) -> Bool {
            version >= first || extensions.contains { ph_epoxy_has_gl_extension($0) }
        }
        let isDebug =
            integer(GL_CONTEXT_FLAGS) & GL_CONTEXT_FLAG_DEBUG_BIT != 0
            && has(since: 43, "GL_KHR_debug")
        let reportsLoss =
            has(since: 45, "GL_KHR_robustness")
            && integer(GL_RESET_NOTIFICATION_STRATEGY) == GL_LOSE_CONTEXT_ON_RESET
        return GLCapabilities(
            version: version, vendor: string(GL_VENDOR), renderer: renderer,
            versionText: versionText, maximumTextureSize: Int(integer(GL_MAX_TEXTURE_SIZE)),
            isDebug: isDebug, reportsLoss: reportsLoss,
            hasBufferStorage: has(since: 44, "GL_ARB_buffer_storage"))
    }

    private static func string(_ name: Int32) -> String {
        ph_glGetString(UInt32(name)).map { String(cString: $0) } ?? ""
    }

    private static func integer(_ name: Int32) -> Int32 {
        var value: Int32 = 0
        ph_glGetIntegerv(UInt32(name), &value)
        return value
    }
}
