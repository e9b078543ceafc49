// SPDX-License-Identifier: Apache-2.0

/// What OpenGL, or the way to it, refused.
public enum GLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No library, display or driver gave a context; `reason` says which.
    case unavailable(reason: String)
    /// The context is older than OpenGL 3.3, or than OpenGL ES 3.0.
    case unsupportedVersion(found: String, renderer: String)
    /// A shader does not compile; `log` is the driver's own.
    case compilation(stage: GLShaderStage, label: String, log: String)
    /// The stages of a program do not fit together.
    case linking(label: String, log: String)
    /// A framebuffer cannot be drawn to; `status` is the code of `glCheckFramebufferStatus`.
    case incompleteFramebuffer(status: UInt32, width: Int, height: Int)
    /// A texture is larger than this OpenGL allows.
    case textureTooLarge(width: Int, height: Int, maximum: Int)
    /// OpenGL has run out of memory.
    case outOfMemory(during: String)
    /// The driver has reset the GPU: the context and everything in it are gone.
    case contextLost

    public var description: String {
        switch self {
        case .unavailable(let reason):
            "no OpenGL: \(reason)"
        case .unsupportedVersion(let found, let renderer):
            "OpenGL 3.3, or in a host OpenGL ES 3.0, is needed, but '\(renderer)' offers \(found); "
                + "update the driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw on the CPU"
        case .compilation(let stage, let label, let log):
            "\(label): the \(stage) shader does not compile: \(log)"
        case .linking(let label, let log):
            "\(label): the shaders do not link: \(log)"
        case .incompleteFramebuffer(let status, let width, let height):
            "a framebuffer of \(width) x \(height) is incomplete, status 0x"
                + String(status, radix: 16)
        case .textureTooLarge(let width, let height, let maximum):
            "a texture of \(width) x \(height) is larger than this OpenGL's \(maximum) x \(maximum)"
        case .outOfMemory(let during):
            "OpenGL is out of memory, \(during)"
        case .contextLost:
            "the driver has lost its OpenGL context; it has to be made anew"
        }
    }
}

/// The programmable stages that Playhead uses.
public enum GLShaderStage: String, Sendable, Hashable, CustomStringConvertible {
    case vertex, fragment
    public var description: String { rawValue }
}
