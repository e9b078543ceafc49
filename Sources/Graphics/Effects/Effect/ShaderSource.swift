// SPDX-License-Identifier: Apache-2.0

/// A piece of shader text and where it stands, for error reports.
package struct ShaderSource: Sendable, Hashable {
    /// The author's text.
    package let text: String
    /// The path for messages.
    package let path: String
    /// Number of the first line of `text` in the file, from 1.
    package let firstLine: Int

    /// The path that error reports give for text that an importer adds.
    static let generatedPath = "playhead"

    /// Text that an importer adds: no file's.
    static func generated(_ text: String) -> ShaderSource {
        ShaderSource(text: text, path: generatedPath, firstLine: 1)
    }
}
