// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The order and the joints of audio that is decoded in reverse.
@Suite struct AudioReversalTests {
    /// Returns the samples of interleaved frames in reverse order of the frames.
    private func reversed(_ samples: some Collection<Float>, channels: Int) -> [Float] {
        let samples = Array(samples)
        return stride(from: samples.count - channels, through: 0, by: -channels).flatMap {
            samples[$0..<($0 + channels)]
        }
    }

    private func samples(of buffer: AudioBuffer) -> [Float] { buffer.withSamples { Array($0) } }

    @Test(arguments: 0..<40)
    func `windows of any size give the reversal of the whole`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let channels = Int.random(in: 1..<4, using: &random)
        let format = AudioFormat(
            sampleRate: 8000, channels: Array([.frontLeft, .frontRight, .frontCenter][..<channels]))
        let count = Int.random(in: 1..<3000, using: &random)
        let whole = (0..<(count * channels)).map { _ in Float.random(in: -1...1, using: &random) }
        let first = Int.random(in: 0..<count, using: &random)
        let end = Int.random(in: first..<count + 1, using: &random)
        let overlap = Int.random(in: 0..<50, using: &random)
        let shortest = overlap + Int.random(in: 1..<200, using: &random)
        var reversal = AudioReversal(
            format: format, from: Int64(first), to: Int64(end), firstLength: Int64(shortest),
            longestLength: Int64(shortest + Int.random(in: 0..<900, using: &random)),
            overlap: Int64(overlap))
        var heard: [Float] = []
        while let window = reversal.window {
            let part = Int(window.lowerBound) * channels..<Int(window.upperBound) * channels
            guard let buffer = reversal.take(Array(whole[part])) else { break }
            let begin = MediaTime(value: Int64(heard.count / channels - end), timescale: 8000)
            #expect(buffer.presentationTime == begin)
            heard += samples(of: buffer)
        }
        #expect(heard == reversed(whole[(first * channels)..<(end * channels)], channels: channels))
    }

    @Test func `windows that were decoded differently are joined without a step`() {
        var reversal = AudioReversal(
            format: .mono(sampleRate: 8000), from: 0, to: 5000, firstLength: 300,
            longestLength: 700, overlap: 49)
        var heard: [Float] = []
        var number = 0
        while let window = reversal.window {
            let level: Float = number.isMultiple(of: 2) ? 0.5 : -0.5
            guard let buffer = reversal.take([Float](repeating: level, count: window.count)) else {
                break
            }
            heard += samples(of: buffer)
            number += 1
        }
        #expect(heard.count == 5000 && number > 4)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.021 })
    }

    @Test func `after a skip the frames before it follow`() {
        var reversal = AudioReversal(
            format: .mono(sampleRate: 8000), from: 10, to: 1000, firstLength: 100,
            longestLength: 100, overlap: 8)
        _ = reversal.take([Float](repeating: 1, count: 100))
        reversal.skip(to: 500)
        #expect(reversal.window == 400..<500)
        let buffer = reversal.take((400..<500).map(Float.init))
        #expect(buffer.map(samples(of:)) == (408..<500).reversed().map(Float.init))
        reversal.skip(to: 900)
        #expect(reversal.window == 308..<408)
        reversal.skip(to: 0)
        #expect(reversal.window == nil)
    }

    // MARK: - Windows

    private func buffer(at milliseconds: Double, _ samples: [Float]) -> AudioBuffer {
        AudioBuffer(
            format: .mono(sampleRate: 1000),
            presentationTime: MediaTime(nanoseconds: Int64(milliseconds * 1e6)),
            frameCount: samples.count
        ) { _ = $0.update(fromContentsOf: samples) }
    }

    @Test func `a window has the frames of its range, and is silent in gaps`() {
        var window = AudioWindow(4..<14, format: .mono(sampleRate: 1000))
        #expect(window.isEmpty)
        window.add(buffer(at: 0, [9, 9, 9]))
        #expect(window.isEmpty)
        // A frame early by rounding, in a sequence.
        window.add(buffer(at: 2, [1, 2, 3]))
        window.add(buffer(at: 12.4, [4, 5, 6]))
        #expect(window.samples == [2, 3, 0, 0, 0, 0, 0, 0, 4, 5])
        #expect(!window.isEmpty)
    }

    @Test func `a window leaves out frames that overlap earlier ones`() {
        var window = AudioWindow(0..<24, format: .mono(sampleRate: 1000))
        window.add(buffer(at: 0, [Float](repeating: 1, count: 12)))
        window.add(buffer(at: 2, [Float](repeating: 2, count: 16)))
        window.add(buffer(at: 3, [Float](repeating: 3, count: 3)))
        window.add(buffer(at: 18, [Float](repeating: 4, count: 20)))
        let expected: [(Float, Int)] = [(1, 12), (2, 6), (4, 6)]
        #expect(window.samples == expected.flatMap { Array(repeating: $0.0, count: $0.1) })
    }

    // MARK: - Reading

    private func reader(
        _ media: SyntheticMedia, report: @escaping (MediaError) -> Void = { _ in }
    ) throws -> ReversedAudioReader {
        try ReversedAudioReader(
            AssetReader(asset: SyntheticAsset(media)), trackID: media.trackID(ofSound: 0),
            format: .mono(sampleRate: 48_000), report: report, isOver: { false })
    }

    /// Returns the numbers of the samples that are read, which are those of the frames.
    private func numbers(_ reader: ReversedAudioReader, from time: MediaTime) -> [Int] {
        reader.begin(at: time)
        var numbers: [Int] = []
        while let buffer = reader.next(heardAt: time) {
            numbers += samples(of: buffer).map { Int(($0 * Float(1 << 22)).rounded()) }
        }
        return numbers
    }

    private static let media: SyntheticMedia = {
        let duration = MediaTime(value: 73, timescale: 10)
        return SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
    }()

    @Test(arguments: [0, 1, 700, 2345, 7300] as [Int64])
    func `a reader returns all samples before a time, the last one first`(
        milliseconds: Int64
    ) throws {
        let numbers = numbers(
            try reader(Self.media), from: MediaTime(value: milliseconds, timescale: 1000))
        #expect(numbers == (0..<Int(milliseconds * 48)).reversed())
    }

    @Test func `after the end of the audio there is silence`() throws {
        let numbers = numbers(try reader(Self.media), from: MediaTime(value: 9, timescale: 1))
        let (end, margin) = (73 * 4800, 48_000)
        #expect(numbers == Array(repeating: 0, count: margin) + (0..<end).reversed())
    }

    @Test func `a reader begins again at any time`() throws {
        let reader = try reader(Self.media)
        for seconds in [5, 1, 7, 3] as [Int64] {
            reader.begin(at: MediaTime(value: seconds, timescale: 1))
            let buffer = try #require(reader.next(heardAt: MediaTime(value: seconds, timescale: 1)))
            let first = try #require(samples(of: buffer).first)
            #expect(Int((first * Float(1 << 22)).rounded()) == Int(seconds) * 48_000 - 1)
        }
    }

    @Test func `audio that the playhead has passed is skipped`() throws {
        let reader = try reader(Self.media)
        reader.begin(at: MediaTime(value: 7, timescale: 1))
        let buffer = try #require(reader.next(heardAt: MediaTime(value: 2, timescale: 1)))
        #expect(buffer.presentationTime == MediaTime(value: -2, timescale: 1))
    }

    @Test func `packets that cannot be decoded are silent and reported`() throws {
        var media = Self.media
        media.faults.undecodableSoundPackets = [2, 100]
        let errors = Monitor<Int>(0)
        let end = MediaTime(value: 3, timescale: 1)
        let numbers = numbers(try reader(media) { _ in errors.change { $0 += 1 } }, from: end)
        let silent = [2, 100].map { ($0 * 1024)..<(($0 + 1) * 1024) }
        var expected = Array(0..<(3 * 48_000))
        for part in silent { expected.replaceSubrange(part, with: repeatElement(0, count: 1024)) }
        #expect(numbers == expected.reversed())
        #expect(errors.withLock { $0 } > 0)
    }
}
