// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadExport

/// Subtitles that overlap, for containers that show one sample at a time.
@Suite struct SubtitleFlattenerTests {
    private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: start, timescale: 1),
            end: MediaTime(value: end, timescale: 1))
    }

    /// The pieces as texts such as `2-4 A/B`.
    private func flatten(
        _ cues: [(text: String, range: MediaTimeRange, isOpenEnded: Bool)]
    ) -> [String] {
        var flattener = SubtitleFlattener()
        var pieces: [SubtitleFlattener.Piece] = []
        for cue in cues {
            pieces += flattener.add(cue.text, in: cue.range, isOpenEnded: cue.isOpenEnded)
        }
        pieces += flattener.finish()
        return pieces.map { piece in
            let text = piece.text.split(separator: "\n").joined(separator: "/")
            return "\(Int(piece.range.start.seconds))-\(Int(piece.range.end.seconds)) \(text)"
        }
    }

    @Test func `subtitles that follow one another are unchanged`() {
        #expect(
            flatten([
                ("A", range(1, 3), false), ("B", range(3, 4), false), ("C", range(8, 9), false),
            ])
                == ["1-3 A", "3-4 B", "8-9 C"])
        #expect(flatten([]).isEmpty)
    }

    @Test func `subtitles that overlap are shown together`() {
        #expect(
            flatten([("A", range(0, 10), false), ("B", range(2, 4), false)])
                == ["0-2 A", "2-4 A/B", "4-10 A"])
        #expect(
            flatten([("A", range(0, 5), false), ("B", range(0, 5), false)]) == ["0-5 A/B"])
    }

    @Test func `a subtitle without an end is shown until the next, or for five seconds`() {
        let open = MediaTimeRange(start: range(1, 2).start, duration: .positiveInfinity)
        #expect(
            flatten([("A", open, false), ("B", range(4, 9), true), ("C", range(6, 7), false)])
                == ["1-4 A", "4-6 B", "6-7 C"])
        #expect(flatten([("A", open, false)]) == ["1-6 A"])
    }

    @Test func `pieces never overlap, and each moment shows what is on display`() {
        // All pairs of ranges on a small grid, also such that step back.
        for first in 0..<4 {
            for second in 0..<4 {
                for lengths in [(1, 1), (1, 3), (3, 1), (4, 2)] {
                    let cues: [(text: String, range: MediaTimeRange, isOpenEnded: Bool)] = [
                        ("A", range(Int64(first), Int64(first + lengths.0)), false),
                        ("B", range(Int64(second), Int64(second + lengths.1)), false),
                    ]
                    var flattener = SubtitleFlattener()
                    var pieces = cues.flatMap { flattener.add($0.text, in: $0.range) }
                    pieces += flattener.finish()
                    for (piece, next) in zip(pieces, pieces.dropFirst()) {
                        #expect(piece.range.end <= next.range.start)
                    }
                    for second in 0..<8 {
                        let middle = MediaTime(value: Int64(2 * second + 1), timescale: 2)
                        // What begins before a subtitle that was read earlier begins with it.
                        let shown = cues.filter {
                            $0.range.contains(middle) && middle >= cues[0].range.start
                        }
                        let piece = pieces.first { $0.range.contains(middle) }
                        #expect(
                            piece?.text ?? "" == shown.map(\.text).joined(separator: "\n"))
                    }
                }
            }
        }
    }
}
