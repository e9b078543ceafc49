// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The few pieces of OpenGL's global state that drawing video depends on.
///
/// They are set, never asked for: asking makes a driver wait.
///
/// - Concurrency: render thread.
public enum GLState {
    /// How what is drawn meets what is there.
    package enum Blending: Sendable, Hashable {
        /// It replaces it.
        case replace
        /// It lies over it; its colour is premultiplied by its alpha. Porter and Duff's "over".
        case premultipliedOver
        /// Each is multiplied by a factor, and both are added: factors of the colour of what is
        /// drawn and of what is there, then of their alphas.
        case factors(Factor, Factor, Factor, Factor)

        /// The same factors for colour and alpha.
        package static func factors(_ source: Factor, _ destination: Factor) -> Blending {
            .factors(source, destination, source, destination)
        }
    }

    /// What blending multiplies by: of what is drawn, the source, and of what is there, the
    /// destination.
    ///
    /// - Corresponds to: the factors of `glBlendFunc`.
    package enum Factor: Sendable, Hashable {
        case zero, one, sourceAlpha, oneMinusSourceAlpha, oneMinusSourceColor
        case destinationAlpha, oneMinusDestinationAlpha, oneMinusDestinationColor

        fileprivate var code: UInt32 {
            switch self {
            case .zero: UInt32(GL_ZERO)
            case .one: UInt32(GL_ONE)
            case .sourceAlpha: UInt32(GL_SRC_ALPHA)
            case .oneMinusSourceAlpha: UInt32(GL_ONE_MINUS_SRC_ALPHA)
            case .oneMinusSourceColor: UInt32(GL_ONE_MINUS_SRC_COLOR)
            case .destinationAlpha: UInt32(GL_DST_ALPHA)
            case .oneMinusDestinationAlpha: UInt32(GL_ONE_MINUS_DST_ALPHA)
            case .oneMinusDestinationColor: UInt32(GL_ONE_MINUS_DST_COLOR)
            }
        }
    }

    /// Brings everything that drawing depends on into a known state: once a frame.
    ///
    /// - Parameters:
    ///   - isExclusive: whether nobody else calls OpenGL in the context, so that what the last frame left
    ///     is still there.
    ///   - capabilities: of the context, where it may be of OpenGL ES.
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
        // Our shaders have one output: what a host masks in further draw buffers stays masked.
        if features.contains(.indexedBuffers) {
            ph_glColorMaski(0, 1, 1, 1, 1)
        } else {
            ph_glColorMask(1, 1, 1, 1)
        }
        ph_glBlendEquation(UInt32(GL_FUNC_ADD))
        // A bound unpack buffer would make the addresses given to uploads offsets into it.
        ph_glBindBuffer(UInt32(GL_PIXEL_UNPACK_BUFFER), 0)
        bindings.trust()
    }

    /// Has what other contexts of the group have changed or deleted be seen: once a frame.
    package static func seeShared() { GLBindings.current.forgetTextures() }

    /// Whether the context can still be drawn in: once a frame.
    package static func isLost(_ context: any GLContext) -> Bool {
        context.loss.checkFrame(context.capabilities)
    }

    /// Leaves nothing of ours bound that a host might trip over: once a frame.
    package static func endFrame(usedUnits: Int, isExclusive: Bool = false) {
        guard !isExclusive else { return }
        let bindings = GLBindings.current
        bindings.distrust()
        // Whoever uploads next counts on OpenGL's own.
        bindings.set(unpackAlignment: 4)
        bindings.set(unpackRowLength: 0)
        ph_glDisable(UInt32(GL_BLEND))
        bindings.bind(vertexArray: 0)
        bindings.use(program: 0)
        for unit in 0..<usedUnits { bindings.bind(sampler: 0, unit: unit) }
        bindings.activate(0)
    }

    /// Draws to a framebuffer, 0 being the window's, all of it.
    package static func setTarget(framebuffer: UInt32, width: Int, height: Int) {
        let bindings = GLBindings.current
        bindings.bind(framebuffer: framebuffer)
        bindings.set(viewportWidth: width, height: height)
    }

    /// Sets how what is drawn meets what is there; nothing is called where it is so already.
    package static func setBlending(_ blending: Blending) {
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
        GLTurns.take { ph_glClear(UInt32(GL_COLOR_BUFFER_BIT)) }
    }

    /// Hands what has been issued to the GPU without waiting for it.
    package static func flush() { GLTurns.take { ph_glFlush() } }

    /// Waits until everything has been drawn: for benchmarks and tests only.
    package static func finish() { GLTurns.take { ph_glFinish() } }

    /// Takes OpenGL's pending error; nil when there is none. For tests and for after large
    /// allocations: asking every frame makes a driver wait.
    package static func takeError() -> UInt32? {
        let code = ph_glGetError()
        return code == UInt32(GL_NO_ERROR) ? nil : code
    }
}
