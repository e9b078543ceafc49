// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// An object that saves a host's OpenGL state before Playhead draws in the host's context, and
/// restores it afterwards.
///
/// Between `enter` and `leave`, all state that affects Playhead's drawing has OpenGL's default.
/// After `leave`, the state is as before. State that the drawing neither changes nor depends on is
/// not queried.
///
/// Some state can be neither queried nor restored, so the host has to observe these rules:
///
/// - Do not call Playhead between `glBeginConditionalRender` and `glEndConditionalRender`. Before
///   OpenGL 4.0, do not call it while transform feedback is active either.
/// - End queries that must not include Playhead's drawing.
/// - Do not delete the current program. If it is deleted, it no longer exists after `leave`, and no
///   program is current.
/// - If OpenGL ES has one mask for all draw buffers (before 3.1, or without an extension), the
///   framebuffer must have one draw buffer.
///
/// None of the OpenGL calls can fail, and `glGetError` is never called. A pending error of the host
/// stays pending.
///
/// - Concurrency: render thread.
/// - Corresponds to: the compatibility profile's `glPushAttrib`, which the core profile lacks.
public final class GLHostState {
    /// The way in which the host's state is preserved.
    public enum Mode: Int32, Sendable, Hashable {
        /// All state that Playhead changes is saved before and restored afterwards.
        case restoreAll = 0
        /// The state has OpenGL's defaults before `enter` and after `leave`. Nothing is queried.
        case assumeDefault = 1
        /// Nothing is queried, and nothing is restored. After `leave`, the host sets all state that
        /// it needs.
        case hostResets = 2
    }

    /// The maximum number of texture units that Playhead uses. OpenGL 3.3 guarantees 16 for
    /// `GL_MAX_TEXTURE_IMAGE_UNITS`.
    package static let unitCount = 16

    /// The way in which the host's state is preserved.
    public let mode: Mode
    /// The first texture unit that Playhead uses.
    package let unitBase: Int
    private let profile: GLHostProfile
    private let switches: GLHostSwitches
    private let buffers: GLHostBuffers
    private let raster: GLHostRaster
    private var unitsKept = 0
    private var activeUnit: Int32 = 0
    private var textures = [Int32](repeating: 0, count: unitCount)
    private var samplers = [Int32](repeating: 0, count: unitCount)

    /// Creates the storage for the state.
    ///
    /// - Precondition: the context is current. The sum of `unitBase` and the number of units in use
    ///   is at most `unitLimit`.
    public init(mode: Mode, unitBase: Int) {
        self.mode = mode
        self.unitBase = unitBase
        profile = GLHostProfile.ofCurrentContext()
        switches = GLHostSwitches(profile)
        buffers = GLHostBuffers(profile)
        raster = GLHostRaster(profile)
    }

    /// The total number of texture units of the current context, which all shader stages share.
    package static var unitLimit: Int {
        var count: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS), &count)
        return Int(count)
    }

    /// Returns whether a framebuffer is multisampled. Such a framebuffer can be drawn to, but
    /// nothing can be copied to it. Call this between `enter` and `leave`.
    package func isMultisampled(framebuffer: UInt32) -> Bool {
        GLBindings.current.bind(framebuffer: framebuffer)
        var count: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_SAMPLE_BUFFERS), &count)
        return count > 0
    }

    /// The result of `status(ofFramebuffer:)` for a framebuffer that can be drawn to.
    package static let completeFramebuffer = UInt32(GL_FRAMEBUFFER_COMPLETE)

    /// Returns the status of a framebuffer, which indicates whether it exists and can be drawn to.
    /// Call this between `enter` and `leave`.
    ///
    /// - Returns: nil if no framebuffer has that name, otherwise the code of
    ///   `glCheckFramebufferStatus`.
    package func status(ofFramebuffer framebuffer: UInt32) -> UInt32? {
        guard framebuffer == 0 || ph_glIsFramebuffer(framebuffer) != 0 else { return nil }
        GLBindings.current.bind(framebuffer: framebuffer)
        return ph_glCheckFramebufferStatus(UInt32(GL_FRAMEBUFFER))
    }

    /// Saves the host's state. Playhead may draw until `leave` is called.
    ///
    /// - Parameter units: the number of texture units, from `unitBase` on, that may be used.
    public func enter(units: Int = 16) {
        GLBindings.current.distrust()
        GLBindings.current.unitBase = unitBase
        GLBindings.current.hostSaving =
            switch mode {
            case .restoreAll: .queried
            case .assumeDefault: GLBindings.HostSaving.none
            case .hostResets: nil
            }
        guard mode == .restoreAll else { return }
        buffers.save()
        switches.save()
        raster.save()
        unitsKept = min(units, Self.unitCount)
        ph_glGetIntegerv(UInt32(GL_ACTIVE_TEXTURE), &activeUnit)
        for index in 0..<unitsKept {
            ph_glActiveTexture(UInt32(GL_TEXTURE0 + Int32(unitBase + index)))
            ph_glGetIntegerv(UInt32(GL_TEXTURE_BINDING_2D), &textures[index])
            ph_glGetIntegerv(UInt32(GL_SAMPLER_BINDING), &samplers[index])
        }
        buffers.setDefaults()
        switches.setDefaults()
        raster.setDefaults()
    }

    /// Restores the host's state.
    public func leave() {
        let bindings = GLBindings.current
        bindings.distrust()
        bindings.restoreHostTextures()
        switch mode {
        case .restoreAll:
            for index in 0..<unitsKept {
                ph_glActiveTexture(UInt32(GL_TEXTURE0 + Int32(unitBase + index)))
                ph_glBindTexture(UInt32(GL_TEXTURE_2D), UInt32(textures[index]))
                ph_glBindSampler(UInt32(unitBase + index), UInt32(samplers[index]))
            }
            ph_glActiveTexture(UInt32(activeUnit))
            raster.restore()
            switches.restore()
            buffers.restore()
        case .assumeDefault:
            for index in 0..<bindings.usedUnits {
                ph_glActiveTexture(UInt32(GL_TEXTURE0 + Int32(unitBase + index)))
                ph_glBindTexture(UInt32(GL_TEXTURE_2D), 0)
                ph_glBindSampler(UInt32(unitBase + index), 0)
            }
            ph_glActiveTexture(UInt32(GL_TEXTURE0))
            ph_glUseProgram(0)
            ph_glBindVertexArray(0)
            ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), 0)
            ph_glBindFramebuffer(UInt32(GL_FRAMEBUFFER), 0)
            ph_glDisable(UInt32(GL_BLEND))
            // In OpenGL ES, sRGB encoding is on by default if there is a switch for it.
            if profile.isES, profile.hasSRGBSwitch { ph_glEnable(UInt32(GL_FRAMEBUFFER_SRGB)) }
            // Uploads change these parameters; drawing changes no other pixel storage parameters.
            ph_glPixelStorei(UInt32(GL_UNPACK_ALIGNMENT), 4)
            ph_glPixelStorei(UInt32(GL_UNPACK_ROW_LENGTH), 0)
        case .hostResets:
            break
        }
        bindings.usedUnits = 0
        bindings.unitBase = 0
    }
}
