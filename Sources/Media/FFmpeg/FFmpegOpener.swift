// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets
public import PlayheadTime

/// Opens films, sound and pictures in any format that FFmpeg knows.
///
///     let asset = URLAsset(url: url, opener: FFmpegOpener(url: url))
///
/// Only regular files and HTTP addresses are opened. A file cannot lead anywhere else: formats that
/// are lists of other files or addresses (HLS, DASH, concat, SDP) are refused, whether they lie on
/// disk or behind HTTP.
///
/// - Concurrency: any thread; opening blocks its thread.
/// - Errors: `MediaError`s that name the file, the cause and the remedy.
/// - Corresponds to: `avformat_open_input`, `avformat_find_stream_info`.
public struct FFmpegOpener: AssetOpener {
    public var location: AssetLocation
    /// What a file may ask for.
    public var limits: MediaLimits
    /// How long any one call may block: opening, reading a packet, seeking.
    public var timeout: MediaTime
    /// Whether a duration that the container only lets one estimate is measured instead, by reading
    /// the whole file once.
    ///
    /// - Corresponds to: `AVURLAssetPreferPreciseDurationAndTimingKey`.
    public var prefersPreciseDurationAndTiming = false
    /// Shared by copies, so that a file is measured once.
    private let measurement = DurationMeasurement()

    public init(
        _ location: AssetLocation, limits: MediaLimits = MediaLimits(),
        timeout: MediaTime = MediaTime(value: 10, timescale: 1)
    ) {
        self.location = location
        self.limits = limits
        self.timeout = timeout
    }

    public init(url: URL) { self.init(AssetLocation(url)) }

    /// Opens the file at a path exactly as it is spelled.
    public init(path: String) { self.init(.file(path: path)) }

    public func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let demuxer = try openAsItIs(cancellation)
        guard prefersPreciseDurationAndTiming,
            !demuxer.description.providesPreciseDurationAndTiming
        else { return demuxer }
        // What has been read to its end is not rewound but opened anew: not all formats can.
        let ends = try measurement.ends { () throws(MediaError) in try openAsItIs(cancellation) }
        demuxer.correctDurations(ends)
        return demuxer
    }

    private func openAsItIs(_ cancellation: Cancellation) throws(MediaError) -> FFmpegDemuxer {
        try FFmpegDemuxer(
            location, limits: limits,
            interrupt: Interrupt(cancellation: cancellation, timeout: timeout))
    }
}
