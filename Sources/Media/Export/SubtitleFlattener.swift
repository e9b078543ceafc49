// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Converts overlapping subtitles to pieces that follow one another, for containers in which only
/// one sample is shown at a time.
///
/// If several subtitles are shown at the same time, a piece contains the lines of all of them, in
/// the order of their starts.
struct SubtitleFlattener {
    /// A text, and the range in which it is the only text that is shown.
    typealias Piece = (text: String, range: MediaTimeRange)

    private var shown: [(text: String, end: MediaTime, isOpenEnded: Bool)] = []
    private var position = MediaTime.negativeInfinity

    /// The duration of the last subtitle if it has no end.
    private static let usualDuration = MediaTime(value: 5, timescale: 1)

    /// Adds a subtitle. If it begins before the previous subtitle, it is shown from the start of
    /// the previous one.
    ///
    /// - Parameters:
    ///   - range: The time range of the subtitle. If the end is not numeric, the subtitle is shown
    ///     until the next one.
    ///   - isOpenEnded: A Boolean value that indicates whether the next subtitle replaces this one.
    /// - Returns: The pieces that end at or before the start of the subtitle.
    mutating func add(
        _ text: String, in range: MediaTimeRange, isOpenEnded: Bool = false
    ) -> [Piece] {
        guard range.start.isNumeric else { return [] }
        let start = max(range.start, position)
        let pieces = advance(to: start)
        shown.removeAll { $0.isOpenEnded }
        if !text.isEmpty, range.end > start {
            shown.append((text, range.end, isOpenEnded || !range.end.isNumeric))
        }
        return pieces
    }

    /// Returns the pieces that are left after the last subtitle.
    mutating func finish() -> [Piece] {
        for index in shown.indices where !shown[index].end.isNumeric {
            shown[index].end = position + Self.usualDuration
        }
        return advance(to: shown.map(\.end).max() ?? position)
    }

    private mutating func advance(to time: MediaTime) -> [Piece] {
        var pieces: [Piece] = []
        while position < time, let first = shown.map(\.end).min() {
            let end = min(first, time)
            if end > position {
                pieces.append(
                    (
                        shown.map(\.text).joined(separator: "\n"),
                        MediaTimeRange(start: position, duration: end - position)
                    ))
                position = end
            }
            shown.removeAll { $0.end <= position }
        }
        position = max(position, time)
        return pieces
    }
}
