// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The features that every implementation of OpenGL 3.3 has. OpenGL ES has them only if the driver
/// offers more than the minimum.
///
/// - Concurrency: any thread.
/// - Corresponds to: `GL_EXTENSIONS` of OpenGL ES.
package struct GLFeatures: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Textures of 16-bit integers: `GL_EXT_texture_norm16`. Without this feature, 16-bit samples
    /// are stored as 16-bit floats, which have 11 significant bits.
    package static let textures16 = GLFeatures(rawValue: 1 << 0)
    /// Linear filtering of textures of 32-bit floats: `GL_OES_texture_float_linear`.
    package static let filteredFloats = GLFeatures(rawValue: 1 << 1)
    /// Drawing to textures of 16-bit floats: `GL_EXT_color_buffer_half_float`.
    package static let halfFloatTargets = GLFeatures(rawValue: 1 << 2)
    /// Drawing to textures of 32-bit floats: `GL_EXT_color_buffer_float`.
    package static let floatTargets = GLFeatures(rawValue: 1 << 3)
    /// GPU timestamps: `GL_EXT_disjoint_timer_query`.
    package static let timers = GLFeatures(rawValue: 1 << 4)
    /// Masks and blending per draw buffer: OpenGL ES 3.2, or 3.1 with
    /// `GL_OES_draw_buffers_indexed`.
    package static let indexedBuffers = GLFeatures(rawValue: 1 << 5)
    /// A switch that turns the encoding of sRGB framebuffers on and off:
    /// `GL_EXT_sRGB_write_control`.
    package static let sRGBSwitch = GLFeatures(rawValue: 1 << 6)
    /// Uploads of samples whose byte order is not that of the CPU: `GL_UNPACK_SWAP_BYTES`.
    package static let swappedUploads = GLFeatures(rawValue: 1 << 7)
    /// Uploads of pixels with 8 bits per channel and blue first: `GL_BGRA`.
    package static let blueFirst = GLFeatures(rawValue: 1 << 8)
    /// Implicit conversion of integers to floats in shaders: `GL_EXT_shader_implicit_conversions`.
    package static let implicitConversions = GLFeatures(rawValue: 1 << 9)

    /// The set of all features, which OpenGL 3.3 has.
    package static let all = GLFeatures(rawValue: (1 << 10) - 1)

    /// Returns the features of the current OpenGL ES context.
    static func ofCurrentES(version: Int) -> GLFeatures {
        var features: GLFeatures = []
        func add(_ feature: GLFeatures, if names: String...) {
            if names.contains(where: { ph_epoxy_has_gl_extension($0) }) { features.insert(feature) }
        }
        add(.textures16, if: "GL_EXT_texture_norm16")
        add(.filteredFloats, if: "GL_OES_texture_float_linear")
        add(.halfFloatTargets, if: "GL_EXT_color_buffer_half_float", "GL_EXT_color_buffer_float")
        add(.floatTargets, if: "GL_EXT_color_buffer_float")
        add(.timers, if: "GL_EXT_disjoint_timer_query")
        add(.sRGBSwitch, if: "GL_EXT_sRGB_write_control")
        if version >= 31 {
            add(.implicitConversions, if: "GL_EXT_shader_implicit_conversions")
            // Before 3.1, the state of a single draw buffer cannot be queried.
            add(.indexedBuffers, if: "GL_OES_draw_buffers_indexed", "GL_EXT_draw_buffers_indexed")
        }
        if version >= 32 { features.insert(.indexedBuffers) }
        return features
    }
}
