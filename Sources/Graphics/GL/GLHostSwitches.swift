// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A host's switches (`glEnable`, `glDisable`) that affect drawing or copying.
///
/// - Concurrency: render thread.
final class GLHostSwitches {
    /// The switches that every version of OpenGL has.
    private static let everywhere = [
        GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE, GL_RASTERIZER_DISCARD, GL_DITHER,
        GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SAMPLE_COVERAGE, GL_POLYGON_OFFSET_FILL,
    ]
    // OpenGL 3.3 core, table 6.46, guarantees 8 clip distances.
    private static let clipDistances = (0..<8).map { GL_CLIP_DISTANCE0 + $0 }

    private let profile: GLHostProfile
    /// The switches that apply to all buffers and viewports.
    private let plain: [UInt32]
    private var plainValues: [Bool]
    /// The switches that each viewport or draw buffer has.
    private var scissorTests: [Bool]
    private var blends: [Bool]

    init(_ profile: GLHostProfile) {
        self.profile = profile
        let names =
            Self.everywhere + (profile.isES ? Self.namesOfES(profile) : Self.names(profile))
        plain = names.map { UInt32($0) }
        plainValues = [Bool](repeating: false, count: plain.count)
        scissorTests = [Bool](
            repeating: false, count: profile.viewportCount)
        blends = [Bool](repeating: false, count: profile.drawBufferCount)
    }

    private static func names(_ profile: GLHostProfile) -> [Int32] {
        var names = [
            GL_FRAMEBUFFER_SRGB, GL_COLOR_LOGIC_OP, GL_SAMPLE_ALPHA_TO_ONE, GL_SAMPLE_MASK,
            GL_POLYGON_SMOOTH,
        ]
        names += clipDistances
        if profile.version >= 40 { names.append(GL_SAMPLE_SHADING) }
        if profile.isCompatibility { names += [GL_ALPHA_TEST, GL_POLYGON_STIPPLE] }
        return names
    }

    private static func namesOfES(_ profile: GLHostProfile) -> [Int32] {
        var names: [Int32] = []
        if profile.hasSRGBSwitch { names.append(GL_FRAMEBUFFER_SRGB) }
        if profile.version >= 31 { names.append(GL_SAMPLE_MASK) }
        if profile.version >= 32 || ph_epoxy_has_gl_extension("GL_OES_sample_shading") {
            names.append(GL_SAMPLE_SHADING)
        }
        if ph_epoxy_has_gl_extension("GL_EXT_multisample_compatibility") {
            names.append(GL_SAMPLE_ALPHA_TO_ONE)
        }
        if ph_epoxy_has_gl_extension("GL_EXT_clip_cull_distance") { names += clipDistances }
        return names
    }

    func save() {
        for index in plain.indices { plainValues[index] = ph_glIsEnabled(plain[index]) != 0 }
        if scissorTests.count == 1 {
            scissorTests[0] = ph_glIsEnabled(UInt32(GL_SCISSOR_TEST)) != 0
        } else {
            for index in scissorTests.indices {
                scissorTests[index] =
                    ph_glIsEnabledi(UInt32(GL_SCISSOR_TEST), UInt32(index)) != 0
            }
        }
        guard profile.isIndexed else {
            blends[0] = ph_glIsEnabled(UInt32(GL_BLEND)) != 0
            return
        }
        for index in blends.indices {
            blends[index] = ph_glIsEnabledi(UInt32(GL_BLEND), UInt32(index)) != 0
        }
    }

    func setDefaults() {
        for index in plain.indices where plainValues[index] { ph_glDisable(plain[index]) }
        if scissorTests.contains(true) { ph_glDisable(UInt32(GL_SCISSOR_TEST)) }
        ph_glDisable(UInt32(GL_BLEND))
    }

    func restore() {
        for index in plain.indices { set(plain[index], plainValues[index]) }
        // The calls without an index apply to all viewports or draw buffers.
        ph_glDisable(UInt32(GL_SCISSOR_TEST))
        if scissorTests.count == 1 {
            set(UInt32(GL_SCISSOR_TEST), scissorTests[0])
        } else {
            for index in scissorTests.indices where scissorTests[index] {
                ph_glEnablei(UInt32(GL_SCISSOR_TEST), UInt32(index))
            }
        }
        ph_glDisable(UInt32(GL_BLEND))
        guard profile.isIndexed else {
            set(UInt32(GL_BLEND), blends[0])
            return
        }
        for index in blends.indices where blends[index] {
            ph_glEnablei(UInt32(GL_BLEND), UInt32(index))
        }
    }

    private func set(_ name: UInt32, _ isOn: Bool) {
        if isOn { ph_glEnable(name) } else { ph_glDisable(name) }
    }
}
