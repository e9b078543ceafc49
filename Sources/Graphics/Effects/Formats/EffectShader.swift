// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// One of an effect's shaders as a compiler gets it: GLSL 3.30, whatever format it was written in.
///
/// For tools that compile by other means than OpenGL; `EffectRenderer` does by itself.
///
/// - Concurrency: a value; any thread.
package struct EffectShader: Sendable {
    /// Vertex or fragment.
    package let stage: GLShaderStage
    private let source: EffectSource

    /// All shaders of an effect, each once.
    package static func all(of effect: Effect) -> [EffectShader] {
        var shaders: [EffectShader] = []
        for index in effect.shaders.indices {
            let source = EffectSource(effect: effect, shader: index)
            shaders.append(EffectShader(stage: .fragment, source: source))
            if index == 0, !effect.vertex.isEmpty {
                shaders.append(EffectShader(stage: .vertex, source: source))
            }
        }
        return shaders
    }

    /// A Boolean value that indicates whether it is a compute shader.
    package var isCompute: Bool { stage == .fragment && source.compute != nil }

    /// The whole text.
    package var text: String { stage == .vertex ? source.vertex : source.fragment }

    /// The same with rules of later versions, as drivers apply them to older shaders too; to be
    /// tried where `text` does not compile.
    package var lenientText: String {
        var source = source
        source.isLenient = true
        return stage == .vertex ? source.vertex : source.fragment
    }

    /// Returns a compiler's log as messages about the author's files.
    package func diagnostics(log: String) -> [ShaderDiagnostic] {
        source.diagnostics(log: log, stage: stage)
    }
}
