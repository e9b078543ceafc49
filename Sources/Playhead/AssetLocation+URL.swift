// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
package import PlayheadFFmpeg

// Foundation's types stay up here: rooms below, and the C library made of them, carry none of it.

extension AssetLocation {
    /// What a URL names: an `http` or `https` address, else a file.
    public init(_ url: URL) {
        switch url.scheme?.lowercased() {
        case "http", "https": self = .remote(url: url.absoluteString)
        case "file": self = .file(path: url.path(percentEncoded: false))
        // A URL without a scheme is a path; any other scheme is too, so that opening it tells.
        case nil: self = .file(path: url.path(percentEncoded: false))
        default: self = .file(path: url.absoluteString)
        }
    }
}

extension FFmpegOpener {
    /// Opens what a URL names.
    package init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(AssetLocation(url), options: options)
    }
}
