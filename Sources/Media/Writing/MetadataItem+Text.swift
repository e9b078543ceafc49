// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

extension MetadataItem {
    /// Creates an item for a file that is to be written.
    ///
    /// - Parameters:
    ///   - key: The key in FFmpeg's spelling, such as `title`, `artist` or `comment`.
    ///   - text: The value.
    public init(key: String, text: String) { self.init(key: key, value: .text(text)) }
}
