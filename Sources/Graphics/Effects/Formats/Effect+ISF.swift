// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Creates an effect from the text of an ISF file.
    ///
    /// - Parameters:
    ///   - text: The JSON header in a comment, then the GLSL.
    ///   - path: The name of the file for error reports. A relative `#include` is an error.
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, `.unsupported` or `.inaccessible`.
    public init(isf text: String, path: String = "effect.fs") throws(EffectError) {
        self = try ISFImporter.effect(text: text, path: path)
    }
}
