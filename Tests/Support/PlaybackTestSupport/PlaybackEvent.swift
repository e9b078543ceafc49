// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime

/// An operation on a player, its item, their clock or an output.
enum PlaybackEvent {
    case setRate(Double)
    case advance(MediaTime)
    case seek(MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime)
    /// Several seeks before any of them finishes, with the frames visible in between.
    case overlappingSeeks([MediaTime])
    /// Such seeks, cancelled before any of them finishes.
    case cancelledSeeks([MediaTime])
    /// Several steps without waiting.
    case steps([Int])
    case declare(rate: Double, time: MediaTime?, offset: MediaTime)
    /// An output requests and takes a frame at a time ahead of the playhead.
    case take(output: Int, ahead: MediaTime)
    /// An output requests the frame of a future vsync and takes it.
    case draw(output: Int, ahead: MediaTime)
    case add(output: Int)
    case remove(output: Int)

    static let outputs = 0..<3

    /// Returns a random event with moves that suit the media: no output requests a frame beyond the
    /// frame queue.
    static func random(in film: RandomFilm, using random: inout SplitMix64) -> PlaybackEvent {
        let output = random.int(in: outputs)
        switch random.int(in: 0..<100) {
        case 0..<30: return .advance(film.move(using: &random))
        case 30..<42: return .take(output: output, ahead: film.lookahead(using: &random))
        case 42..<55:
            // A quarter, because it is multiplied by the rate.
            let ahead = film.lookahead(using: &random).multiplied(by: 1, over: 4)
            return .draw(output: output, ahead: ahead)
        case 55..<64:
            return .setRate(
                [0, 0, 0, 0.5, 1, 1, 2, 4, -0.5, -1, -1, -4][random.int(in: 0..<12)])
        case 64..<74:
            return .seek(
                film.time(using: &random), toleranceBefore: film.tolerance(using: &random),
                toleranceAfter: film.tolerance(using: &random))
        case 74..<80:
            let times = (0..<random.int(in: 1..<4)).map { _ in film.time(using: &random) }
            return random.int(in: 0..<3) == 0 ? .cancelledSeeks(times) : .overlappingSeeks(times)
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

extension SplitMix64 {
    mutating func int(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
