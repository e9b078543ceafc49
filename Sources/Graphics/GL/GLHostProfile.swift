// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// What the current context's OpenGL has to be asked about.
struct GLHostProfile {
    /// 33 for OpenGL 3.3, 30 for OpenGL ES 3.0.
    let version: Int
    let isES: Bool
    /// Whether what OpenGL 3.1 took away is there.
    let isCompatibility: Bool
    /// How many draw buffers have a mask, and a switch for blending, of their own; 1 where all have the
    /// same.
    let drawBufferCount: Int
    /// How many draw buffers have factors of blending of their own, likewise.
    let blendCount: Int
    let viewportCount: Int
    let hasPolygonMode: Bool
    let hasClipControl: Bool
    /// Whether transform feedback can be paused.
    let hasFeedbackPause: Bool
    /// Whether there is a switch for what framebuffers of sRGB do to what is drawn.
    let hasSRGBSwitch: Bool

    /// Whether each draw buffer is asked for by itself.
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
