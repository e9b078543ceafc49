// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization
import Testing

@Suite struct SyntheticAssetTests {
    private static let second = MediaTime(value: 1, timescale: 1)

    /// Decodes everything that remains in a demuxer: frame numbers as read from the pixels, with
    /// their times.
    private func frames(
        of demuxer: any Demuxer, skipping: Bool = false
    ) throws -> [(number: Int?, frame: VideoFrame)] {
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        decoder.skipsNonReferenceFrames = skipping
        var result: [(number: Int?, frame: VideoFrame)] = []
        var isAtEnd = false
        while !isAtEnd {
            let packet = try demuxer.readPacket()
            isAtEnd = packet == nil
            do { try decoder.send(packet) } catch { #expect(error.code == .decodingFailed) }
            while let frame = try decoder.receive() {
                result.append((FrameNumberStrip.read(from: frame.pixelBuffer), frame))
            }
        }
        return result
    }

    private func demuxer(_ media: SyntheticMedia) throws -> any Demuxer {
        try SyntheticAsset(media).openDemuxer(cancellation: Cancellation())
    }

    @Test(arguments: [1, 2, 7, 12, 100], [0, 1, 2, 3])
    func `frames come in order, each with its number, time and duration`(
        interval: Int, bidirectional: Int
    ) throws {
        let frame = MediaTime(value: 1001, timescale: 30000)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: frame, count: 31))
        media.keyframeInterval = interval
        media.bidirectionalFrames = bidirectional
        let decoded = try frames(of: try demuxer(media))
        #expect(decoded.map(\.number) == Array(0..<31))
        for (index, entry) in decoded.enumerated() {
            #expect(entry.frame.presentationTime == frame * Int32(index))
            #expect(entry.frame.duration == frame)
            #expect(entry.frame.isKeyframe == (index % interval == 0))
        }
    }

    @Test func `each video track has frames, keyframes and numbers of its own`() throws {
        func times(_ rate: Int32) -> SyntheticFrameTimes {
            SyntheticFrameTimes(framesPerSecond: rate, duration: Self.second)
        }
        var media = SyntheticMedia(frameTimes: times(30))
        (media.width, media.height, media.keyframeInterval) = (32, 16, 10)
        media.furtherVideos = [
            SyntheticVideo(frameTimes: times(25), keyframeInterval: 5, firstNumber: 100),
            SyntheticVideo(
                frameTimes: times(25), keyframeInterval: 25, firstNumber: 200, hasIndex: false),
        ]
        let demuxer = try demuxer(media)
        let tracks = demuxer.description.tracks
        #expect(tracks.map(\.mediaType) == [.video, .audio, .video, .video])
        for (track, first) in [(tracks[2], 100), (tracks[3], 200)] {
            demuxer.selectTracks([track.id])
            try demuxer.seek(to: .zero)
            let decoder = try demuxer.makeVideoDecoder(for: track)
            var numbers: [Int?] = []
            while let packet = try demuxer.readPacket() {
                try decoder.send(packet)
                while let frame = try decoder.receive() {
                    numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
                }
            }
            #expect(numbers == Array(first..<(first + 25)))
        }
        // A track without an index continues where the first track does.
        demuxer.selectTracks(Set(tracks.map(\.id)))
        try demuxer.seek(to: MediaTime(value: 1, timescale: 2))
        var firstTimes: [Int: MediaTime] = [:]
        while let packet = try demuxer.readPacket() {
            firstTimes[packet.trackID] = firstTimes[packet.trackID] ?? packet.presentationTime
        }
        #expect(firstTimes[0] == MediaTime(value: 10, timescale: 30))
        #expect(firstTimes[2] == MediaTime(value: 5, timescale: 25))
        #expect(firstTimes[3] == MediaTime(value: 9, timescale: 25))
    }

    @Test(arguments: [0, 1, 2, 3])
    func `packets are stored in decoding order, none after it is due`(bidirectional: Int) throws {
        var media = SyntheticMedia()
        media.keyframeInterval = 10
        media.bidirectionalFrames = bidirectional
        let demuxer = try demuxer(media)
        var last: [Int: MediaTime] = [:]
        while let packet = try demuxer.readPacket() {
            if let before = last[packet.trackID] { #expect(packet.decodeTime > before) }
            #expect(packet.decodeTime <= packet.presentationTime)
            last[packet.trackID] = packet.decodeTime
        }
        #expect(last.count == 2)
    }

    @Test func `a variable rate keeps every time as it was given`() throws {
        let times = [0, 1, 5, 6, 40, 41, 90].map { MediaTime(value: $0, timescale: 90) }
        let end = MediaTime(value: 2, timescale: 1)
        let media = SyntheticMedia(frameTimes: SyntheticFrameTimes(times: times, end: end))
        let decoded = try frames(of: try demuxer(media))
        #expect(decoded.map(\.frame.presentationTime) == times)
        #expect(
            decoded.map(\.frame.duration) == zip(times.dropFirst() + [end], times).map { $0 - $1 })
        #expect(media.duration == end)
    }

    @Test func `seeking lands on the last keyframe at or before the time`() throws {
        var media = SyntheticMedia()
        media.keyframeInterval = 12
        media.bidirectionalFrames = 2
        let demuxer = try demuxer(media)
        for (time, first) in [(0, 0), (11, 0), (12, 12), (23, 12), (59, 48), (600, 48), (-5, 0)] {
            try demuxer.seek(to: MediaTime(value: Int64(time), timescale: 30))
            let decoded = try frames(of: demuxer)
            #expect(decoded.map(\.number) == Array(first..<60))
        }
    }

    @Test func `after a flush a decoder waits for a keyframe`() throws {
        var media = SyntheticMedia(sounds: [])
        media.keyframeInterval = 4
        let demuxer = try demuxer(media)
        _ = try demuxer.readPacket()
        let decoded = try frames(of: demuxer)
        #expect(decoded.first?.number == 4)
    }

    @Test func `skipping leaves out the frames that no other refers to`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: Self.second))
        media.keyframeInterval = 30
        media.bidirectionalFrames = 2
        let decoded = try frames(of: try demuxer(media), skipping: true)
        #expect(decoded.map(\.number) == [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 29])
    }

    @Test func `faults strike the frames they are set for, and no others`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: Self.second))
        media.faults.undecodableFrames = [2]
        media.faults.missingFrames = [5]
        media.faults.framesWithoutTime = [7]
        let decoded = try frames(of: try demuxer(media))
        #expect(decoded.map(\.number) == [0, 1, 3, 4, 6, 7, 8, 9])
        #expect(decoded.filter { !$0.frame.presentationTime.isValid }.map(\.number) == [7])
    }

    @Test func `hooks are called, and what they throw is thrown`() throws {
        let failure = MediaError(.damaged, subject: "tape", cause: "torn")
        var media = SyntheticMedia(sounds: [])
        media.faults.willReadPacket = { (count) throws(MediaError) in
            if count == 3 { throw failure }
        }
        let demuxer = try demuxer(media)
        for _ in 0..<3 { #expect(try demuxer.readPacket() != nil) }
        #expect(throws: failure) { try demuxer.readPacket() }
    }

    @Test func `a cancelled demuxer stops reading`() throws {
        let cancellation = Cancellation()
        let demuxer = try SyntheticAsset().openDemuxer(cancellation: cancellation)
        cancellation.cancel()
        let error = #expect(throws: MediaError.self) { try demuxer.readPacket() }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: [48000, 44100, 8000], [1, 2])
    func `audio is gapless and as long as the video at any rate`(rate: Int, channels: Int) throws {
        let media = SyntheticMedia(
            frameTimes: nil,
            sounds: [SyntheticSound(.sampleNumbers, duration: MediaTime(value: 3, timescale: 2))])
        let demuxer = try demuxer(media)
        let track = try #require(demuxer.description.preferredTrack(of: .audio))
        let format =
            channels == 1 ? AudioFormat.mono(sampleRate: rate) : .stereo(sampleRate: rate)
        let decoder = try demuxer.makeAudioDecoder(for: track, format: format)
        var next = 0
        while let packet = try demuxer.readPacket() {
            try decoder.send(packet)
            let buffer = try #require(try decoder.receive())
            #expect(
                buffer.presentationTime == MediaTime(value: Int64(next), timescale: Int32(rate)))
            buffer.withSamples { samples in
                #expect(samples.count == buffer.frameCount * channels)
                let numbers = samples.map { Int($0 * Float(1 << 22)) }
                #expect(numbers == samples.indices.map { next + $0 / channels })
            }
            next += buffer.frameCount
        }
        #expect(next == rate * 3 / 2)
    }

    @Test func `ticks begin with the second, and flashes with them`() throws {
        let sound = SyntheticSound(duration: MediaTime(value: 3, timescale: 1))
        let loud = (0..<144_000).filter { abs(sound.sample(at: $0, sampleRate: 48000)) > 0.79 }
        #expect(Set(loud.filter { $0 % 48000 == 0 }) == [0, 48000, 96000])
        #expect(sound.sample(at: 47999, sampleRate: 48000) == 0)
        #expect(sound.sample(at: 960, sampleRate: 48000) == 0)

        let decoded = try frames(of: try demuxer(SyntheticMedia()))
        let flashes = decoded.filter { entry in
            let plane = entry.frame.pixelBuffer.planes[0]
            let corner = (plane.height - 1) * plane.bytesPerRow + plane.width - 1
            return plane.baseAddress.load(fromByteOffset: corner, as: UInt8.self) == 235
        }
        #expect(flashes.map(\.number) == [0, 1, 2, 3, 30, 31, 32, 33])
    }

    @Test func `an asset loads like any other`() async throws {
        let asset = SyntheticAsset()
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        #expect(duration == MediaTime(value: 2, timescale: 1))
        #expect(tracks.map(\.mediaType) == [.video, .audio])
        #expect(tracks[0].nominalFrameRate == 30)
    }
}
