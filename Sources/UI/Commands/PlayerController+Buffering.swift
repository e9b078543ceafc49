// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime

/// The properties of the read-ahead cache.
extension PlayerController {
    func provideBuffering() {
        provide(
            .cacheTime,
            PropertyAccess(get: { [weak self] in
                self?.loadedRange.map { .number($0.end.seconds) }
            }))
        provide(
            .cacheDuration,
            PropertyAccess(get: { [weak self] in
                self?.loadedRange.map { .number($0.duration.seconds) }
            }))
        provide(
            .cacheState,
            PropertyAccess(get: { [weak self] in
                guard let self, let item = readyItem else { return nil }
                var fields: [String: PropertyValue] = [
                    "reader-pts": .number(item.currentTime.seconds),
                    "underrun": .flag(player.reasonForWaitingToPlay == .toMinimizeStalls),
                    "idle": .flag(item.isPlaybackBufferFull),
                    "fw-bytes": .number(Double(item.queueDepths.packetBytes)),
                    "seekable-ranges": .list([]),
                ]
                if let range = loadedRange {
                    fields["cache-end"] = .number(range.end.seconds)
                    fields["cache-duration"] = .number(range.duration.seconds)
                    fields["eof"] = .flag(item.end.isNumeric && range.end >= item.end)
                    fields["seekable-ranges"] = .list([
                        .map([
                            "start": .number(range.start.seconds),
                            "end": .number(range.end.seconds),
                        ])
                    ])
                }
                return .map(fields)
            }))
    }

    /// The range from the playhead to the end of the data read ahead.
    private var loadedRange: MediaTimeRange? {
        guard let range = readyItem?.loadedTimeRanges.first, range.end.isNumeric else { return nil }
        return range
    }
}
