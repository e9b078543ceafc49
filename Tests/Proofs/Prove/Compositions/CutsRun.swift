// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadPlayback
import PlayheadThreads
import PlayheadUI

/// Cuts of files in one composition, and the frames that each way of reading the composition
/// returns.
struct CutsRun {
    struct Cut {
        var film: Int
        var frames: Range<Int>
    }

    struct Shown: Equatable {
        var number: Int?
        var time: MediaTime
    }

    let films: [CutsFilm]
    let cuts: [Cut]
    let composition = MutableComposition()
    /// The frames that the composition shows, computed from the cuts.
    let expected: [Shown]
    private let end: MediaTime

    /// The time that a frame may take to arrive, in seconds.
    private static let patience = 20.0

    init(_ films: [CutsFilm], cuts count: Int, random: inout SplitMix64) throws {
        self.films = films
        var cuts: [Cut] = []
        var expected: [Shown] = []
        let track = try composition.addMutableTrack(withMediaType: .video)
        for _ in 0..<count {
            let index = Int.random(in: films.indices, using: &random)
            let film = films[index]
            let first = Int.random(in: 0..<(film.count - 1), using: &random)
            let last = Int.random(in: first..<min(film.count, first + 16), using: &random)
            let place = track.timeRange.end
            let range = MediaTimeRange(start: film.edges[first], end: film.edges[last + 1])
            try track.insertTimeRange(range, of: film.track, in: film.asset, at: .invalid)
            cuts.append(Cut(film: index, frames: first..<(last + 1)))
            for frame in first...last {
                let offset = film.edges[frame] - film.edges[first]
                expected.append(Shown(number: frame, time: place + offset))
            }
        }
        (self.cuts, self.expected, end) = (cuts, expected, track.timeRange.end)
    }

    /// The numbers that are expected.
    var numbers: [Int] { expected.compactMap(\.number) }

    // MARK: - Reading

    /// Returns the number of frames that a reader returns with a wrong number or time.
    func wrongWhenRead() throws -> Int {
        let output = try AssetReader(asset: composition.makeAsset()).addVideoOutput()
        var found: [Shown] = []
        while let frame = try output.copyNextSampleBuffer() {
            found.append(
                Shown(
                    number: FrameNumberStrip.read(from: frame.pixelBuffer),
                    time: frame.presentationTime))
        }
        let wrong = zip(found, expected).filter { $0 != $1 }.count
        return wrong + abs(found.count - expected.count)
    }

    // MARK: - Playing

    /// A player on a clock that stands still until it is moved.
    private struct Playing {
        let clock = ManualClock()
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()

        init(_ composition: Composition) {
            item = PlayerItem(asset: composition.makeAsset())
            item.add(output)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        }

        func wait(_ condition: () -> Bool) throws {
            let deadline = Date() + CutsRun.patience
            while !condition() {
                guard Date() < deadline else { throw CannotProve("playback does not proceed") }
                usleep(100)
            }
        }

        /// Takes the frame that is visible once it has been decoded.
        func takeFrame() -> Int? {
            _ = output.waitForPixelBuffer(after: item.currentTime, seconds: CutsRun.patience)
            return output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }

        func seek(to time: MediaTime) -> Bool {
            let landed = Monitor<Bool?>(nil)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
                landed.change { $0 = done }
            }
            return landed.wait { $0 }
        }
    }

    /// Returns a time rounded up to whole nanoseconds, the unit of clocks.
    private static func clockTime(_ time: MediaTime) -> MediaTime {
        time.converted(toTimescale: 1_000_000_000, method: .roundTowardPositiveInfinity)
    }

    private func middle(of index: Int) -> MediaTime {
        let next = index + 1 < expected.count ? expected[index + 1].time : end
        return expected[index].time + (next - expected[index].time).multiplied(by: 1, over: 2)
    }

    /// Plays the composition, and returns the number of frames that are shown at a wrong time.
    func wrongWhenPlayed() throws -> Int {
        let playing = Playing(composition)
        playing.player.play()
        try playing.wait { playing.player.timeControlStatus == .playing }
        var wrong = 0
        for frame in expected {
            playing.clock.advance(to: Self.clockTime(frame.time))
            if playing.takeFrame() != frame.number { wrong += 1 }
        }
        return wrong + playing.item.statistics.droppedFrames
    }

    /// Plays backwards, and returns the number of wrong frames in the middle of the frames'
    /// intervals.
    func wrongBackwards() throws -> Int {
        let playing = Playing(composition)
        let last = expected.count - 1
        guard playing.seek(to: middle(of: last)) else { return expected.count }
        playing.player.rate = -1
        try playing.wait { playing.player.timeControlStatus == .playing }
        var wrong = 0
        for index in expected.indices.reversed() {
            playing.clock.advance(
                to: playing.clock.time + (playing.item.currentTime - middle(of: index)))
            if playing.takeFrame() != expected[index].number { wrong += 1 }
        }
        return wrong
    }

    /// Seeks exactly to random frames, and returns the number of seeks after which a wrong frame is
    /// visible.
    func wrongAfterSeeks(_ count: Int, random: inout SplitMix64) throws -> Int {
        let playing = Playing(composition)
        var wrong = 0
        var last = -1
        for _ in 0..<count {
            let index = Int.random(in: expected.indices, using: &random)
            // A frame that was taken is not new to the output again.
            guard index != last else { continue }
            last = index
            let isLanded = playing.seek(to: middle(of: index))
            if !isLanded || playing.takeFrame() != expected[index].number { wrong += 1 }
        }
        return wrong
    }
}
