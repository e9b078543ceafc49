// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// Seeks in one file, by every entry point that returns a frame, compared with its frames decoded
/// in sequence.
struct SeekLawTrial {
    private let film: SeekLawFilm
    /// The frames to seek to.
    private let targets: [Int]
    private(set) var count = 0
    private(set) var breaks: [String] = []

    /// The number of frames that a reader must return after its first.
    private static let tail = 6
    private static let deadline: Int64 = 120_000_000_000
    private static let period: UInt32 = 500

    init(_ film: SeekLawFilm, seeks: Int, seed: UInt64) {
        self.film = film
        var random = SplitMix64(seed: seed)
        let last = film.frames.count - 1
        // Both ends, where files differ most, and others.
        var targets = [last, max(0, last - 1), max(0, last - 2), 0, min(1, last)]
        while targets.count < seeks { targets.append(Int(random.next() % UInt64(last + 1))) }
        self.targets = Array(targets.prefix(seeks))
    }

    mutating func run() {
        let doors: [(String, (SeekLawTrial) -> () throws -> [String])] = [
            ("reader", Self.readFromTargets), ("images", Self.makeImages), ("player", Self.play),
        ]
        for (door, body) in doors {
            do {
                for failure in try body(self)() { breaks.append("\(door): \(failure)") }
            } catch {
                breaks.append("\(door): \(error)")
            }
            count += targets.count
        }
    }

    private func name(_ frame: SeekLawFilm.Frame) -> String {
        let index = film.frames.firstIndex { $0.hash == frame.hash }
        let named = index.map { "samples of frame \($0)" } ?? "samples of no frame"
        return "\(frame.time.seconds) s (\(named))"
    }

    private func complaint(_ index: Int, _ frame: SeekLawFilm.Frame?) -> String? {
        guard let frame else {
            return "frame \(index) at \(film.frames[index].time.seconds) s: nothing"
        }
        if frame == film.frames[index] { return nil }
        return "frame \(index) at \(film.frames[index].time.seconds) s: \(name(frame))"
    }

    // MARK: Entry points

    private func readFromTargets() throws -> [String] {
        var failures: [String] = []
        for target in targets {
            let range = MediaTimeRange(start: film.frames[target].time, duration: .positiveInfinity)
            let pictures = try AssetReader(asset: URLAsset(film.path), timeRange: range)
                .addVideoOutput()
            let wanted = film.frames[target...].prefix(Self.tail).indices
            for index in wanted {
                let frame = try pictures.copyNextSampleBuffer().map { SeekLawFilm.Frame($0) }
                if let failure = complaint(index, frame) {
                    failures.append("from \(target): \(failure)")
                    break
                }
            }
        }
        return failures
    }

    private func makeImages() throws -> [String] {
        var failures: [String] = []
        let shared = ImageGenerator(asset: URLAsset(film.path), options: .exact)
        for (number, target) in targets.enumerated() {
            let generator =
                number % 2 == 0
                ? shared : ImageGenerator(asset: URLAsset(film.path), options: .exact)
            do {
                let frame = try generator.copyFrame(at: film.middle(of: target))
                if let failure = complaint(target, SeekLawFilm.Frame(frame)) {
                    failures.append(failure)
                }
            } catch {
                failures.append("frame \(target): \(error)")
            }
        }
        return failures
    }

    private func play() throws -> [String] {
        let item = PlayerItem(asset: URLAsset(film.path))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(
            playerItem: item, audioSink: NullAudioSink(format: .stereo(sampleRate: 48_000)))
        defer { player.replaceCurrentItem(with: nil) }
        var failures: [String] = []
        for (number, target) in targets.enumerated() {
            let time = number % 2 == 0 ? film.middle(of: target) : film.frames[target].time
            guard seek(item, to: time) else {
                failures.append("seek to frame \(target): does not end")
                return failures
            }
            if let failure = complaint(target, seen(item, output)) {
                failures.append("seek to \(failure)")
                continue
            }
            // Steps away and back, in either order.
            let steps = number % 2 == 0 ? [-1, 1] : [1, -1]
            let path = [target + steps[0], target]
            guard film.frames.indices.contains(path[0]), target + 1 < film.frames.count else {
                continue
            }
            for (step, wanted) in zip(steps, path) {
                item.step(byCount: step)
                if let failure = complaint(wanted, awaited(wanted, item, output)) {
                    failures.append("step of \(step) from frame \(wanted - step) to \(failure)")
                    break
                }
            }
        }
        failures += backwards(player, item, output)
        return failures
    }

    /// Returns the frames that are shown while the end of the file plays backwards.
    private func backwards(
        _ player: Player, _ item: PlayerItem, _ output: PlayerItemVideoOutput
    ) -> [String] {
        guard seek(item, to: film.middle(of: film.frames.count - 1)) else {
            return ["the seek to the end does not end"]
        }
        player.rate = -1
        defer { player.rate = 0 }
        var failures: [String] = []
        var lastTime = MediaTime.positiveInfinity
        var distinct = 0
        let end = HostClock.nanoseconds + 3_000_000_000
        while distinct < 6, HostClock.nanoseconds < end, item.currentTime > film.frames[0].time {
            guard let frame = seen(item, output), frame.time != lastTime else {
                usleep(Self.period)
                continue
            }
            lastTime = frame.time
            distinct += 1
            if !film.frames.contains(frame) { failures.append("backwards: \(name(frame))") }
        }
        return failures
    }

    /// Seeks exactly, and returns whether the seek ends in time.
    private func seek(_ item: PlayerItem, to time: MediaTime) -> Bool {
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { isLanded in
            landed.change { $0 = isLanded }
        }
        return landed.wait(nanoseconds: Self.deadline, until: { $0 }) != nil
    }

    /// Returns the frame once it is shown, or the current frame after a timeout.
    private func awaited(
        _ index: Int, _ item: PlayerItem, _ output: PlayerItemVideoOutput
    ) -> SeekLawFilm.Frame? {
        let end = HostClock.nanoseconds + Self.deadline
        while true {
            let frame = seen(item, output)
            if frame?.time == film.frames[index].time || HostClock.nanoseconds > end {
                return frame
            }
            usleep(Self.period)
        }
    }

    private func seen(_ item: PlayerItem, _ output: PlayerItemVideoOutput) -> SeekLawFilm.Frame? {
        output.copyPixelBuffer(forItemTime: item.currentTime).map {
            SeekLawFilm.Frame(time: $0.1, hash: StormFilm.hash($0.0))
        }
    }
}
