// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The parts of OpenGL's global state that drawing video depends on.
///
/// State is set but never queried, because a query makes a driver wait.
///
/// - Concurrency: render thread.
public enum GLState {
    /// Sets all state that drawing depends on; called once a frame.
    ///
    /// - Parameters:
    ///   - isExclusive: true if only Playhead calls OpenGL in the context. The state from the last
    ///     frame is then still set.
    ///   - capabilities: the capabilities of the context; may be nil if the context is not OpenGL
    ///     ES.
    public static func beginFrame(
        isExclusive: Bool = false, capabilities: GLCapabilities? = nil
    ) {
        let bindings = GLBindings.current
        if isExclusive, bindings.isTrusted { return }
        bindings.distrust()
        ph_glDisable(UInt32(GL_DEPTH_TEST))
        ph_glDisable(UInt32(GL_STENCIL_TEST))
        ph_glDisable(UInt32(GL_SCISSOR_TEST))
        ph_glDisable(UInt32(GL_CULL_FACE))
        ph_glDisable(UInt32(GL_BLEND))
        let features = capabilities?.features ?? .all
        if features.contains(.sRGBSwitch) { ph_glDisable(UInt32(GL_FRAMEBUFFER_SRGB)) }
        ph_glDisable(UInt32(GL_RASTERIZER_DISCARD))
        // Our shaders have one output. A host's masks for further draw buffers are not changed.
        if features.contains(.indexedBuffers) {
            ph_glColorMaski(0, 1, 1, 1, 1)
        } else {
            ph_glColorMask(1, 1, 1, 1)
        }
        ph_glBlendEquation(UInt32(GL_FUNC_ADD))
        // If an unpack buffer were bound, the addresses of uploads would be offsets into it.
        ph_glBindBuffer(UInt32(GL_PIXEL_UNPACK_BUFFER), 0)
        bindings.trust()
    }

    /// After this call, changes and deletions by other contexts of the group are visible. Called
    /// once a frame.
    package static func refreshSharedObjects() { GLBindings.current.forgetTextures() }

    /// Returns whether the context is lost; called once a frame.
    package static func isLost(_ context: any GLContext) -> Bool {
        context.loss.checkFrame(context.capabilities)
    }

    /// Unbinds everything that could affect a host; called once a frame.
    package static func endFrame(usedUnits: Int, isExclusive: Bool = false) {
        guard !isExclusive else { return }
        let bindings = GLBindings.current
        bindings.distrust()
        // Uploads by other code depend on OpenGL's defaults.
        bindings.set(unpackAlignment: 4)
        bindings.set(unpackRowLength: 0)
        ph_glDisable(UInt32(GL_BLEND))
        bindings.bind(vertexArray: 0)
        bindings.use(program: 0)
        for unit in 0..<usedUnits { bindings.bind(sampler: 0, unit: unit) }
        bindings.activate(0)
    }

    /// Makes a framebuffer the target of all further drawing, with a viewport that covers it; 0 is
    /// the window's framebuffer.
    package static func setTarget(framebuffer: UInt32, width: Int, height: Int) {
        let bindings = GLBindings.current
        bindings.bind(framebuffer: framebuffer)
        bindings.set(viewportWidth: width, height: height)
    }

    /// Sets the blending. Does not call OpenGL if the blending is already set.
    package static func setBlending(_ blending: GLBlending) {
        guard GLBindings.current.changes(blending) else { return }
        switch blending {
        case .replace:
            ph_glDisable(UInt32(GL_BLEND))
        case .premultipliedOver:
            ph_glEnable(UInt32(GL_BLEND))
            ph_glBlendFunc(UInt32(GL_ONE), UInt32(GL_ONE_MINUS_SRC_ALPHA))
        case .factors(let source, let destination, let sourceAlpha, let destinationAlpha):
            ph_glEnable(UInt32(GL_BLEND))
            ph_glBlendFuncSeparate(
                source.code, destination.code, sourceAlpha.code, destinationAlpha.code)
        }
    }

    /// Fills the target with a colour: red, green, blue, alpha.
    package static func clear(_ color: SIMD4<Float>) {
        GLBindings.current.set(clearColor: color)
        GLDriverLock.withLock { ph_glClear(UInt32(GL_COLOR_BUFFER_BIT)) }
    }

    /// Submits the issued commands to the GPU without waiting for them.
    package static func flush() { GLDriverLock.withLock { ph_glFlush() } }

    /// Waits until all drawing is complete. Only for benchmarks and tests.
    package static func finish() { GLDriverLock.withLock { ph_glFinish() } }

    /// Returns OpenGL's pending error and clears it; nil if no error is pending. It is for tests
    /// and for use after large allocations: a query in every frame would make a driver wait.
    package static func takeError() -> UInt32? {
        let code = ph_glGetError()
        return code == UInt32(GL_NO_ERROR) ? nil : code
    }
}
