// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The differences between pieces of a file's audio and the file decoded from its start.
struct AudioFindings {
    /// The level, relative to the signal, below which a difference is accepted for a codec that is
    /// not exact.
    static let limit = -60.0

    private(set) var pieces = 0
    private(set) var misplaced = 0
    private(set) var wrong = 0
    /// The level of the largest difference of pieces that are in the right place, in decibels.
    private(set) var loudest = -Double.infinity
    private(set) var examples: [String] = []

    var holds: Bool { misplaced == 0 && wrong == 0 }

    /// Compares a piece, which is expected to begin at frame `first` and to hold `count` frames.
    mutating func compare(
        _ piece: ArraySlice<Float>, count: Int, from first: Int, in whole: DecodedAudio,
        isExact: Bool, note: @autoclosure () -> String = ""
    ) {
        pieces += 1
        let frames = piece.count / whole.format.channelCount
        let level = whole.difference(piece, from: first)
        if frames == count, level < (isExact ? -.greatestFiniteMagnitude : Self.limit) {
            loudest = max(loudest, level)
            return
        }
        let shift = whole.shift(of: piece, near: first)
        if frames != count || (shift ?? 0) != 0 {
            misplaced += 1
        } else {
            wrong += 1
            loudest = max(loudest, level)
        }
        guard examples.count < 4 else { return }
        let places = whole.differing(piece, from: first).map { " in \($0.1) samples of \($0.0)" }
        examples.append(
            "frame \(first): \(frames) of \(count) frames, difference \(level) dB\(places ?? ""), "
                + (shift.map { "\($0) frames late" } ?? "not found nearby") + " \(note())")
    }

    mutating func fail(_ reason: String) {
        pieces += 1
        misplaced += 1
        if examples.count < 4 { examples.append(reason) }
    }
}

extension AudioFindings: CustomStringConvertible {
    var description: String {
        "\(pieces): \(misplaced) misplaced, \(wrong) with wrong values"
            + (loudest > -.greatestFiniteMagnitude
                ? ", difference at most \(loudest.rounded()) dB" : "")
    }
}
