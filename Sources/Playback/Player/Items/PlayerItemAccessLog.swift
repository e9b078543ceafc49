// SPDX-License-Identifier: Apache-2.0

/// The log of an item's transfer over a network.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVPlayerItemAccessLog`.
public struct PlayerItemAccessLog: Sendable, Hashable {
    /// The events in the order in which they began. An event begins with the first request and with
    /// each change of the variant of an HLS or DASH stream. Only the newest 256 events are kept.
    public let events: [PlayerItemAccessLogEvent]

    /// The log in the W3C Extended Log File Format. Unknown values are `-`.
    ///
    /// - Corresponds to: `extendedLogData()`.
    public var extendedLogText: String {
        var log = ExtendedLogText(
            fields: "date time uri cs-guid s-ip s-ip-changes s-playback-type sc-count bytes "
                + "c-transfer-duration c-observed-bitrate sc-indicated-bitrate "
                + "sc-indicated-avg-bitrate c-start-time c-startup-time c-duration-watched "
                + "c-stalls c-frames-dropped c-duration-downloaded c-overdue "
                + "c-observed-bitrate-sd c-avg-video-bitrate c-avg-audio-bitrate")
        for event in events {
            log.append([
                .date(event.secondsSince1970), .text(event.uri), .text(event.playbackSessionID),
                .text(event.serverAddress), .count(event.numberOfServerAddressChanges),
                .text(event.playbackType), .count(event.numberOfMediaRequests),
                .count(Int(clamping: event.numberOfBytesTransferred)),
                .number(event.transferDuration), .number(event.observedBitrate),
                .number(event.indicatedBitrate), .number(event.indicatedAverageBitrate),
                .number(event.playbackStartOffset), .number(event.startupTime),
                .number(event.durationWatched), .count(event.numberOfStalls),
                .count(event.numberOfDroppedVideoFrames),
                .number(event.segmentsDownloadedDuration), .count(event.downloadOverdue),
                .number(event.observedBitrateStandardDeviation),
                .number(event.averageVideoBitrate), .number(event.averageAudioBitrate),
            ])
        }
        return log.text
    }
}
