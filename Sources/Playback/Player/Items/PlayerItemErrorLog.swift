// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The log of an item's errors.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVPlayerItemErrorLog`.
public struct PlayerItemErrorLog: Sendable, Hashable {
    /// The errors in the order in which they occurred. A decoding error that repeats is recorded
    /// once. Only the newest 256 errors are kept.
    public let events: [PlayerItemErrorLogEvent]

    /// The log in the W3C Extended Log File Format. Unknown values are `-`.
    ///
    /// - Corresponds to: `extendedLogData()`.
    public var extendedLogText: String {
        var log = ExtendedLogText(fields: "date time uri cs-guid s-ip sc-status comment")
        for event in events {
            log.append([
                .date(event.secondsSince1970), .text(event.uri), .text(event.playbackSessionID),
                .text(event.serverAddress), .count(event.errorStatusCode),
                .text(event.error.cause),
            ])
        }
        return log.text
    }
}
