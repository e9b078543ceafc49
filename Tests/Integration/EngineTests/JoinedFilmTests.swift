// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Videos whose format changes in the middle, as in recordings of broadcasts: frames of another
/// size or depth, audio with other channels or at another rate.
@Suite(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing")) struct JoinedFilmTests {
    /// One half: two seconds of numbered frames, and a tone.
    struct Half: Sendable, CustomTestStringConvertible {
        var width = 320
        var height = 180
        var pixelFormat = "yuv420p"
        var channels = 2
        var sampleRate = 48_000

        var testDescription: String {
            "\(width)x\(height) \(pixelFormat), \(channels) channels at \(sampleRate) Hz"
        }

        /// Returns an MPEG transport stream that begins at a time.
        func bytes(from second: Int) throws -> Data {
            let duration = MediaTime(value: 2, timescale: 1)
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
                sounds: [
                    SyntheticSound(
                        .tone(500), format: .stereo(sampleRate: sampleRate), duration: duration)
                ])
            (media.width, media.height) = (width, height)
            media.keyframeInterval = 30
            let clip = SyntheticClip(
                media, pixelFormat: pixelFormat, container: "ts",
                options: ["-ac", "\(channels)", "-output_ts_offset", "\(second)"])
            return try Data(contentsOf: clip.url())
        }
    }

    static let seconds = [
        Half(width: 480, height: 270), Half(width: 160, height: 90),
        Half(pixelFormat: "yuv420p10le"), Half(pixelFormat: "yuv444p"), Half(channels: 1),
        Half(sampleRate: 44_100), Half(channels: 6, sampleRate: 32_000),
    ]

    @Test(arguments: seconds)
    func `a joined stream plays every frame and all audio`(_ second: Half) throws {
        try play(Half().bytes(from: 0) + second.bytes(from: 2), second)
    }

    @Test(arguments: [(0, 0), (100, 0), (3, 2)])
    func `timestamps that restart do not interrupt playback`(_ starts: (first: Int, second: Int))
        throws
    {
        try play(Half().bytes(from: starts.first) + Half().bytes(from: starts.second), Half())
    }

    private func play(_ film: Data, _ second: Half) throws {
        let folder = TemporaryFolder()
        let file = folder.appending("joined.ts")
        try film.write(to: file)
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink = CaptureAudioSink(clock: clock)
        let item = PlayerItem(asset: URLAsset(url: file))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        player.play()
        wait(item) { $0.isRunning }
        var seen: [(frame: Int, size: Int)] = []
        while !item.hasPlayedToEnd, item.error == nil, clock.time.seconds < 110 {
            settle(item)
            sink.advance(to: clock.time + MediaTime(value: 10, timescale: 1000))
            settle(item)
            guard let (picture, _) = output.copyPixelBuffer(forItemTime: item.currentTime),
                let frame = FrameNumberStrip.read(from: picture)
            else { continue }
            if seen.last?.frame != frame { seen.append((frame, picture.width)) }
        }
        #expect(item.error == nil)
        #expect(seen.map(\.frame) == Array(0..<60) + Array(0..<60))
        #expect(
            seen.map(\.size) == Array(repeating: 320, count: 60)
                + Array(repeating: second.width, count: 60))
        #expect(item.presentationSize.width == Double(second.width))
        // The priming of each half's AAC is cut or played, at most a block each.
        let silence = longestSilence(sink.samples)
        #expect(silence < 2 * 2048, "\(silence) samples of silence")
        // The end is not silent, either.
        let rate = sink.format.sampleRate
        let last = sink.samples.lastIndex { abs($0) > 0.01 } ?? 0
        let first = sink.samples.firstIndex { abs($0) > 0.01 } ?? 0
        #expect(Double((last - first) / 2) > 3.8 * Double(rate))
        player.replaceCurrentItem(with: nil)
    }

    private func wait(_ item: PlayerItem, _ condition: (ItemPipeline.Control) -> Bool) {
        item.pipeline.control.wait { control -> Bool? in
            if case .failed = control.phase { return true }
            return condition(control) ? true : nil
        }
    }

    /// Waits until the next frames and samples have been decoded.
    private func settle(_ item: PlayerItem) {
        // The state changes on several threads, some of which send no event, so it is polled.
        let end = HostClock.nanoseconds + 60_000_000_000
        while HostClock.nanoseconds < end,
            item.pipeline.control.wait(
                nanoseconds: 2_000_000, until: { isSettled(item, $0) ? true : nil }) == nil
        {}
    }

    private func isSettled(_ item: PlayerItem, _ control: ItemPipeline.Control) -> Bool {
        let time = item.currentTime
        if case .failed = control.phase { return true }
        guard control.isRunning else { return control.hasPlayedToEnd }
        guard control.videoEnd != nil || item.pipeline.frames.isPrimed(at: time) else {
            return false
        }
        guard let renderer = control.renderer, control.audioEnd == nil else { return true }
        return renderer.enqueuedEnd >= time + MediaTime(value: 1, timescale: 10)
    }

    /// Returns the longest silence, in frames, between the first and the last audible frame.
    private func longestSilence(_ samples: [Float]) -> Int {
        var (longest, run, hasBegun) = (0, 0, false)
        for index in stride(from: 0, to: samples.count, by: 2) {
            if abs(samples[index]) > 0.01 {
                if hasBegun { longest = max(longest, run) }
                (run, hasBegun) = (0, true)
            } else {
                run += 1
            }
        }
        return hasBegun ? longest : samples.count
    }
}
