// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
package import PlayheadFFmpeg

// Foundation's types are used only here, so that the lower modules and the C library do not need
// Foundation.

extension AssetLocation {
    /// Creates a location from a URL. With the scheme `http`, `https`, `udp`, `rtp`, `srt` or
    /// `rtsp`, the location is an address; in all other cases, it is a file.
    public init(_ url: URL) {
        switch url.scheme?.lowercased() {
        case "http", "https", "udp", "rtp", "srt", "rtsp": self = .remote(url: url.absoluteString)
        case "file": self = .file(path: url.path(percentEncoded: false))
        // A URL without a scheme is a path. A URL with an unknown scheme also becomes a path, so
        // that opening it fails.
        case nil: self = .file(path: url.path(percentEncoded: false))
        default: self = .file(path: url.absoluteString)
        }
    }
}

extension FFmpegOpener {
    /// Creates an opener for a URL.
    package init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(AssetLocation(url), options: options)
    }
}
