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
    /// A range that repeats a number of times.
    case loop(from: MediaTime, to: MediaTime, count: Int)
    /// An output requests and takes a frame at a time ahead of the playhead.
    case take(output: Int, ahead: MediaTime)
    /// An output requests the frame of a future vsync and takes it.
    case draw(output: Int, ahead: MediaTime)
    case add(output: Int)
    case remove(output: Int)
    /// A video track is switched on or off, by its number; 0 is the first one.
    case setVideo(Int, isEnabled: Bool)
    case setSound(Int, isEnabled: Bool)
    /// An audio track is selected to be heard alone; nil for silence.
    case selectSound(Int?)
    /// Packets of some more time arrive.
    case arrive(MediaTime)

    static let outputs = 0..<3

    /// Returns a random event with moves that suit the media: no output requests a frame beyond the
    /// frame queue.
    static func random(in film: RandomFilm, using random: inout SplitMix64) -> PlaybackEvent {
        switch random.int(in: 0..<100) {
        case 0..<6 where film.isWhole: return loop(in: film, using: &random)
        case 6..<12 where film.kind == .remote: return .arrive(film.arrival(using: &random))
        case 12..<16 where film.kind == .remote: return .setRate(1)
        case 16..<22 where film.kind == .remote: return .advance(film.move(using: &random))
        case 22..<34 where film.kind != .plain: return trackSwitch(in: film, using: &random)
        default: return plain(in: film, using: &random)
        }
    }

    private static func plain(
        in film: RandomFilm, using random: inout SplitMix64
    ) -> PlaybackEvent {
        let output = random.int(in: outputs)
        switch random.int(in: 0..<100) {
        case 0..<30: return .advance(film.move(using: &random))
        case 30..<42: return .take(output: output, ahead: film.lookahead(using: &random))
        case 42..<55:
            // A quarter, because it is multiplied by the rate.
            let ahead = film.lookahead(using: &random).multiplied(by: 1, over: 4)
            return .draw(output: output, ahead: ahead)
        case 55..<64:
            // With several tracks, rate 1 more often, at which the samples are known.
            let isMixed = film.kind == .plain || random.int(in: 0..<3) == 0
            let rates = isMixed ? [0, 0, 0, 0.5, 1, 1, 2, 4, -0.5, -1, -1, -4] : [0, 1, 1, 1]
            return .setRate(rates[random.int(in: 0..<rates.count)])
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

    private static func loop(
        in film: RandomFilm, using random: inout SplitMix64
    ) -> PlaybackEvent {
        let (start, end) = film.range(using: &random)
        let count = [0, 1, 2, 3, -1][random.int(in: 0..<5)]
        // An endless loop over almost nothing would never leave a moment of the clock.
        let duration = (end.isNumeric ? end : film.media.duration) - start
        let isLong = duration >= MediaTime(value: 1, timescale: 5)
        return .loop(from: start, to: end, count: isLong ? count : max(count, 0))
    }

    private static func trackSwitch(
        in film: RandomFilm, using random: inout SplitMix64
    ) -> PlaybackEvent {
        let isEnabled = random.int(in: 0..<3) != 0
        let sounds = film.media.sounds.count
        switch random.int(in: 0..<3) {
        case 0 where sounds > 0:
            return .setSound(random.int(in: 0..<sounds), isEnabled: isEnabled)
        case 1 where sounds > 0:
            return .selectSound(random.int(in: 0..<5) == 0 ? nil : random.int(in: 0..<sounds))
        default:
            let video = random.int(in: 0..<film.media.furtherVideos.count + 1)
            return .setVideo(video, isEnabled: isEnabled)
        }
    }
}

extension SplitMix64 {
    mutating func int(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
