// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
import PlayheadFFmpeg

extension URLAsset {
    /// Creates an asset for a URL that FFmpeg reads. This does no work and cannot fail.
    ///
    /// - Parameter options: The options for opening, such as the access rules and the preferred
    ///   variant of a stream.
    /// - Corresponds to: `AVURLAsset(url:options:)`.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(url), options: options)
    }

    /// Creates an asset for a URL that an opener of the caller reads.
    ///
    /// - Parameter opener: The object that opens the data at `url`.
    package convenience init(url: URL, opener: any AssetOpener) {
        self.init(location: AssetLocation(url), opener: opener)
    }

    /// Creates an asset for a path, or for a URL given as text.
    public convenience init(_ text: String, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(text), options: options)
    }

    /// Creates an asset for a location that FFmpeg reads.
    public convenience init(location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(location: location, opener: FFmpegOpener(location, options: options))
    }
}
