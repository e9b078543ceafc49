// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

@Suite struct AudioDecoderTests {
    private func decode(_ file: WaveFile, to format: AudioFormat) throws -> [AudioBuffer] {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "sound.wav").path
        try file.write(to: path)
        return try Opening.sound(path, format: format)
    }

    private func samples(_ buffers: [AudioBuffer]) -> [Float] {
        buffers.flatMap { $0.withSamples { Array($0) } }
    }

    /// Checks that every buffer begins exactly where the previous one ended.
    private func expectContinuous(_ buffers: [AudioBuffer], from start: MediaTime = .zero) {
        var time = start
        for buffer in buffers {
            #expect(buffer.presentationTime == time)
            time += buffer.duration
        }
    }

    @Test func `audio in the requested format is not changed`() throws {
        let left = (0..<10000).map { Float($0 % 100) / 100 }
        let right = left.map { -$0 }
        let buffers = try decode(
            WaveFile(sampleRate: 44100, channels: [left, right]), to: .stereo(sampleRate: 44100))
        expectContinuous(buffers)
        let samples = samples(buffers)
        #expect(samples.count == 20000)
        #expect(zip(left, right).flatMap { [$0, $1] } == samples)
    }

    @Test(arguments: [(44100, 48000), (48000, 44100), (8000, 48000), (96000, 48000)])
    func resampledSoundIsWhereItWas(_ rates: (from: Int, to: Int)) throws {
        // A bell of 10 ms around a known time: its centre of mass shows by how much it was moved.
        let center = rates.from / 2
        let width = Double(rates.from) / 200
        let bell = (0..<rates.from).map { index -> Float in
            let x = Double(index - center) / width
            return Float(exp(-x * x))
        }
        let buffers = try decode(
            WaveFile(sampleRate: rates.from, channels: [bell]), to: .mono(sampleRate: rates.to))
        expectContinuous(buffers)
        let samples = samples(buffers)
        #expect(abs(samples.count - rates.to) <= 1)
        let weight = samples.reduce(0) { $0 + Double($1) }
        let moment = samples.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element) }
        let seconds = moment / weight / Double(rates.to)
        #expect(abs(seconds - 0.5) < 0.01 / Double(rates.to))
    }

    @Test func `NaN samples become silence`() throws {
        let buffers = try decode(
            WaveFile(sampleRate: 48000, channels: [[0.5, .nan, .infinity, -.infinity, 0.25]]),
            to: .mono(sampleRate: 48000))
        #expect(samples(buffers) == [0.5, 0, 0, 0, 0.25])
    }

    /// The upper limit is that of `MediaLimits`; FFmpeg itself refuses what does not fit 31 bits.
    @Test(arguments: [1, 10, 999, 768_001, 2_000_000_000, 4_000_000_000])
    func `an impossible sample rate is refused in one line`(rate: Int) throws {
        do {
            _ = try decode(
                WaveFile(sampleRate: rate, channels: [[Float](repeating: 0.5, count: 5000)]),
                to: .stereo(sampleRate: 48_000))
            Issue.record("\(rate) Hz is played")
        } catch let error as MediaError {
            #expect(!error.description.contains("\n") && error.description.contains("sound.wav"))
            if rate < 1 << 31 {
                #expect(error.description.contains("sample rate of \(rate) Hz"))
            }
        }
    }

    @Test(arguments: [1000, 384_000, 768_000])
    func `the lowest and the highest sample rates are played`(rate: Int) throws {
        let buffers = try decode(
            WaveFile(sampleRate: rate, channels: [[Float](repeating: 0.5, count: rate / 10)]),
            to: .mono(sampleRate: 48_000))
        #expect(abs(samples(buffers).count - 4800) <= 1)
    }

    /// 2 s are not a whole number of AAC's packets of 1024.
    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `padding beyond the edit list is removed`() throws {
        let duration = MediaTime(value: 2, timescale: 1)
        let film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [
                SyntheticSound(
                    .sampleNumbers, format: .mono(sampleRate: 48_000), duration: duration)
            ])
        let clip = SyntheticClip(film, audioCodec: "aac", container: "mov")
        let buffers = try Opening.sound(clip.url().path, format: .mono(sampleRate: 48_000))
        expectContinuous(buffers)
        #expect(samples(buffers).count == 96_000)
    }

    @Test func `64 channels become two`() throws {
        let channel = [Float](repeating: 0.25, count: 4800)
        let file = WaveFile(sampleRate: 48_000, channels: Array(repeating: channel, count: 64))
        let buffers = try decode(file, to: .stereo(sampleRate: 48_000))
        #expect(samples(buffers).count == 9600)
        #expect(samples(buffers).allSatisfy { abs($0) <= 1 })
    }

    @Test func `mono audio is as loud in stereo as two equal channels`() throws {
        let samples: [Float] = [0.25, 0.5, -1]
        let one = WaveFile(sampleRate: 48_000, channels: [samples])
        let two = WaveFile(sampleRate: 48_000, channels: [samples, samples])
        let heard = try [one, two].map {
            try self.samples(decode($0, to: .stereo(sampleRate: 48_000)))
        }
        #expect(heard[0] == samples.flatMap { [$0, $0] })
        #expect(heard[0] == heard[1])
    }

    @Test func `channels are returned in the requested order`() throws {
        let format = AudioFormat(sampleRate: 48000, channels: [.frontRight, .frontLeft])
        let buffers = try decode(
            WaveFile(sampleRate: 48000, channels: [[0.25, 0.5], [-0.25, -0.5]]), to: format)
        #expect(samples(buffers) == [-0.25, 0.25, -0.5, 0.5])
    }

    /// ITU-R BS.775-3, table 2: the front channels unchanged, the centre and the sides at half the
    /// power, no low frequency effects.
    @Test(
        arguments: [
            (0, [1, 0]), (1, [0, 1]), (2, [0.7071, 0.7071]), (3, [0, 0]), (4, [0.7071, 0]),
            (5, [0, 0.7071]),
        ] as [(Int, [Float])])
    func `each of six channels has its level in two`(channel: Int, levels: [Float]) throws {
        let (full, silent) = ([Float](repeating: 1, count: 64), [Float](repeating: 0, count: 64))
        let surround = WaveFile(
            sampleRate: 48000, channels: (0..<6).map { $0 == channel ? full : silent },
            channelMask: 0x3f)
        let samples = samples(try decode(surround, to: .stereo(sampleRate: 48000)))
        #expect(samples.count == 128)
        for (index, sample) in samples.enumerated() {
            #expect(abs(sample - levels[index % 2]) < 0.001)
        }
    }

    @Test func `unnamed channels are taken in order`() throws {
        let channels = (0..<11).map { [Float($0) / 16, 0] }
        let samples = samples(
            try decode(
                WaveFile(sampleRate: 48000, channels: channels), to: .stereo(sampleRate: 48000)))
        #expect(samples == [0, 1 / 16, 0, 0])
    }

    @Test(.enabled(if: Corpus.has("torchcodec"), Comment(rawValue: Corpus.absence)))
    func soundOfAFilmBeginsWhereFFprobeSays() throws {
        for name in ["nasa_13013.mp4", "test_non_zero_start.mp4", "nasa_13013.mp4.audio.mp3"] {
            guard let url = Corpus.url("torchcodec/test/resources/" + name) else { continue }
            let reader = try AssetReader(asset: Opening.asset(url.path))
            guard let sound = try? reader.addAudioOutput(format: .stereo(sampleRate: 48000))
            else { continue }
            let text = try Manifest.probe(
                url.path,
                [
                    "-select_streams", String(sound.track.id), "-show_entries", "frame=pts",
                    "-of", "csv=p=0",
                ])
            let digits = text.prefix { $0.isNumber || $0 == "-" }
            let pts = try #require(Int64(digits))
            let unit = sound.track.timeUnit
            let first = try #require(try sound.copyNextSampleBuffer())
            #expect(
                first.presentationTime + reader.description.timestampOffset
                    == MediaTime(value: pts * unit.value, timescale: unit.timescale))
        }
    }
}
