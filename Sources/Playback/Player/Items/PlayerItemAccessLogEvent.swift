// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The transfer and the playback of an item while one variant of a stream, or one file, was read.
///
/// Unknown numbers are negative. Requests and bytes count for the event during which they arrived:
/// a variant is opened before the player changes to it, so its first requests count for the
/// previous event.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVPlayerItemAccessLogEvent`.
public struct PlayerItemAccessLogEvent: Sendable, Hashable {
    /// The address of the variant's playlist or of the file, without user and password. Addresses
    /// are limited to 4,096 bytes.
    public let uri: String
    /// The IP address of the server that answered last; nil if it is not known.
    public let serverAddress: String?
    /// The number of times that a server with another address answered.
    public let numberOfServerAddressChanges: Int
    /// A random identifier of this playback, the same in all events of the item.
    public let playbackSessionID: String
    /// The kind of media: `VOD` for a stream with an end, `LIVE` for one without, `FILE` for a
    /// file.
    public let playbackType: String
    /// The item time at which the event began, in seconds.
    public let playbackStartOffset: Double
    /// The time from the item's first request until it was ready to play, in seconds.
    public let startupTime: Double
    /// The duration of the media that was played, in seconds.
    public let durationWatched: Double
    /// The number of requests that servers answered, including those for playlists.
    public let numberOfMediaRequests: Int
    /// The duration of the media that was read, in seconds.
    public let segmentsDownloadedDuration: Double
    /// The number of segments that took longer to arrive than they last.
    public let downloadOverdue: Int
    /// The number of bytes received, without the headers of responses.
    public let numberOfBytesTransferred: Int64
    /// The time that reading waited for bytes, in seconds.
    public let transferDuration: Double
    /// The bit rate at which bytes arrived while reading waited for them, in bits per second.
    public let observedBitrate: Double
    /// The standard deviation of the bit rates of the segments, in bits per second.
    public let observedBitrateStandardDeviation: Double
    /// The average bit rate of the video that was read, in bits per second.
    public let averageVideoBitrate: Double
    /// The average bit rate of the audio that was read, in bits per second.
    public let averageAudioBitrate: Double
    /// The peak bit rate that the playlist states for the variant, in bits per second.
    public let indicatedBitrate: Double
    /// The average bit rate that the playlist states for the variant, in bits per second.
    public let indicatedAverageBitrate: Double
    /// The number of times that playback stopped because media had not arrived.
    public let numberOfStalls: Int
    /// The number of frames whose time passed before an output took them.
    public let numberOfDroppedVideoFrames: Int
    /// The time at which the event began, in seconds since 1970.
    package let secondsSince1970: Double

    /// Creates the event of an entry of the transfer's log.
    ///
    /// - Parameters:
    ///   - start: The totals of playback at the beginning of the event.
    ///   - end: The totals at its end.
    init(
        _ entry: TransferLog.Entry, from start: PlaybackLog.Totals, to end: PlaybackLog.Totals,
        sessionID: String, type: String, startupSeconds: Double?
    ) {
        uri = entry.uri
        serverAddress = entry.serverAddress
        numberOfServerAddressChanges = entry.serverAddressChangeCount
        playbackSessionID = sessionID
        playbackType = type
        playbackStartOffset = start.time.isNumeric ? start.time.seconds : -1
        startupTime = startupSeconds ?? -1
        durationWatched = max((end.watched - start.watched).seconds, 0)
        numberOfMediaRequests = entry.requestCount
        numberOfBytesTransferred = entry.byteCount
        transferDuration = Double(entry.waited) / 1e9
        let isMeasured = entry.waited > 0 && entry.byteCount > 0
        observedBitrate =
            isMeasured ? Double(entry.byteCount) * 8e9 / Double(entry.waited) : -1
        indicatedBitrate = entry.bitRate.map(Double.init) ?? -1
        indicatedAverageBitrate = entry.averageBitRate.map(Double.init) ?? -1
        segmentsDownloadedDuration = max(entry.video.seconds, entry.audio.seconds)
        downloadOverdue = entry.segments.overdueCount
        observedBitrateStandardDeviation = entry.segments.standardDeviation ?? -1
        averageVideoBitrate = entry.video.bitRate ?? -1
        averageAudioBitrate = entry.audio.bitRate ?? -1
        numberOfStalls = end.stallCount - start.stallCount
        numberOfDroppedVideoFrames = end.droppedFrameCount - start.droppedFrameCount
        secondsSince1970 = entry.date
    }
}
