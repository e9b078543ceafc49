// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A linked program of a vertex shader and a fragment shader, or of a compute shader.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Ownership: owns its OpenGL name, which is added to the context's deletion queue on release.
/// - Corresponds to: a program object.
package final class GLProgram {
    /// The OpenGL name of the program object.
    package let name: UInt32
    /// The name of the program for error messages.
    package let label: String
    private let locations: [String: Int32]
    private let deletionQueue: GLDeletionQueue

    /// The name of the vertex attribute that contains the corners of `GLQuad`.
    package static let cornerAttribute = "corner"

    /// Creates a program by compiling and linking its shaders.
    ///
    /// - Parameters:
    ///   - fragmentOutput: the name of the fragment shader's output variable.
    ///   - label: the name of the program for error messages, such as the name of its file.
    /// - Throws: `GLError.compilation` or `.linking`, with the driver's log.
    package init(
        vertex: String, fragment: String, fragmentOutput: String, label: String,
        context: any GLContext
    ) throws(GLError) {
        context.deletionQueue.preconditionOnRenderThread()
        let vertexShader = try Self.compile(vertex, stage: .vertex, label: label)
        defer { ph_glDeleteShader(vertexShader) }
        let fragmentShader = try Self.compile(fragment, stage: .fragment, label: label)
        defer { ph_glDeleteShader(fragmentShader) }

        let name = ph_glCreateProgram()
        ph_glAttachShader(name, vertexShader)
        ph_glAttachShader(name, fragmentShader)
        ph_glBindAttribLocation(name, GLCorners.attributeIndex, Self.cornerAttribute)
        // OpenGL ES does not have this function; there a single output gets location 0.
        if !context.capabilities.isES { ph_glBindFragDataLocation(name, 0, fragmentOutput) }
        try Self.link(name, label: label)
        ph_glDetachShader(name, vertexShader)
        ph_glDetachShader(name, fragmentShader)
        self.name = name
        self.label = label
        locations = Self.uniformLocations(of: name)
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.program)
        GLLabel.set(label, of: .program, name, in: context)
    }

    /// Creates a program from a compute shader. Errors call the stage a fragment shader, because
    /// the compute shader replaces the fragment shader.
    ///
    /// - Throws: `GLError.compilation` or `.linking`, with the driver's log.
    package init(compute: String, label: String, context: any GLContext) throws(GLError) {
        context.deletionQueue.preconditionOnRenderThread()
        let shader = try Self.compile(
            compute, kind: GL_COMPUTE_SHADER, stage: .fragment, label: label)
        defer { ph_glDeleteShader(shader) }
        let name = ph_glCreateProgram()
        ph_glAttachShader(name, shader)
        try Self.link(name, label: label)
        ph_glDetachShader(name, shader)
        self.name = name
        self.label = label
        locations = Self.uniformLocations(of: name)
        deletionQueue = context.deletionQueue
        deletionQueue.didMake(.program)
        GLLabel.set(label, of: .program, name, in: context)
    }

    deinit { deletionQueue.enqueue(.program, name) }

    /// Makes this the current program. Draw calls use it, and uniforms are set in it.
    package func use() { GLBindings.current.use(program: name) }

    /// Returns the uniform with a name. The lookup uses a table that was made when the program was
    /// linked. If the shaders do not use the uniform, setting it does nothing.
    package func uniform(_ name: String) -> GLUniform {
        GLUniform(location: locations[name] ?? -1)
    }

    /// Returns whether the shaders use a uniform of this name.
    package func usesUniform(_ name: String) -> Bool { locations[name] != nil }

    /// Links a program, and deletes it if that fails.
    private static func link(_ name: UInt32, label: String) throws(GLError) {
        ph_glLinkProgram(name)
        var status: Int32 = 0
        ph_glGetProgramiv(name, UInt32(GL_LINK_STATUS), &status)
        guard status != 0 else {
            let log = Self.log { ph_glGetProgramInfoLog(name, $0, $1, $2) }
            ph_glDeleteProgram(name)
            throw .linking(label: label, log: log)
        }
    }

    private static func compile(
        _ text: String, kind: Int32? = nil, stage: GLShaderStage, label: String
    ) throws(GLError) -> UInt32 {
        let shader = ph_glCreateShader(
            UInt32(kind ?? (stage == .vertex ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER)))
        text.withCString { ph_glShaderSource(shader, $0, Int32(text.utf8.count)) }
        ph_glCompileShader(shader)
        var status: Int32 = 0
        ph_glGetShaderiv(shader, UInt32(GL_COMPILE_STATUS), &status)
        guard status != 0 else {
            let log = log { ph_glGetShaderInfoLog(shader, $0, $1, $2) }
            ph_glDeleteShader(shader)
            throw .compilation(stage: stage, label: label, log: log)
        }
        return shader
    }

    private static func log(
        _ read: (Int32, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<CChar>) -> Void
    ) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            var length: Int32 = 0
            read(Int32(buffer.count), &length, start)
            guard length > 0 else { return "the driver gives no reason" }
            return start.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
                String(
                    decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            }
        }
    }

    private static func uniformLocations(of program: UInt32) -> [String: Int32] {
        var count: Int32 = 0
        ph_glGetProgramiv(program, UInt32(GL_ACTIVE_UNIFORMS), &count)
        var locations: [String: Int32] = [:]
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            guard let start = buffer.baseAddress else { return }
            for index in 0..<UInt32(max(0, count)) {
                var length: Int32 = 0
                var size: Int32 = 0
                var type: UInt32 = 0
                ph_glGetActiveUniform(
                    program, index, Int32(buffer.count), &length, &size, &type, start)
                locations[String(cString: start)] = ph_glGetUniformLocation(program, start)
            }
        }
        return locations
    }
}
