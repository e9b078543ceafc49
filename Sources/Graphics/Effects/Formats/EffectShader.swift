// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL

/// A shader of an effect as GLSL 3.30, for effects of any format.
///
/// It is for tools that have their own compiler. `EffectRenderer` compiles shaders itself.
///
/// - Concurrency: a value; any thread.
package struct EffectShader: Sendable {
    /// The stage: vertex or fragment.
    package let stage: GLShaderStage
    private let source: EffectSource

    /// Returns all shaders of an effect without duplicates.
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

    /// A Boolean value that indicates whether the shader is a compute shader.
    package var isCompute: Bool { stage == .fragment && source.compute != nil }

    /// The complete text.
    package var text: String { stage == .vertex ? source.vertex : source.fragment }

    /// The text with rules of later GLSL versions, which drivers also apply to older shaders. Use
    /// it if `text` does not compile.
    package var lenientText: String {
        var source = source
        source.isLenient = true
        return stage == .vertex ? source.vertex : source.fragment
    }

    /// Converts a compiler's log to diagnostics that refer to the author's files.
    package func diagnostics(log: String) -> [ShaderDiagnostic] {
        source.diagnostics(log: log, stage: stage)
    }
}
