// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// Random seeks in one video, and the frames that a reader of its output gets.
struct SeekStorm {
    struct Outcome {
        var seeks = 0
        var overlapping = 0
        var landed = 0
        var superseded = 0
        var exact = 0
        var tolerant = 0
        var pictures = 0
        var onTheWay = 0
        var failures: [String] = []

        static func += (sum: inout Outcome, other: Outcome) {
            sum.seeks += other.seeks
            sum.overlapping += other.overlapping
            sum.landed += other.landed
            sum.superseded += other.superseded
            sum.exact += other.exact
            sum.tolerant += other.tolerant
            sum.pictures += other.pictures
            sum.onTheWay += other.onTheWay
            sum.failures += other.failures
        }
    }

    private struct Request {
        var target: MediaTime
        var before: MediaTime
        var after: MediaTime
        var isExact: Bool { before == .zero && after == .zero }
    }

    private static let deadline: Int64 = 60_000_000_000
    /// The interval at which a reader polls, in microseconds.
    private static let period: UInt32 = 1000

    private let film: StormFilm
    private var random: SplitMix64
    private var outcome = Outcome()
    private let item: PlayerItem
    private let output = PlayerItemVideoOutput()
    private let player: Player
    /// The frame that was seen last.
    private var seen: Int?

    init(_ film: StormFilm, seed: UInt64) {
        self.film = film
        random = SplitMix64(seed: seed)
        let path = Corpus.url(film.path)?.path ?? film.path
        item = PlayerItem(asset: URLAsset(path))
        item.add(output)
        player = Player(
            playerItem: item, audioSink: NullAudioSink(format: .stereo(sampleRate: 48_000)))
    }

    mutating func run(seeks: Int) -> Outcome {
        defer { player.replaceCurrentItem(with: nil) }
        while outcome.seeks < seeks, outcome.failures.count < 3 {
            if chance(1, of: 8) { player.rate = player.rate == 0 ? 1 : 0 }
            // A third of all seeks start while another is in progress.
            burst(of: chance(1, of: 4) ? 2 + int(below: 3) : 1)
        }
        return outcome
    }

    /// Performs several seeks in a row; all but the last are superseded, or have landed before.
    private mutating func burst(of count: Int) {
        let requests = (0..<count).map { _ in request() }
        let results = Monitor<[[Bool]]>(requests.map { _ in [] })
        outcome.seeks += count
        outcome.overlapping += count - 1
        look(whileSeekingTo: [])
        let isPaused = player.rate == 0
        for (number, request) in requests.enumerated() {
            item.seek(
                to: request.target, toleranceBefore: request.before,
                toleranceAfter: request.after
            ) { landed in results.change { $0[number].append(landed) } }
            if chance(1, of: 2) {
                usleep(UInt32(int(below: 8000)))
                look(whileSeekingTo: requests[...number])
            }
        }
        let end = HostClock.nanoseconds + Self.deadline
        while results.withLock({ $0.contains(where: \.isEmpty) }) {
            look(whileSeekingTo: requests[...])
            usleep(Self.period)
            if HostClock.nanoseconds > end {
                return fail("stuck: \(results.withLock { $0 }) of \(requests)")
            }
        }
        let all = results.withLock { $0 }
        outcome.landed += all.count { $0.last == true }
        outcome.superseded += all.count { $0.last == false }
        if all.contains(where: { $0.count != 1 }) { fail("completions \(all)") }
        if all.last != [true] { fail("the last of \(requests) says \(all.last ?? [])") }
        guard let last = requests.last else { return }
        check(last, isPaused: isPaused)
    }

    // MARK: Frames seen

    /// Takes the current frame, and compares it with the requests.
    private mutating func look(whileSeekingTo requests: ArraySlice<Request>) {
        let time = item.currentTime
        guard output.hasNewPixelBuffer(forItemTime: time),
            let (picture, start) = output.copyPixelBuffer(forItemTime: time)
        else { return }
        outcome.pictures += 1
        guard let index = film.index(ofFrameAt: start) else {
            return fail("a frame is seen at \(start), where none begins")
        }
        if StormFilm.hash(picture) != film.frames[index].hash {
            fail("frame \(index) at \(start) has other samples")
        }
        if let seen, !requests.isEmpty {
            outcome.onTheWay += 1
            let isPlausible = requests.contains { request in
                let target = clamped(request.target)
                let landing = film.index(at: target)
                return index == landing || request.before > .zero || request.after > .zero
                    || distance(index, target) <= distance(seen, target)
                    // Playback continues from the position where an earlier request landed.
                    || (index >= landing && player.rate != 0)
            }
            if !isPlausible { fail("frame \(index) is seen after \(seen), away from the targets") }
        }
        seen = index
    }

    private func distance(_ index: Int, _ target: MediaTime) -> MediaTime {
        (film.frames[index].time - target).magnitude
    }

    /// Checks the landing of the last seek.
    private mutating func check(_ request: Request, isPaused: Bool) {
        let target = clamped(request.target)
        let time = item.currentTime
        let isBeyond = target >= film.frames[film.frames.count - 1].time
        if request.isExact { outcome.exact += 1 } else { outcome.tolerant += 1 }
        if isPaused, !isBeyond {
            let isInside = time >= target - request.before && time <= target + request.after
            if !isInside { fail("\(request) lands at \(time)") }
        }
        guard let (picture, start) = output.copyPixelBuffer(forItemTime: time) else {
            return fail("no frame after \(request)")
        }
        guard let index = film.index(ofFrameAt: start),
            StormFilm.hash(picture) == film.frames[index].hash
        else { return fail("a frame after \(request) is not in the video") }
        seen = index
        let wanted = film.index(at: isPaused && !isBeyond ? time : min(time, target))
        if isPaused ? index != wanted : index < wanted && request.isExact {
            fail("after \(request), at \(time), frame \(index), not \(wanted)")
        }
        if request.isExact, isPaused, index != film.index(at: target) {
            fail("after \(request) frame \(index), not \(film.index(at: target))")
        }
    }

    private mutating func fail(_ text: String) { outcome.failures.append(text) }

    // MARK: Requests

    /// Returns the time that a seek can reach: the seekable range begins with the video.
    private func clamped(_ time: MediaTime) -> MediaTime { max(time, film.startTime) }

    private mutating func request() -> Request {
        let frame = film.frames[int(below: film.frames.count)]
        var target = frame.time
        switch int(below: 8) {
        case 0..<4: break
        case 4: target = frame.time + MediaTime(value: 1, timescale: 100)
        case 5: target = frame.time - MediaTime(value: 1, timescale: 2_000_000)
        case 6: target = MediaTime(value: Int64(int(below: 3000)) - 200, timescale: 1000)
        default:
            target =
                film.frames[film.frames.count - 1].time
                + MediaTime(value: Int64(int(below: 3)), timescale: 2)
        }
        var request = Request(target: target, before: .zero, after: .zero)
        if chance(2, of: 5) {
            let choices: [MediaTime] = [
                .zero, MediaTime(value: 1, timescale: 20), MediaTime(value: 1, timescale: 2),
                .positiveInfinity,
            ]
            request.before = choices[int(below: 4)]
            request.after = choices[int(below: 4)]
        }
        return request
    }

    private mutating func int(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    private mutating func chance(_ count: Int, of all: Int) -> Bool { int(below: all) < count }
}
