// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

/// An effect's shader, compiled for one context, and its uniforms.
///
/// - Concurrency: render thread.
final class EffectProgram {
    let program: GLProgram
    let passIndex: GLUniform
    let renderSize: GLUniform
    /// The uniform that contains the width divided by the height. Without it, software OpenGL would
    /// compute the ratio for every pixel.
    let aspect: GLUniform
    let time: GLUniform
    let timeDelta: GLUniform
    let date: GLUniform
    let frameIndex: GLUniform
    let usesDate: Bool
    /// A Boolean value that indicates whether the output can change while the input and the values
    /// do not.
    let isTimeDependent: Bool
    /// The uniforms of the inputs, in the order of the effect.
    let inputs: [GLUniform]
    let outputSize: GLUniform
    /// For mpv's shaders: the uniform that contains the video's size, and for each sampler, the
    /// uniform that contains the shift of its image.
    let inputSize: GLUniform
    let shifts: [GLUniform]
    /// The uniforms of the stored planes, for mpv's shaders.
    let planes: PlaneUniforms
    /// The names of the tables that the shader writes, each with its image unit.
    let storage: [(name: String, unit: Int)]
    /// The names of the samplers, each with its texture unit.
    let samplers: [(name: String, unit: Int)]

    /// Compiles a shader.
    ///
    /// - Parameters:
    ///   - shader: The index of the effect's shader.
    ///   - passIndex: The index of the only pass to draw, or nil for all passes.
    ///   - values: The values of the inputs as constants, in the order of the effect; nil for
    ///     values that are uniforms.
    /// - Throws: `EffectError.compilation`, with lines of the author's files; `.unsupported`.
    init(
        _ effect: Effect, shader: Int, passIndex: Int?,
        values: [EffectValue?]? = nil, context: any GLContext
    ) throws(EffectError) {
        guard context.capabilities.features.contains(.halfFloatTargets) || !effect.drawsFloats
        else {
            throw .unsupported(
                path: effect.path, line: nil,
                reason: "it draws to float images, for which this OpenGL ES needs "
                    + "GL_EXT_color_buffer_half_float")
        }
        let compute = effect.passes.first { $0.shader == shader }?.compute
        guard compute == nil || context.capabilities.hasComputeShaders else {
            throw .unsupported(
                path: effect.path, line: effect.shaders[shader].dropFirst().first?.firstLine,
                reason: "COMPUTE needs OpenGL 4.3 or OpenGL ES 3.1; this is "
                    + context.capabilities.versionName)
        }
        let source = EffectSource(
            effect: effect, shader: shader, passIndex: passIndex, values: values,
            capabilities: context.capabilities)
        storage = source.storage
        guard storage.isEmpty || context.capabilities.hasImageStores else {
            throw .unsupported(
                path: effect.path, line: nil,
                reason: "STORAGE needs OpenGL 4.2 or OpenGL ES 3.1; this is "
                    + context.capabilities.versionName)
        }
        program = try Self.compile(source, context: context)
        let named = { EffectSource.standardName($0, in: effect.format) }
        self.passIndex = program.uniform(named("PASSINDEX"))
        renderSize = program.uniform(named("RENDERSIZE"))
        aspect = program.uniform("playheadAspect")
        time = program.uniform(named("TIME"))
        timeDelta = program.uniform(named("TIMEDELTA"))
        date = program.uniform(named("DATE"))
        frameIndex = program.uniform(named("FRAMEINDEX"))
        usesDate = program.usesUniform(named("DATE"))
        isTimeDependent =
            usesDate
            || ["TIME", "TIMEDELTA", "FRAMEINDEX"].map(named).contains(
                where: program.usesUniform)
            || effect.passes.contains(where: \.isPersistent) || !storage.isEmpty
        outputSize = program.uniform("playheadOutputSize")
        inputs = effect.inputs.map { [program] in program.uniform($0.uniformName) }

        program.use()
        var unit = 0
        var samplers: [(String, Int)] = []
        for name in source.samplerNames where program.usesUniform(name) {
            samplers.append((name, unit))
            program.uniform(name).setUnit(unit)
            unit += 1
        }
        self.samplers = samplers
        inputSize = program.uniform("playheadInputSize")
        shifts = samplers.map { [program] in program.uniform("playheadShift_\($0.0)") }
        planes = PlaneUniforms(program)
        guard unit <= EffectLimits.textureUnits else {
            throw .compilation(
                effect: effect.name,
                diagnostics: [
                    ShaderDiagnostic(
                        path: effect.path, line: nil, column: nil, isWarning: false,
                        message:
                            "it reads \(unit) images; the maximum is \(EffectLimits.textureUnits)")
                ])
        }
    }

    /// Compiles by the rules of OpenGL 3.3 and, if that fails, by more lenient rules. If both
    /// attempts fail, the errors of the first are reported.
    private static func compile(
        _ source: EffectSource, context: any GLContext
    ) throws(EffectError) -> GLProgram {
        do throws(GLError) {
            return try program(source, context: context)
        } catch {
            var lenient = source
            lenient.isLenient = true
            if case .compilation = error,
                context.capabilities.features.contains(.implicitConversions),
                let program = try? program(lenient, context: context)
            {
                return program
            }
            throw Self.error(error, source)
        }
    }

    private static func program(
        _ source: EffectSource, context: any GLContext
    ) throws(GLError) -> GLProgram {
        if source.compute != nil {
            return try GLProgram(
                compute: source.fragment, label: source.effect.path, context: context)
        }
        return try GLProgram(
            vertex: source.vertex, fragment: source.fragment, fragmentOutput: source.outputName,
            label: source.effect.path, context: context)
    }

    /// Converts a driver's error to one that refers to the author's files.
    private static func error(_ error: GLError, _ source: EffectSource) -> EffectError {
        let effect = source.effect
        switch error {
        case .compilation(let stage, _, let log):
            return .compilation(
                effect: effect.name, diagnostics: source.diagnostics(log: log, stage: stage))
        case .linking(_, let log):
            return .compilation(
                effect: effect.name,
                diagnostics: ShaderDiagnostic.parse(log: log, paths: [effect.path]))
        default:
            return .gl(error)
        }
    }
}

extension GLCapabilities {
    /// The name of the OpenGL version for messages, such as `OpenGL 3.3`.
    fileprivate var versionName: String {
        "\(isES ? "OpenGL ES" : "OpenGL") \(version / 10).\(version % 10)"
    }
}

extension Effect {
    /// A Boolean value that indicates whether a pass draws to a float format.
    fileprivate var drawsFloats: Bool {
        passes.contains { $0.precision == .half || $0.precision == .float }
    }
}
