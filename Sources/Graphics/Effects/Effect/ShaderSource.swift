// SPDX-License-Identifier: Apache-2.0

/// A piece of shader text and its place in a file, for error reports.
package struct ShaderSource: Sendable, Hashable {
    /// The author's text.
    package let text: String
    /// The path that is shown in messages.
    package let path: String
    /// The number of the first line of `text` in the file, from 1.
    package let firstLine: Int

    /// The path that error reports give for text that an importer adds.
    static let generatedPath = "playhead"

    /// Creates a piece of text that an importer adds and that belongs to no file.
    static func generated(_ text: String) -> ShaderSource {
        ShaderSource(text: text, path: generatedPath, firstLine: 1)
    }
}
