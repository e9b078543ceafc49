// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// A player of one file on a manual clock, with a sink that records the audio.
final class AudioLawPlayer {
    private let run: AudioLawRun
    private let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
    private let sink: CaptureAudioSink
    private let player: QueuePlayer
    private static let step = MediaTime(value: 1, timescale: 50)

    init(_ run: AudioLawRun) {
        self.run = run
        sink = CaptureAudioSink(format: run.whole.format, clock: clock)
        player = QueuePlayer(audioSink: sink, masterClock: clock)
    }

    /// Seeks to arbitrary times, and plays a piece from each.
    func seek(_ count: Int, seed: UInt64) throws -> AudioFindings {
        var findings = AudioFindings()
        var random = SplitMix64(seed: seed)
        let item = PlayerItem(asset: URLAsset(url: run.file))
        player.insert(item, after: nil)
        try wait { item.status != .unknown }
        if let error = item.error { throw error }
        let length = run.whole.format.sampleRate / 20
        let last = run.whole.frameCount - 3 * length
        for number in 0..<count {
            let first = number == 0 ? 0 : Int(random.next() % UInt64(last))
            let target = run.whole.time(ofFrame: first)
            let landed = Atomic<Bool>(false)
            item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) { _ in
                landed.store(true, ordering: .sequentiallyConsistent)
            }
            try wait { landed.load(ordering: .sequentiallyConsistent) }
            _ = sink.takeRuns()
            player.play()
            try wait { self.player.timeControlStatus == .playing }
            guard let start = item.timebase.hostTime(at: target) else {
                throw CannotProve("it does not play")
            }
            let heard = try hear(from: start, frames: length)
            player.pause()
            findings.compare(
                heard, count: length, from: first, in: run.whole, isExact: run.kind.isExact)
        }
        return findings
    }

    /// Plays the file in a loop, and compares each round. A round of audio alone follows the
    /// previous one without a gap; with video, it begins when both tracks have ended, on a sample.
    func loop(_ count: Int) throws -> AudioFindings {
        var findings = AudioFindings()
        let item = PlayerItem(asset: URLAsset(url: run.file))
        let looper = PlayerLooper(player: player, templateItem: item)
        player.play()
        try wait { self.player.timeControlStatus == .playing || looper.error != nil }
        if let error = looper.error { throw error }
        let firstTime = run.firstTime
        guard let current = player.currentItem,
            let start = current.timebase.hostTime(at: firstTime)
        else { throw CannotProve("it does not play") }
        let whole = run.whole
        let rate = Int32(whole.format.sampleRate)
        let lead = Int((whole.start - firstTime).converted(toTimescale: rate).value)
        // The longest silence: while the last frame of the video is shown, or up to the end that
        // the container states.
        let stated = Int(current.duration.converted(toTimescale: rate).value)
        let rest = max(Int(rate) / 25, stated - lead - whole.frameCount)
        let longestGap = run.kind.video == nil ? lead : lead + rest
        let heard = try hear(
            from: start, frames: count * (whole.frameCount + longestGap) + Int(rate) / 10)
        let channels = whole.format.channelCount
        func gap(from place: Int) -> Int? {
            ([lead] + (0...longestGap)).first { gap in
                let first = (place + gap) * channels
                let end = first + min(2048, whole.frameCount) * channels
                return end <= heard.count
                    && whole.difference(heard[first..<end], from: 0) < AudioFindings.limit
            }
        }
        var place = 0
        for number in 0..<count {
            guard let gap = gap(from: place) else {
                findings.fail("round \(number) does not begin at frame \(place)")
                continue
            }
            let silence = heard[(place * channels)..<((place + gap) * channels)]
            if silence.contains(where: { $0 != 0 }) {
                findings.fail("audio is played before round \(number)")
            }
            let first = place + gap
            place = first + whole.frameCount
            findings.compare(
                heard[(first * channels)..<(place * channels)], count: whole.frameCount, from: 0,
                in: whole, isExact: run.kind.isExact, note: "round \(number)")
        }
        return findings
    }

    /// Advances the clock until `frames` frames from `start` on have been played.
    private func hear(from start: MediaTime, frames: Int) throws -> ArraySlice<Float> {
        let rate = run.whole.format.sampleRate
        let channels = run.whole.format.channelCount
        let end = start + MediaTime(value: Int64(frames), timescale: Int32(rate))
        while clock.time < end + Self.step + Self.step {
            try wait { self.player.isAhead }
            sink.advance(to: clock.time + Self.step)
        }
        var heard = [Float](repeating: 0, count: frames * channels)
        for piece in sink.takeRuns() {
            let offset = MediaTime(nanoseconds: piece.clockTime) - start
            let place = Int(offset.converted(toTimescale: Int32(rate)).value) * channels
            let first = max(0, -place)
            let count = min(piece.samples.count - first, heard.count - max(0, place))
            guard count > 0 else { continue }
            heard.replaceSubrange(
                (place + first)..<(place + first + count),
                with: piece.samples[first..<(first + count)])
        }
        return heard[...]
    }

    private func wait(_ condition: () -> Bool) throws {
        let deadline = HostClock.nanoseconds + 30_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < deadline else { throw CannotProve("it hangs") }
            usleep(100)
        }
    }
}
