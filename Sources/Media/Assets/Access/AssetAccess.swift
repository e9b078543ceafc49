// SPDX-License-Identifier: Apache-2.0

/// A file or an address that an asset needed, and whether it was opened.
package struct AssetAccess: Sendable, Hashable {
    /// The path or URL, as the asset states it.
    package var subject: String
    /// The nesting depth: 0 for the asset itself, 1 for a file or address that the asset names, 2
    /// for one that such a file names, and so on.
    package var depth: Int
    /// The reason why the file or address was not opened; nil if it was opened.
    package var error: MediaError?

    package init(subject: String, depth: Int, error: MediaError? = nil) {
        self.subject = subject
        self.depth = depth
        self.error = error
    }
}
