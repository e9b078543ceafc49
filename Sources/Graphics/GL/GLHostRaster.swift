// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A host's rasterisation state: viewports, blending, masks, polygon mode, clipping.
///
/// - Concurrency: render thread.
final class GLHostRaster {
    /// The blending factors and equations of one draw buffer.
    private struct Blend: Equatable {
        var source: Int32 = GL_ONE
        var destination: Int32 = GL_ZERO
        var sourceAlpha: Int32 = GL_ONE
        var destinationAlpha: Int32 = GL_ZERO
        var equation: Int32 = GL_FUNC_ADD
        var alphaEquation: Int32 = GL_FUNC_ADD
    }

    private let profile: GLHostProfile
    private var viewports: [Float]
    private var masks: [UInt8]
    /// The blending of each draw buffer. Before OpenGL 4.0, one blending applies to all.
    private var blends: [Blend]
    private var clearColor: [Float] = [0, 0, 0, 0]
    /// The polygon modes of front and back. The core profile has one mode for both.
    private var polygonModes: [Int32] = [GL_FILL, GL_FILL]
    private var clipOrigin = GL_LOWER_LEFT
    private var clipDepth = GL_NEGATIVE_ONE_TO_ONE
    private var vertexClamp = GL_TRUE
    private var fragmentClamp = GL_FIXED_ONLY

    init(_ profile: GLHostProfile) {
        self.profile = profile
        viewports = [Float](repeating: 0, count: 4 * profile.viewportCount)
        masks = [UInt8](repeating: 1, count: 4 * profile.drawBufferCount)
        blends = [Blend](
            repeating: Blend(), count: profile.blendCount)
    }

    func save() {
        viewports.withUnsafeMutableBufferPointer { values in
            guard let values = values.baseAddress else { return }
            if profile.viewportCount == 1 {
                ph_glGetFloatv(UInt32(GL_VIEWPORT), values)
            } else {
                for index in 0..<profile.viewportCount {
                    ph_glGetFloati_v(UInt32(GL_VIEWPORT), UInt32(index), values + 4 * index)
                }
            }
        }
        masks.withUnsafeMutableBufferPointer { values in
            guard let values = values.baseAddress else { return }
            guard profile.isIndexed else {
                ph_glGetBooleanv(UInt32(GL_COLOR_WRITEMASK), values)
                return
            }
            for index in 0..<profile.drawBufferCount {
                ph_glGetBooleani_v(UInt32(GL_COLOR_WRITEMASK), UInt32(index), values + 4 * index)
            }
        }
        for index in blends.indices { blends[index] = blend(index) }
        ph_glGetFloatv(UInt32(GL_COLOR_CLEAR_VALUE), &clearColor)
        if profile.hasPolygonMode { ph_glGetIntegerv(UInt32(GL_POLYGON_MODE), &polygonModes) }
        if profile.hasClipControl {
            ph_glGetIntegerv(UInt32(GL_CLIP_ORIGIN), &clipOrigin)
            ph_glGetIntegerv(UInt32(GL_CLIP_DEPTH_MODE), &clipDepth)
        }
        if profile.isCompatibility {
            ph_glGetIntegerv(UInt32(GL_CLAMP_VERTEX_COLOR), &vertexClamp)
            ph_glGetIntegerv(UInt32(GL_CLAMP_FRAGMENT_COLOR), &fragmentClamp)
        }
    }

    func setDefaults() {
        // Our shaders have one output, so the values for further draw buffers are undefined.
        for index in 1..<max(1, profile.drawBufferCount) {
            ph_glColorMaski(UInt32(index), 0, 0, 0, 0)
        }
        if profile.isIndexed { ph_glColorMaski(0, 1, 1, 1, 1) } else { ph_glColorMask(1, 1, 1, 1) }
        ph_glBlendEquation(UInt32(GL_FUNC_ADD))
        if polygonModes[0] != GL_FILL || (profile.isCompatibility && polygonModes[1] != GL_FILL) {
            ph_glPolygonMode(UInt32(GL_FRONT_AND_BACK), UInt32(GL_FILL))
        }
        if clipOrigin != GL_LOWER_LEFT || clipDepth != GL_NEGATIVE_ONE_TO_ONE {
            ph_glClipControl(UInt32(GL_LOWER_LEFT), UInt32(GL_NEGATIVE_ONE_TO_ONE))
        }
        if profile.isCompatibility {
            ph_glClampColor(UInt32(GL_CLAMP_VERTEX_COLOR), UInt32(GL_FALSE))
            ph_glClampColor(UInt32(GL_CLAMP_FRAGMENT_COLOR), UInt32(GL_FIXED_ONLY))
        }
    }

    func restore() {
        if profile.viewportCount == 1 {
            ph_glViewport(
                Int32(viewports[0]), Int32(viewports[1]), Int32(viewports[2]),
                Int32(viewports[3]))
        } else {
            for index in 0..<profile.viewportCount {
                let first = 4 * index
                ph_glViewportIndexedf(
                    UInt32(index), viewports[first], viewports[first + 1], viewports[first + 2],
                    viewports[first + 3])
            }
        }
        restoreMasks()
        restoreBlending()
        ph_glClearColor(clearColor[0], clearColor[1], clearColor[2], clearColor[3])
        if profile.hasPolygonMode { restorePolygonMode() }
        if profile.hasClipControl { ph_glClipControl(UInt32(clipOrigin), UInt32(clipDepth)) }
        if profile.isCompatibility {
            ph_glClampColor(UInt32(GL_CLAMP_VERTEX_COLOR), UInt32(vertexClamp))
            ph_glClampColor(UInt32(GL_CLAMP_FRAGMENT_COLOR), UInt32(fragmentClamp))
        }
    }

    private func restoreMasks() {
        guard profile.isIndexed else {
            ph_glColorMask(masks[0], masks[1], masks[2], masks[3])
            return
        }
        for index in 0..<profile.drawBufferCount {
            let first = 4 * index
            ph_glColorMaski(
                UInt32(index), masks[first], masks[first + 1], masks[first + 2], masks[first + 3])
        }
    }

    private func restorePolygonMode() {
        if profile.isCompatibility {
            ph_glPolygonMode(UInt32(GL_FRONT), UInt32(polygonModes[0]))
            ph_glPolygonMode(UInt32(GL_BACK), UInt32(polygonModes[1]))
        } else {
            ph_glPolygonMode(UInt32(GL_FRONT_AND_BACK), UInt32(polygonModes[0]))
        }
    }

    private func restoreBlending() {
        if blends.count == 1 {
            let blend = blends[0]
            ph_glBlendFuncSeparate(
                UInt32(blend.source), UInt32(blend.destination), UInt32(blend.sourceAlpha),
                UInt32(blend.destinationAlpha))
            // An equation of GL_KHR_blend_equation_advanced applies to colour and alpha together.
            if blend.equation == blend.alphaEquation {
                ph_glBlendEquation(UInt32(blend.equation))
            } else {
                ph_glBlendEquationSeparate(UInt32(blend.equation), UInt32(blend.alphaEquation))
            }
            return
        }
        for index in blends.indices {
            let blend = blends[index]
            ph_glBlendFuncSeparatei(
                UInt32(index), UInt32(blend.source), UInt32(blend.destination),
                UInt32(blend.sourceAlpha), UInt32(blend.destinationAlpha))
            if blend.equation == blend.alphaEquation {
                ph_glBlendEquationi(UInt32(index), UInt32(blend.equation))
            } else {
                ph_glBlendEquationSeparatei(
                    UInt32(index), UInt32(blend.equation), UInt32(blend.alphaEquation))
            }
        }
    }

    private func blend(_ index: Int) -> Blend {
        var blend = Blend()
        func read(_ name: Int32, _ value: inout Int32) {
            if blends.count == 1 {
                ph_glGetIntegerv(UInt32(name), &value)
            } else {
                ph_glGetIntegeri_v(UInt32(name), UInt32(index), &value)
            }
        }
        read(GL_BLEND_SRC_RGB, &blend.source)
        read(GL_BLEND_DST_RGB, &blend.destination)
        read(GL_BLEND_SRC_ALPHA, &blend.sourceAlpha)
        read(GL_BLEND_DST_ALPHA, &blend.destinationAlpha)
        read(GL_BLEND_EQUATION_RGB, &blend.equation)
        read(GL_BLEND_EQUATION_ALPHA, &blend.alphaEquation)
        return blend
    }
}
