// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The version, driver and limits of an OpenGL implementation.
///
/// - Corresponds to: `glGetString`, and the limits that `glGetIntegerv` reads.
public struct GLCapabilities: Sendable, Hashable {
    /// The version times ten: 33 for OpenGL 3.3, 46 for OpenGL 4.6, 30 for OpenGL ES 3.0.
    public let version: Int
    /// A Boolean value that indicates whether the implementation is OpenGL ES, which some hosts
    /// use.
    package let isES: Bool
    /// The optional features of OpenGL ES that the implementation has. OpenGL 3.3 has all of them.
    package let features: GLFeatures
    /// The vendor: `GL_VENDOR`.
    package let vendor: String
    /// The renderer, such as `llvmpipe (LLVM 15.0.6, 256 bits)`: `GL_RENDERER`.
    public let renderer: String
    /// The driver's version text, such as `4.5 (Core Profile) Mesa 22.3.6`: `GL_VERSION`.
    package let versionText: String
    /// The largest width and height of a texture, in texels: `GL_MAX_TEXTURE_SIZE`.
    package let maximumTextureSize: Int
    /// A Boolean value that indicates whether the CPU draws. If so, every shaded pixel costs CPU
    /// time.
    package let isSoftware: Bool
    /// A Boolean value that indicates whether the context is a debug context: see `GLMessageLog`.
    package let isDebug: Bool
    /// A Boolean value that indicates whether the driver reports the loss of the context: see
    /// `GLContextLoss`.
    package let reportsLoss: Bool
    /// A Boolean value that indicates whether buffers can stay mapped while OpenGL reads them:
    /// `ARB_buffer_storage`.
    package let hasBufferStorage: Bool

    /// The lowest version of OpenGL that Playhead supports.
    package static let requiredVersion = 33
    /// The lowest version of OpenGL ES that Playhead supports.
    package static let requiredESVersion = 30

    package init(
        version: Int, isES: Bool = false, features: GLFeatures = .all, vendor: String,
        renderer: String, versionText: String = "", maximumTextureSize: Int, isDebug: Bool = false,
        reportsLoss: Bool = false, hasBufferStorage: Bool = false
    ) {
        self.version = version
        self.isES = isES
        self.features = features
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

    /// The names of Mesa's software rasterisers, and the name that old versions report for all of
    /// them.
    private static let softwareRenderers = [
        "llvmpipe", "softpipe", "swrast", "software rasterizer",
    ]

    /// These capabilities without persistently mapped buffers. They are for a context that other
    /// code may destroy while decoders work in its memory.
    package var withoutBufferStorage: GLCapabilities {
        GLCapabilities(
            version: version, isES: isES, features: features, vendor: vendor, renderer: renderer,
            versionText: versionText, maximumTextureSize: maximumTextureSize, isDebug: isDebug,
            reportsLoss: reportsLoss)
    }

    /// The header of a shader without `#extension` lines.
    package var shaderHeader: String { shaderVersion + shaderPreamble }

    /// The first line of a shader, which precedes its `#extension` lines.
    package var shaderVersion: String { isES ? "#version 300 es\n" : "#version 330 core\n" }

    /// The lines between a shader's `#extension` lines and its text, which is written for OpenGL
    /// 3.3. For OpenGL ES, they set default precisions and define `noperspective` as empty. The
    /// shaders do not need this qualifier, because they draw only in one plane.
    package var shaderPreamble: String {
        isES
            ? "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
                + "#define noperspective\n" : ""
    }

    /// Reads the capabilities of the context that is current on the calling thread.
    ///
    /// - Throws: `GLError.unsupportedVersion` for OpenGL below 3.3, and for OpenGL ES below 3.0.
    package static func ofCurrentContext() throws(GLError) -> GLCapabilities {
        let version = Int(ph_epoxy_gl_version())
        let isES = !ph_epoxy_is_desktop_gl()
        let renderer = string(GL_RENDERER)
        let versionText = string(GL_VERSION)
        guard version >= (isES ? requiredESVersion : requiredVersion) else {
            throw .unsupportedVersion(
                found: versionText.isEmpty ? "no OpenGL" : versionText, renderer: renderer)
        }
        func has(since first: Int, es firstES: Int, _ name: String) -> Bool {
            version >= (isES ? firstES : first) || (!isES && ph_epoxy_has_gl_extension(name))
        }
        let isDebug =
            has(since: 43, es: 32, "GL_KHR_debug")
            && integer(GL_CONTEXT_FLAGS) & GL_CONTEXT_FLAG_DEBUG_BIT != 0
        let reportsLoss =
            has(since: 45, es: 32, "GL_KHR_robustness")
            && integer(GL_RESET_NOTIFICATION_STRATEGY) == GL_LOSE_CONTEXT_ON_RESET
        let capabilities = GLCapabilities(
            version: version, isES: isES, features: isES ? .ofCurrentES(version: version) : .all,
            vendor: string(GL_VENDOR), renderer: renderer, versionText: versionText,
            maximumTextureSize: Int(integer(GL_MAX_TEXTURE_SIZE)), isDebug: isDebug,
            reportsLoss: reportsLoss,
            hasBufferStorage: !isES && has(since: 44, es: 0, "GL_ARB_buffer_storage"))
        if capabilities.isSoftware { GLDriverLock.noteContext() }
        return capabilities
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
