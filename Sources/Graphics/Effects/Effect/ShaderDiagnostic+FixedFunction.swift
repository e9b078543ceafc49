// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

extension ShaderDiagnostic {
    /// Returns the diagnostic with what to write in place of a name of the fixed-function pipeline,
    /// which GLSL 3.30 does not have; nil if the message is about something else.
    func explainedFixedFunction(in stage: GLShaderStage) -> ShaderDiagnostic? {
        let remedies = stage == .vertex ? Self.vertexRemedies : Self.fragmentRemedies
        for name in quotedWords {
            guard let remedy = remedies[name] else { continue }
            var explained = self
            explained.message = "'\(name)' is not in GLSL 3.30; \(remedy)"
            return explained
        }
        return nil
    }

    private static let position =
        "call isf_vertShaderInit(), which sets gl_Position and isf_FragNormCoord"
    private static let varying = "declare a 'varying vec4' here and in the fragment shader"

    private static let vertexRemedies = [
        "ftransform": position, "gl_Vertex": position, "gl_ModelViewMatrix": position,
        "gl_ModelViewProjectionMatrix": position, "gl_ProjectionMatrix": position,
        "gl_MultiTexCoord0": "call isf_vertShaderInit(), and use isf_FragNormCoord",
        "gl_TexCoord": varying, "gl_FrontColor": varying,
    ]
    private static let fragmentRemedies = [
        "gl_Color": "there are no vertex colours; use vec4(1.0)",
        "gl_TexCoord": "declare a 'varying vec4' here and in the vertex shader",
    ]
}
