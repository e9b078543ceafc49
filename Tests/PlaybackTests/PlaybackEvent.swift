// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Something that is done to a player, its item, their clock or an output.
enum PlaybackEvent {
    case setRate(Double)
    case advance(MediaTime)
    case seek(MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime)
    /// Seeks that follow each other before any of them can land, and what is seen meanwhile.
    case overlappingSeeks([MediaTime])
    /// Steps that follow each other without waiting.
    case steps([Int])
    case declare(rate: Double, time: MediaTime?, offset: MediaTime)
    /// An output asks and takes, so much ahead of the playhead.
    case take(output: Int, ahead: MediaTime)
    case add(output: Int)
    case remove(output: Int)

    static let outputs = 0..<3

    /// Any event, with moves that suit the film: nowhere does an output ask for a picture further
    /// ahead than the frame queue reaches.
    static func random(in film: RandomFilm, using random: inout SeededGenerator) -> PlaybackEvent {
        let output = random.int(in: outputs)
        switch random.int(in: 0..<100) {
        case 0..<30: return .advance(film.move(using: &random))
        case 30..<55: return .take(output: output, ahead: film.lookahead(using: &random))
        case 55..<64:
            return .setRate(
                [0, 0, 0, 0.5, 1, 1, 2, 4, -0.5, -1, -1, -4][random.int(in: 0..<12)])
        case 64..<74:
            return .seek(
                film.time(using: &random), toleranceBefore: film.tolerance(using: &random),
                toleranceAfter: film.tolerance(using: &random))
        case 74..<80:
            return .overlappingSeeks(
                (0..<random.int(in: 1..<4)).map { _ in film.time(using: &random) })
        case 80..<90:
            return .steps((0..<random.int(in: 1..<4)).map { _ in random.int(in: -12..<13) })
        case 90..<94:
            let time = random.int(in: 0..<2) == 0 ? film.time(using: &random) : nil
            let offset = film.move(using: &random) * Int32(random.int(in: 0..<2) * 2 - 1)
            return .declare(
                rate: [0.5, 1, 1, 2, -0.5, -1][random.int(in: 0..<6)], time: time, offset: offset)
        case 94..<97: return .add(output: output)
        default: return .remove(output: output)
        }
    }
}

/// A generator of random numbers that gives the same again for the same seed: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func int(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
