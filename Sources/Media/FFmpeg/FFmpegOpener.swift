// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets

/// Opens films, sound and pictures in any format that FFmpeg knows.
///
///     let asset = URLAsset(url: url, opener: FFmpegOpener(url: url))
///
/// Bytes come from regular files, HTTP and HTTPS, or the caller's own `MediaDataSource`. Everything
/// that is opened, the asset and whatever an HLS playlist leads to, passes `AssetAccessRules`; lists
/// that FFmpeg would open past them (DASH, concat, SDP) are refused.
///
/// - Concurrency: any thread; opening blocks its thread.
/// - Errors: `MediaError`s that name the file, the cause and the remedy.
/// - Corresponds to: `avformat_open_input`, `avformat_find_stream_info`.
public struct FFmpegOpener: AssetOpener {
    public var source: AssetSource
    /// What it may lead to and ask for, and how long it may take.
    public var options: AssetOptions

    public init(_ source: AssetSource, options: AssetOptions = AssetOptions()) {
        self.source = source
        self.options = options
    }

    public init(_ location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(.location(location), options: options)
    }

    public init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(AssetLocation(url), options: options)
    }

    /// Opens the file at a path exactly as it is spelled.
    public init(path: String, options: AssetOptions = AssetOptions()) {
        self.init(.file(path: path), options: options)
    }

    public func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        try FFmpegDemuxer(
            source, options: options,
            interrupt: Interrupt(cancellation: cancellation, timeout: options.timeout))
    }
}
