// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadTime

/// Opens films, sound and pictures in any format that FFmpeg knows.
///
///     let asset = URLAsset(location: location, opener: FFmpegOpener(location))
///
/// Bytes come from regular files, HTTP and HTTPS, or the caller's own `MediaDataSource`. Everything
/// that is opened, the asset and whatever an HLS playlist leads to, passes `AssetAccessRules`;
/// lists that FFmpeg would open past them (DASH, concat, SDP) are refused.
///
/// Where the timestamps of a transport stream begin anew, as in recordings that were joined, what
/// is read goes on without a gap. Its duration counts that only if a precise one is preferred, and
/// seeks go by the timestamps in the file.
///
/// - Concurrency: any thread; opening blocks its thread.
/// - Errors: `MediaError`s that name the file, the cause and the remedy.
/// - Corresponds to: `avformat_open_input`, `avformat_find_stream_info`.
package struct FFmpegOpener: AssetOpener {
    package var source: AssetSource {
        didSet { measurement = DurationMeasurement() }
    }
    /// What it may lead to and ask for, and how long it may take.
    package var options: AssetOptions
    /// Shared by copies, so that a file is measured once.
    private var measurement = DurationMeasurement()

    package init(_ source: AssetSource, options: AssetOptions = AssetOptions()) {
        self.source = source
        self.options = options
    }

    package init(_ location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(.location(location), options: options)
    }

    /// Opens the file at a path exactly as it is spelled.
    package init(path: String, options: AssetOptions = AssetOptions()) {
        self.init(.file(path: path), options: options)
    }

    package func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let demuxer = try openAsItIs(cancellation)
        guard options.prefersPreciseDurationAndTiming,
            !demuxer.description.providesPreciseDurationAndTiming,
            demuxer.description.duration.isNumeric || demuxer.description.container != "hls"
        else { return demuxer }
        // What has been read to its end is not rewound but opened anew: not all formats can.
        let ends = try measurement.ends { () throws(MediaError) in try openAsItIs(cancellation) }
        demuxer.correctDurations(ends)
        return demuxer
    }

    private func openAsItIs(_ cancellation: Cancellation) throws(MediaError) -> FFmpegDemuxer {
        try FFmpegDemuxer(
            source, options: options,
            interrupt: Interrupt(cancellation: cancellation, options: options))
    }
}
