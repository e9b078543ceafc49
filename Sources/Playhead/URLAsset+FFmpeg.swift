// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
import PlayheadFFmpeg

extension URLAsset {
    /// Creates an asset for a URL, read by FFmpeg. Does no work and cannot fail.
    ///
    /// - Parameter options: The access rules, and the choice of a stream's variant.
    /// - Corresponds to: `AVURLAsset(url:options:)`.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(url), options: options)
    }

    /// Creates an asset for a URL, read by an opener of the caller.
    ///
    /// - Parameter opener: Opens the data at `url`.
    package convenience init(url: URL, opener: any AssetOpener) {
        self.init(location: AssetLocation(url), opener: opener)
    }

    /// Creates an asset for a path, or for a URL as text.
    public convenience init(_ text: String, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(text), options: options)
    }

    /// Creates an asset for a location, read by FFmpeg.
    public convenience init(location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(location: location, opener: FFmpegOpener(location, options: options))
    }
}
