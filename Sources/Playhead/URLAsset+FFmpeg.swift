// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
import PlayheadFFmpeg

extension URLAsset {
    /// An asset at a URL, read by FFmpeg. Does no work and cannot fail.
    ///
    /// - Parameter options: what it may lead to and ask for, and which variant of a stream plays.
    /// - Corresponds to: `AVURLAsset(url:options:)`.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(url), options: options)
    }

    /// An asset at a URL, read by whom you say.
    ///
    /// - Parameter opener: opens the data at `url`.
    package convenience init(url: URL, opener: any AssetOpener) {
        self.init(location: AssetLocation(url), opener: opener)
    }

    /// An asset at a path, or at a URL given as text.
    public convenience init(_ text: String, options: AssetOptions = AssetOptions()) {
        self.init(location: AssetLocation(text), options: options)
    }

    /// An asset at a location, read by FFmpeg.
    public convenience init(location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(location: location, opener: FFmpegOpener(location, options: options))
    }
}
