// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The OpenGL functions that demos with their own renderer call. They are looked up as a game does.
///
/// - Concurrency: render thread.
public struct OpenGL {
    public typealias Load = (String) -> UnsafeRawPointer?

    /// The first lines of a shader: they differ between OpenGL and OpenGL ES.
    private let shaderHeader: String
    public let createShader: @convention(c) (UInt32) -> UInt32
    public let shaderSource:
        @convention(c) (
            UInt32, Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?
        ) -> Void
    public let compileShader: @convention(c) (UInt32) -> Void
    public let deleteShader: @convention(c) (UInt32) -> Void
    public let createProgram: @convention(c) () -> UInt32
    public let attachShader: @convention(c) (UInt32, UInt32) -> Void
    public let linkProgram: @convention(c) (UInt32) -> Void
    public let getProgramiv: @convention(c) (UInt32, UInt32, UnsafeMutablePointer<Int32>?) -> Void
    public let useProgram: @convention(c) (UInt32) -> Void
    public let getUniformLocation: @convention(c) (UInt32, UnsafePointer<CChar>?) -> Int32
    public let uniform1i: @convention(c) (Int32, Int32) -> Void
    public let uniform3f: @convention(c) (Int32, Float, Float, Float) -> Void
    public let uniform1f: @convention(c) (Int32, Float) -> Void
    public let uniform2f: @convention(c) (Int32, Float, Float) -> Void
    public let uniformMatrix3fv: @convention(c) (Int32, Int32, UInt8, UnsafePointer<Float>?) -> Void
    public let genVertexArrays: @convention(c) (Int32, UnsafeMutablePointer<UInt32>?) -> Void
    public let bindVertexArray: @convention(c) (UInt32) -> Void
    public let bindFramebuffer: @convention(c) (UInt32, UInt32) -> Void
    public let viewport: @convention(c) (Int32, Int32, Int32, Int32) -> Void
    public let enable: @convention(c) (UInt32) -> Void
    public let disable: @convention(c) (UInt32) -> Void
    public let blendFunc: @convention(c) (UInt32, UInt32) -> Void
    public let activeTexture: @convention(c) (UInt32) -> Void
    public let bindTexture: @convention(c) (UInt32, UInt32) -> Void
    public let bindSampler: @convention(c) (UInt32, UInt32) -> Void
    public let texParameteri: @convention(c) (UInt32, UInt32, Int32) -> Void
    public let clearColor: @convention(c) (Float, Float, Float, Float) -> Void
    public let clear: @convention(c) (UInt32) -> Void
    public let drawArrays: @convention(c) (UInt32, Int32, Int32) -> Void

    /// Looks up the functions.
    ///
    /// - Throws: an error with the name of a function that this OpenGL lacks.
    public init(_ load: Load) throws {
        func find<Function>(_ name: String, as type: Function.Type = Function.self) throws
            -> Function
        {
            guard let address = load(name) else { throw Missing(name: name) }
            return unsafeBitCast(address, to: type)
        }
        let getString: @convention(c) (UInt32) -> UnsafePointer<CChar>? = try find("glGetString")
        let version = getString(Self.version).map { String(cString: $0) } ?? ""
        shaderHeader =
            version.hasPrefix("OpenGL ES")
            ? "#version 300 es\nprecision highp float;\n" : "#version 330 core\n"
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
        uniform1i = try find("glUniform1i")
        uniform3f = try find("glUniform3f")
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
        bindSampler = try find("glBindSampler")
        texParameteri = try find("glTexParameteri")
        clearColor = try find("glClearColor")
        clear = try find("glClear")
        drawArrays = try find("glDrawArrays")
    }

    public struct Missing: Error, CustomStringConvertible {
        var name: String
        public var description: String { "this OpenGL has no \(name)" }
    }

    // Constants of the OpenGL 3.3 core specification, as in glcorearb.h.
    public static let version: UInt32 = 0x1F02
    public static let vertexShader: UInt32 = 0x8B31
    public static let fragmentShader: UInt32 = 0x8B30
    public static let linkStatus: UInt32 = 0x8B82
    public static let framebuffer: UInt32 = 0x8D40
    public static let texture2D: UInt32 = 0x0DE1
    public static let texture0: UInt32 = 0x84C0
    public static let minFilter: UInt32 = 0x2801
    public static let linear: Int32 = 0x2601
    public static let wrapS: UInt32 = 0x2802
    public static let wrapT: UInt32 = 0x2803
    public static let clampToEdge: Int32 = 0x812F
    public static let blend: UInt32 = 0x0BE2
    public static let one: UInt32 = 1
    public static let oneMinusSourceAlpha: UInt32 = 0x0303
    public static let triangles: UInt32 = 0x0004
    public static let triangleStrip: UInt32 = 0x0005
    public static let colorBuffer: UInt32 = 0x4000

    /// Compiles and links a program of shaders that are valid in GLSL 3.30 and GLSL ES 3.00.
    public func program(vertices: String, pixels: String) throws -> UInt32 {
        let program = createProgram()
        for (text, stage) in [(vertices, Self.vertexShader), (pixels, Self.fragmentShader)] {
            let shader = createShader(stage)
            (shaderHeader + text).withCString { text in
                var text: UnsafePointer<CChar>? = text
                shaderSource(shader, 1, &text, nil)
            }
            compileShader(shader)
            attachShader(program, shader)
            deleteShader(shader)
        }
        linkProgram(program)
        var isLinked: Int32 = 0
        getProgramiv(program, Self.linkStatus, &isLinked)
        guard isLinked != 0 else {
            throw GLError.linking(label: "demo", log: "it does not link")
        }
        return program
    }
}
