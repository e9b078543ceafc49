// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A description of the current context that determines which parts of its state exist and have to
/// be saved.
struct GLHostProfile {
    /// The version times ten: 33 for OpenGL 3.3, 30 for OpenGL ES 3.0.
    let version: Int
    let isES: Bool
    /// A Boolean value that indicates whether the host uses a compatibility profile, with the
    /// features that OpenGL 3.1 removed.
    let isCompatibility: Bool
    /// The number of draw buffers with their own mask and blending switch; 1 if all share them.
    let drawBufferCount: Int
    /// The number of draw buffers with their own blending factors; 1 if all share them.
    let blendCount: Int
    let viewportCount: Int
    let hasPolygonMode: Bool
    let hasClipControl: Bool
    /// A Boolean value that indicates whether transform feedback can be paused.
    let hasFeedbackPause: Bool
    /// A Boolean value that indicates whether there is a switch for the encoding of sRGB
    /// framebuffers.
    let hasSRGBSwitch: Bool

    /// A Boolean value that indicates whether each draw buffer must be queried separately.
    let isIndexed: Bool

    static func ofCurrentContext() -> GLHostProfile {
        let version = Int(ph_epoxy_gl_version())
        let isES = !ph_epoxy_is_desktop_gl()
        func integer(_ name: Int32) -> Int {
            var value: Int32 = 0
            ph_glGetIntegerv(UInt32(name), &value)
            return Int(value)
        }
        func has(_ name: String) -> Bool { ph_epoxy_has_gl_extension(name) }
        guard isES else {
            let drawBuffers = integer(GL_MAX_DRAW_BUFFERS)
            let mask = Int32(integer(GL_CONTEXT_PROFILE_MASK))
            return GLHostProfile(
                version: version, isES: false,
                isCompatibility: mask & GL_CONTEXT_COMPATIBILITY_PROFILE_BIT != 0,
                drawBufferCount: drawBuffers, blendCount: version >= 40 ? drawBuffers : 1,
                viewportCount: version >= 41 ? integer(GL_MAX_VIEWPORTS) : 1,
                hasPolygonMode: true, hasClipControl: version >= 45,
                hasFeedbackPause: version >= 40,
                hasSRGBSwitch: true, isIndexed: true)
        }
        let features = GLFeatures.ofCurrentES(version: version)
        let isIndexed = features.contains(.indexedBuffers)
        let drawBuffers = isIndexed ? integer(GL_MAX_DRAW_BUFFERS) : 1
        let hasViewports = has("GL_OES_viewport_array") || has("GL_NV_viewport_array")
        return GLHostProfile(
            version: version, isES: true, isCompatibility: false, drawBufferCount: drawBuffers,
            blendCount: drawBuffers, viewportCount: hasViewports ? integer(GL_MAX_VIEWPORTS) : 1,
            hasPolygonMode: has("GL_NV_polygon_mode"), hasClipControl: has("GL_EXT_clip_control"),
            hasFeedbackPause: true, hasSRGBSwitch: features.contains(.sRGBSwitch),
            isIndexed: isIndexed)
    }
}
