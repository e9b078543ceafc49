// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadThreads
import PlayheadUI

/// A file that is played backwards from the end of its audio, on a manual clock: the samples that a
/// listener would hear.
struct ReversedRun {
    private static let step = MediaTime(value: 1, timescale: 50)

    let format: AudioFormat
    let rate: Double
    /// The item time at which playback begins: the end of the audio.
    let start: MediaTime
    /// The interleaved samples, from the start of the timeline on.
    private(set) var heard: [Float] = []
    /// The number of times that audio was missing.
    private(set) var underruns = 0

    /// - Parameters:
    ///   - end: The end of the audio.
    ///   - seconds: The longest duration of the run, on the clock.
    init(
        _ file: URL, format: AudioFormat, rate: Double, end: MediaTime, seconds: Double = .infinity
    ) throws {
        self.format = format
        self.rate = rate
        start = end
        let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
        let sink = CaptureAudioSink(format: format, clock: clock)
        let item = PlayerItem(asset: URLAsset(url: file))
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        defer { player.replaceCurrentItem(with: nil) }
        try Self.wait("open") { item.status != .unknown }
        if let error = item.error { throw error }
        let landed = Landing()
        item.seek(to: end, toleranceBefore: .zero, toleranceAfter: .zero) { _ in landed.set() }
        try Self.wait("seek") { landed.isSet }
        player.rate = rate
        try Self.wait("begin") { player.timeControlStatus == .playing }
        guard let begin = item.timebase.hostTime(at: end) else {
            throw CannotProve("rates: playback backwards does not begin")
        }
        while player.rate != 0, (clock.time - begin).seconds < seconds {
            try Self.wait("decode") { player.isAhead || player.rate == 0 }
            sink.advance(to: clock.time + Self.step)
            // The thread that detects the beginning may be late.
            if item.currentTime <= .zero { try Self.wait("end") { player.rate == 0 } }
        }
        underruns = item.statistics.audioUnderruns
        collect(sink.runs, from: begin)
    }

    private mutating func collect(_ runs: [CapturedAudio], from begin: MediaTime) {
        for run in runs {
            let offset = MediaTime(nanoseconds: run.clockTime) - begin
            let place =
                Int(offset.converted(toTimescale: Int32(format.sampleRate)).value)
                * format.channelCount
            heard += run.samples.dropFirst(max(0, heard.count - place))
        }
    }

    private static func wait(_ what: String, _ condition: () -> Bool) throws {
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < deadline else {
                throw CannotProve("rates: playback backwards does not \(what)")
            }
            usleep(200)
        }
    }

    /// The offsets of the ticks from their times, in milliseconds of item time, and the number of
    /// ticks that are missing. A tick begins at each second with its loudest sample, which is heard
    /// last in reverse.
    func tickErrors(period: Double = 1) -> (errors: [Double], missing: Int) {
        let channels = format.channelCount
        var ends: [Int] = []
        for index in stride(from: 0, to: heard.count, by: channels) where abs(heard[index]) > 0.45 {
            let frame = index / channels
            if let last = ends.last, frame - last < format.sampleRate / 50 {
                ends[ends.count - 1] = frame
            } else {
                ends.append(frame)
            }
        }
        // The time at which a sample has been heard to its end.
        let times = ends.map {
            start.seconds - Double($0 + 1) / Double(format.sampleRate) * rate.magnitude
        }
        let reached =
            start.seconds
            - Double(heard.count / channels) / Double(format.sampleRate) * rate.magnitude
        var errors: [Double] = []
        var missing = 0
        var due = ((start.seconds - 0.05) / period).rounded(.down) * period
        while due >= max(0, reached + 0.05) {
            let nearest = times.min { abs($0 - due) < abs($1 - due) }
            if let nearest, abs(nearest - due) < 0.1 {
                errors.append((nearest - due) * 1000)
            } else {
                missing += 1
            }
            due -= period
        }
        return (errors, missing)
    }

    /// The frequency of the left channel, computed from the zero crossings after a tenth of a
    /// second.
    var frequency: Double {
        let left = stride(from: 0, to: heard.count, by: format.channelCount).map { heard[$0] }
            .dropFirst(format.sampleRate / 10)
        var rises: [Int] = []
        for index in left.indices.dropFirst() where left[index - 1] < 0 && left[index] >= 0 {
            rises.append(index)
        }
        guard let first = rises.first, let last = rises.last, last > first else { return .nan }
        return Double(rises.count - 1) * Double(format.sampleRate) / Double(last - first)
    }
}

/// The completion of a seek, which any thread reports.
private final class Landing: Sendable {
    private let state = Monitor(false)

    var isSet: Bool { state.withLock { $0 } }
    func set() { state.change { $0 = true } }
}
