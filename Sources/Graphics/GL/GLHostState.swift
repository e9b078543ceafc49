// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// Keeps a host's OpenGL state while Playhead draws in its context.
///
/// Between `enter` and `leave` everything that what we draw depends on stands at OpenGL's defaults;
/// afterwards it is as it was. What no draw of ours touches or depends on is not looked at. What OpenGL
/// lets nobody ask for or put back is left to the host: no draw of ours belongs between
/// `glBeginConditionalRender` and its end, nor into transform feedback before OpenGL 4.0; queries that run
/// count what we draw too; and a program that the host has deleted while it is current is gone afterwards,
/// and none is current. Where OpenGL ES masks all draw buffers alike, before 3.1 or without an extension, a
/// framebuffer that is drawn to has one.
///
/// No call made here can fail, and `glGetError` is never called: an error of the host's that is
/// pending stays pending.
///
/// - Concurrency: render thread.
/// - Corresponds to: the compatibility profile's `glPushAttrib`, which the core profile lacks.
public final class GLHostState {
    /// What is kept.
    public enum Mode: Int32, Sendable, Hashable {
        /// All that is touched is asked for before and put back after.
        case restoreAll = 0
        /// OpenGL's defaults are there before, and are left: nothing is asked for.
        case assumeDefault = 1
        /// Whatever comes after sets what it needs: nothing is asked for, and anything is left.
        case hostResets = 2
    }

    /// Texture units that are ours at most: `GL_MAX_TEXTURE_IMAGE_UNITS` of OpenGL 3.3 is at least 16.
    public static let unitCount = 16

    /// What of the host's state is kept.
    public let mode: Mode
    /// The first texture unit that is ours.
    package let unitBase: Int
    private let profile: GLHostProfile
    private let switches: GLHostSwitches
    private let buffers: GLHostBuffers
    private let raster: GLHostRaster
    private var unitsKept = 0
    private var activeUnit: Int32 = 0
    private var textures = [Int32](repeating: 0, count: unitCount)
    private var samplers = [Int32](repeating: 0, count: unitCount)

    /// - Precondition: the context is current, and has so many units.
    public init(mode: Mode, unitBase: Int) {
        self.mode = mode
        self.unitBase = unitBase
        profile = GLHostProfile.ofCurrentContext()
        switches = GLHostSwitches(profile)
        buffers = GLHostBuffers(profile)
        raster = GLHostRaster(profile)
    }

    /// How many texture units a shader stage of the current context's can use together with others.
    package static var unitLimit: Int {
        var count: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS), &count)
        return Int(count)
    }

    /// Whether a framebuffer has several samples a pixel: nothing can be copied to it then, only drawn.
    /// Between `enter` and `leave`.
    package func isMultisampled(framebuffer: UInt32) -> Bool {
        GLBindings.current.bind(framebuffer: framebuffer)
        var count: Int32 = 0
        ph_glGetIntegerv(UInt32(GL_SAMPLE_BUFFERS), &count)
        return count > 0
    }

    /// What `status(ofFramebuffer:)` gives for one that can be drawn to.
    package static let completeFramebuffer = UInt32(GL_FRAMEBUFFER_COMPLETE)

    /// Whether there is a framebuffer, and it can be drawn to. Between `enter` and `leave`.
    ///
    /// - Returns: nil where there is none of that name, else the code of `glCheckFramebufferStatus`.
    package func status(ofFramebuffer framebuffer: UInt32) -> UInt32? {
        guard framebuffer == 0 || ph_glIsFramebuffer(framebuffer) != 0 else { return nil }
        GLBindings.current.bind(framebuffer: framebuffer)
        return ph_glCheckFramebufferStatus(UInt32(GL_FRAMEBUFFER))
    }

    /// Begins: OpenGL is ours.
    ///
    /// - Parameter units: how many texture units, from the base on, may be touched.
    public func enter(units: Int = unitCount) {
        GLBindings.current.distrust()
        GLBindings.current.unitBase = unitBase
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

    /// Ends: OpenGL is the host's.
    public func leave() {
        let bindings = GLBindings.current
        bindings.distrust()
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
            // In OpenGL ES it is on, where there is a switch for it.
            if profile.isES, profile.hasSRGBSwitch { ph_glEnable(UInt32(GL_FRAMEBUFFER_SRGB)) }
            // What uploads leave; drawing does not touch the rest of pixel storage.
            ph_glPixelStorei(UInt32(GL_UNPACK_ALIGNMENT), 4)
            ph_glPixelStorei(UInt32(GL_UNPACK_ROW_LENGTH), 0)
        case .hostResets:
            break
        }
        bindings.usedUnits = 0
        bindings.unitBase = 0
    }
}
