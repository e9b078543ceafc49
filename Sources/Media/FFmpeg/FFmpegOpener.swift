// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadTime

/// An opener of video, audio and images in any format that FFmpeg supports.
///
///     let asset = URLAsset(location: location, opener: FFmpegOpener(location))
///
/// Data comes from regular files, HTTP and HTTPS, or a `MediaDataSource` of the caller.
/// `AssetAccessRules` are checked for the asset and for the files to which an HLS playlist or a
/// DASH presentation (MPD) refers. Playlist formats that FFmpeg would open without that check
/// (concat, SDP) are refused.
///
/// If the timestamps of a transport stream restart, as in concatenated recordings, the timeline
/// continues without a gap. The duration includes the continuation only if a precise duration is
/// preferred. Seeks use the timestamps in the file. In a playlist that states discontinuities, they
/// use the timeline.
///
/// - Concurrency: any thread; opening blocks its thread.
/// - Errors: `MediaError`s that state the file, the cause and the remedy.
/// - Corresponds to: `avformat_open_input`, `avformat_find_stream_info`.
package struct FFmpegOpener: AssetOpener {
    package var source: AssetSource {
        didSet {
            (measurement, known) = (DurationMeasurement(), KnownStreams())
            timeline = LiveTimelineStore()
        }
    }
    /// The options: access rules, limits and timeouts.
    package var options: AssetOptions
    /// The measurement of durations. Copies share it, so that a file is measured only once.
    private var measurement = DurationMeasurement()
    /// The probed streams. Copies share them, so that an unchanged file is probed only once.
    private var known = KnownStreams()
    /// The timeline of a live stream. Copies share it, so that all demuxers of the stream agree.
    private var timeline = LiveTimelineStore()

    package init(_ source: AssetSource, options: AssetOptions = AssetOptions()) {
        self.source = source
        self.options = options
    }

    package init(_ location: AssetLocation, options: AssetOptions = AssetOptions()) {
        self.init(.location(location), options: options)
    }

    /// Creates an opener for the file at a path, which is used exactly as spelled.
    package init(path: String, options: AssetOptions = AssetOptions()) {
        self.init(.file(path: path), options: options)
    }

    package func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let demuxer = try openAsItIs(cancellation)
        guard options.prefersPreciseDurationAndTiming,
            !demuxer.description.providesPreciseDurationAndTiming,
            demuxer.description.duration.isNumeric
                || !["hls", "dash"].contains(demuxer.description.container)
        else { return demuxer }
        // The file is opened a second time for the measurement, because some formats cannot seek
        // back from the end.
        let ends = try measurement.ends { () throws(MediaError) in try openAsItIs(cancellation) }
        demuxer.correctDurations(ends)
        return demuxer
    }

    private func openAsItIs(_ cancellation: Cancellation) throws(MediaError) -> FFmpegDemuxer {
        try FFmpegDemuxer(
            source, options: options,
            interrupt: Interrupt(cancellation: cancellation, options: options), known: known,
            timeline: timeline)
    }
}
