// SPDX-License-Identifier: Apache-2.0

/// A file or an address that was opened on behalf of an asset, or was not.
public struct AssetAccess: Sendable, Hashable {
    /// As the asset names it: a path, or a URL.
    public var subject: String
    /// The number of documents that lead to it: 0 for the asset itself, 1 for a file or address
    /// that the asset names, and so on.
    public var depth: Int
    /// Why it was not opened; nil when it was.
    public var error: MediaError?

    package init(subject: String, depth: Int, error: MediaError? = nil) {
        self.subject = subject
        self.depth = depth
        self.error = error
    }
}
