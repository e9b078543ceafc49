// SPDX-License-Identifier: Apache-2.0

/// One fact that a file states of itself, such as its title.
///
/// - Corresponds to: `AVMetadataItem`.
public struct MetadataItem: Sendable, Hashable {
    /// The key in the container's own words, as FFmpeg spells it, such as `title`.
    public var key: String
    public var value: String

    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}
