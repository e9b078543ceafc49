// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@Suite struct AssetReaderTests {
    private static let stereo = AudioFormat.stereo(sampleRate: 48000)

    /// Two seconds of frames with references two apart, and audio whose samples are numbered.
    private var film: SyntheticMedia {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(value: 1001, timescale: 30000), count: 60),
            sounds: [
                SyntheticSound(.sampleNumbers, duration: MediaTime(value: 2, timescale: 1)),
                SyntheticSound(.tone(440), duration: MediaTime(value: 2, timescale: 1)),
            ])
        media.keyframeInterval = 12
        media.bidirectionalFrames = 2
        return media
    }

    private func numbers(_ output: AssetReaderTrackOutput<VideoFrame>) throws -> [Int?] {
        var numbers: [Int?] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
        }
        return numbers
    }

    /// Returns the time and the number of the first sample, and the number of samples that follow
    /// without a gap.
    private func sound(
        _ output: AssetReaderTrackOutput<AudioBuffer>
    ) throws -> (start: MediaTime, first: Int, count: Int) {
        var result: (start: MediaTime, first: Int, count: Int)?
        while let buffer = try output.copyNextSampleBuffer() {
            let scale = Int32(buffer.format.sampleRate)
            let samples = buffer.withSamples { Array($0) }
            for frame in 0..<buffer.frameCount {
                let number = Int(samples[frame * 2] * Float(1 << 22))
                guard let known = result else {
                    result = (buffer.presentationTime, number, 1)
                    continue
                }
                #expect(number == known.first + known.count)
                #expect(
                    buffer.presentationTime + MediaTime(value: Int64(frame), timescale: scale)
                        == known.start + MediaTime(value: Int64(known.count), timescale: scale))
                result?.count += 1
            }
        }
        return result ?? (.invalid, 0, 0)
    }

    @Test func `outputs share one pass, whichever is read first`() throws {
        let reader = try AssetReader(asset: SyntheticAsset(film))
        let pictures = try reader.addVideoOutput()
        let sounds = try reader.addAudioOutput(format: Self.stereo)
        #expect(try numbers(pictures) == Array(0..<60))
        let heard = try sound(sounds)
        #expect(heard.start == .zero && heard.first == 0 && heard.count == 96000)
    }

    @Test(arguments: [(5, 17), (11, 12), (12, 36), (47, 60), (0, 60)])
    func `a range has the frames that begin in it, and its audio to the sample`(
        from: Int, to: Int
    ) throws {
        let frame = MediaTime(value: 1001, timescale: 30000)
        let range = MediaTimeRange(
            start: frame * Int32(from),
            end: min(frame * Int32(to), MediaTime(value: 2, timescale: 1)))
        let reader = try AssetReader(asset: SyntheticAsset(film), timeRange: range)
        let sounds = try reader.addAudioOutput(format: Self.stereo)
        let pictures = try reader.addVideoOutput()
        let heard = try sound(sounds)
        #expect(try numbers(pictures) == Array(from..<to).filter { frame * Int32($0) < range.end })
        func sample(_ time: MediaTime) -> Int {
            Int(time.converted(toTimescale: 48000, method: .roundTowardPositiveInfinity).value)
        }
        #expect(heard.first == sample(range.start))
        #expect(heard.count == sample(range.end) - sample(range.start))
        #expect(heard.start == MediaTime(value: Int64(heard.first), timescale: 48000))
    }

    @Test(arguments: [
        (5.5, 8.5, [5, 6, 7, 8]), (5, 7, [5, 6]), (12.25, 12.75, [12]), (11.9, 14, [11, 12, 13]),
        (59.5, 90, [59]), (60.5, 90, []), (0, 2, [0, 1]),
    ])
    func `the frame that is visible at the start of the range comes first if requested`(
        from: Double, to: Double, expected: [Int]
    ) throws {
        func time(_ frames: Double) -> MediaTime {
            MediaTime(value: Int64(frames * 100) * 1001, timescale: 3_000_000)
        }
        let reader = try AssetReader(
            asset: SyntheticAsset(film),
            timeRange: MediaTimeRange(start: time(from), end: time(to)))
        let pictures = try reader.addVideoOutput(includesPictureAtStart: true)
        #expect(try numbers(pictures) == expected)
        reader.restart(timeRange: MediaTimeRange(start: time(20.5), end: time(21.5)))
        #expect(try numbers(pictures) == [20, 21])
    }

    @Test func `a new reader reads another range`() throws {
        let reader = try AssetReader(asset: SyntheticAsset(film))
        let pictures = try reader.addVideoOutput()
        _ = try pictures.copyNextSampleBuffer()
        reader.restart(
            timeRange: MediaTimeRange(
                start: MediaTime(value: 30030, timescale: 30000),
                end: MediaTime(value: 33033, timescale: 30000)))
        #expect(try numbers(pictures) == [30, 31, 32])
        reader.restart(timeRange: nil)
        #expect(try numbers(pictures) == Array(0..<60))
        // Also if nothing of a range has been read.
        reader.restart(
            timeRange: MediaTimeRange(
                start: MediaTime(value: 1, timescale: 1), end: MediaTime(value: 3, timescale: 2)))
        reader.restart(timeRange: nil)
        #expect(try numbers(pictures) == Array(0..<60))
    }

    @Test func `a track of unknown duration is read completely`() throws {
        var media = film
        media.declaresDuration = false
        let asset = SyntheticAsset(media)
        let track = try #require(
            try AssetReader(asset: asset).description.preferredTrack(of: .audio))
        let reader = try AssetReader(asset: asset, timeRange: track.timeRange)
        let sounds = try reader.addAudioOutput(format: Self.stereo)
        #expect(!track.timeRange.duration.isNumeric)
        #expect(try sound(sounds).count == 96000)
    }

    @Test func `samples that cannot be decoded are skipped and counted`() throws {
        var media = film
        media.bidirectionalFrames = 0
        media.faults.undecodableFrames = [7, 8]
        let reader = try AssetReader(asset: SyntheticAsset(media))
        let pictures = try reader.addVideoOutput()
        #expect(try numbers(pictures) == Array(0..<7) + Array(9..<60))
        #expect(pictures.decodeErrorCount == 2)
        #expect(pictures.lastDecodeError?.cause == "frame 8 cannot be decoded")
    }

    @Test func `a track without decodable samples ends in an error that states this`() throws {
        var media = film
        media.faults.undecodableFrames = Set(0..<60)
        let reader = try AssetReader(asset: SyntheticAsset(media))
        let pictures = try reader.addVideoOutput()
        let error = try #require(throws: MediaError.self) { try numbers(pictures) }
        #expect(error.code == .decodingFailed)
        #expect(error.cause.hasPrefix("nothing in it can be decoded: frame "))
    }

    /// The video, with an error of reading after a number of packets.
    private func failing(after count: Int) -> SyntheticMedia {
        var media = film
        media.faults.willReadPacket = { (number) throws(MediaError) in
            guard number >= count else { return }
            throw MediaError(.timedOut, subject: "film", cause: "the server does not answer")
        }
        return media
    }

    @Test func `every frame that was read before an error is returned before the error`() throws {
        // In decoding order: 0, 3, 1, 2, 6, 4, 5, ...
        let read = [1: [0], 2: [0, 3], 4: [0, 1, 2, 3], 6: [0, 1, 2, 3, 4, 6]]
        for (packets, frames) in read {
            let reader = try AssetReader(asset: SyntheticAsset(failing(after: packets)))
            let output = try reader.addVideoOutput()
            for frame in frames {
                let sample = try #require(try output.copyNextSampleBuffer())
                #expect(FrameNumberStrip.read(from: sample.pixelBuffer) == frame)
            }
            for _ in 0..<2 {
                let error = #expect(throws: MediaError.self) {
                    try output.copyNextSampleBuffer()
                }
                #expect(error?.code == .timedOut)
            }
        }
    }

    @Test func `the frame at the start of a range is returned before an error of reading`() throws {
        let frame = MediaTime(value: 1001, timescale: 30000)
        let reader = try AssetReader(
            asset: SyntheticAsset(failing(after: 4)),
            timeRange: MediaTimeRange(
                start: (frame * Int32(3)).multiplied(by: 7, over: 6), duration: frame * Int32(9)))
        let output = try reader.addVideoOutput(includesPictureAtStart: true)
        let sample = try #require(try output.copyNextSampleBuffer())
        #expect(FrameNumberStrip.read(from: sample.pixelBuffer) == 3)
        #expect(throws: MediaError.self) { try output.copyNextSampleBuffer() }
    }

    @Test func `a cancelled reader ends in that error`() throws {
        let reader = try AssetReader(asset: SyntheticAsset(film))
        let pictures = try reader.addVideoOutput()
        _ = try pictures.copyNextSampleBuffer()
        reader.cancelReading()
        let error = #expect(throws: MediaError.self) { try numbers(pictures) }
        #expect(error?.code == .cancelled)
    }
}
