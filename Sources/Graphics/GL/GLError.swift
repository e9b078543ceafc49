// SPDX-License-Identifier: Apache-2.0

/// An error of OpenGL, or of the libraries that provide it.
public enum GLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No context could be created; `reason` names the missing library, display or driver.
    case unavailable(reason: String)
    /// The context is older than OpenGL 3.3 or OpenGL ES 3.0.
    case unsupportedVersion(found: String, renderer: String)
    /// A shader does not compile; `log` is the driver's log.
    case compilation(stage: GLShaderStage, label: String, log: String)
    /// The stages of a program do not fit together; `log` is the driver's log.
    case linking(label: String, log: String)
    /// A framebuffer cannot be drawn to; `status` is the code of `glCheckFramebufferStatus`.
    case incompleteFramebuffer(status: UInt32, width: Int, height: Int)
    /// A texture is larger than the driver's limit, in texels.
    case textureTooLarge(width: Int, height: Int, maximum: Int)
    /// OpenGL has run out of memory; `during` names the operation.
    case outOfMemory(during: String)
    /// The driver has reset the GPU: the context and everything in it are gone.
    case contextLost

    /// The subject, the problem and, if there is one, the remedy.
    public var description: String {
        switch self {
        case .unavailable(let reason):
            "no OpenGL: \(reason)"
        case .unsupportedVersion(let found, let renderer):
            "OpenGL 3.3 or OpenGL ES 3.0 is required, but '\(renderer)' "
                + "offers \(found); update the driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw on "
                + "the CPU"
        case .compilation(let stage, let label, let log):
            "\(label): the \(stage) shader does not compile: \(log)"
        case .linking(let label, let log):
            "\(label): the shaders do not link: \(log)"
        case .incompleteFramebuffer(let status, let width, let height):
            "a framebuffer of \(width) x \(height) is incomplete, status 0x"
                + String(status, radix: 16)
        case .textureTooLarge(let width, let height, let maximum):
            "a texture of \(width) x \(height) exceeds the driver's maximum of "
                + "\(maximum) x \(maximum)"
        case .outOfMemory(let during):
            "OpenGL ran out of memory while \(during)"
        case .contextLost:
            "the driver has lost its OpenGL context; create a new one"
        }
    }
}

/// A programmable stage that Playhead uses.
public enum GLShaderStage: String, Sendable, Hashable, CustomStringConvertible {
    /// A stage of OpenGL 3.3.
    case vertex, fragment
    /// The name of the stage, for error texts.
    public var description: String { rawValue }
}
