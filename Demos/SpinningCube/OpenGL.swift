// SPDX-License-Identifier: Apache-2.0

/// The functions of OpenGL that the cube is drawn with, looked up as a game's loader does it.
///
/// - Concurrency: render thread.
struct OpenGL {
    typealias Load = (String) -> UnsafeRawPointer?

    let createShader: @convention(c) (UInt32) -> UInt32
    let shaderSource:
        @convention(c) (
            UInt32, Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?
        ) -> Void
    let compileShader: @convention(c) (UInt32) -> Void
    let deleteShader: @convention(c) (UInt32) -> Void
    let createProgram: @convention(c) () -> UInt32
    let attachShader: @convention(c) (UInt32, UInt32) -> Void
    let linkProgram: @convention(c) (UInt32) -> Void
    let getProgramiv: @convention(c) (UInt32, UInt32, UnsafeMutablePointer<Int32>?) -> Void
    let useProgram: @convention(c) (UInt32) -> Void
    let getUniformLocation: @convention(c) (UInt32, UnsafePointer<CChar>?) -> Int32
    let uniform1f: @convention(c) (Int32, Float) -> Void
    let uniform2f: @convention(c) (Int32, Float, Float) -> Void
    let uniformMatrix3fv: @convention(c) (Int32, Int32, UInt8, UnsafePointer<Float>?) -> Void
    let genVertexArrays: @convention(c) (Int32, UnsafeMutablePointer<UInt32>?) -> Void
    let bindVertexArray: @convention(c) (UInt32) -> Void
    let bindFramebuffer: @convention(c) (UInt32, UInt32) -> Void
    let viewport: @convention(c) (Int32, Int32, Int32, Int32) -> Void
    let enable: @convention(c) (UInt32) -> Void
    let disable: @convention(c) (UInt32) -> Void
    let blendFunc: @convention(c) (UInt32, UInt32) -> Void
    let activeTexture: @convention(c) (UInt32) -> Void
    let bindTexture: @convention(c) (UInt32, UInt32) -> Void
    let texParameteri: @convention(c) (UInt32, UInt32, Int32) -> Void
    let drawArrays: @convention(c) (UInt32, Int32, Int32) -> Void

    /// - Throws: the name of a function that this OpenGL does not have.
    init(_ load: Load) throws {
        func find<Function>(_ name: String, as type: Function.Type = Function.self) throws
            -> Function
        {
            guard let address = load(name) else { throw Missing(name: name) }
            return unsafeBitCast(address, to: type)
        }
        createShader = try find("glCreateShader")
        shaderSource = try find("glShaderSource")
        compileShader = try find("glCompileShader")
        deleteShader = try find("glDeleteShader")
        createProgram = try find("glCreateProgram")
        attachShader = try find("glAttachShader")
        linkProgram = try find("glLinkProgram")
        getProgramiv = try find("glGetProgramiv")
        useProgram = try find("glUseProgram")
        getUniformLocation = try find("glGetUniformLocation")
        uniform1f = try find("glUniform1f")
        uniform2f = try find("glUniform2f")
        uniformMatrix3fv = try find("glUniformMatrix3fv")
        genVertexArrays = try find("glGenVertexArrays")
        bindVertexArray = try find("glBindVertexArray")
        bindFramebuffer = try find("glBindFramebuffer")
        viewport = try find("glViewport")
        enable = try find("glEnable")
        disable = try find("glDisable")
        blendFunc = try find("glBlendFunc")
        activeTexture = try find("glActiveTexture")
        bindTexture = try find("glBindTexture")
        texParameteri = try find("glTexParameteri")
        drawArrays = try find("glDrawArrays")
    }

    struct Missing: Error, CustomStringConvertible {
        var name: String
        var description: String { "this OpenGL has no \(name)" }
    }

    // Numbers of the OpenGL 3.3 core specification, as in glcorearb.h.
    static let vertexShader: UInt32 = 0x8B31
    static let fragmentShader: UInt32 = 0x8B30
    static let linkStatus: UInt32 = 0x8B82
    static let framebuffer: UInt32 = 0x8D40
    static let texture2D: UInt32 = 0x0DE1
    static let texture0: UInt32 = 0x84C0
    static let minFilter: UInt32 = 0x2801
    static let linear: Int32 = 0x2601
    static let blend: UInt32 = 0x0BE2
    static let one: UInt32 = 1
    static let oneMinusSourceAlpha: UInt32 = 0x0303
    static let triangles: UInt32 = 0x0004
}
