// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadStretching
import PlayheadTime
import Testing

@testable import PlayheadCompositions

@Suite struct CompositionReadingTests {
    /// Frames and samples carry their numbers.
    private struct Film {
        let media: SyntheticMedia
        let asset: SyntheticAsset
        let description: AssetDescription

        init(
            _ times: SyntheticFrameTimes, keyframeInterval: Int = 12, bidirectionalFrames: Int = 2
        ) throws {
            var media = SyntheticMedia(
                frameTimes: times,
                sounds: [SyntheticSound(.sampleNumbers, duration: times.end)])
            (media.width, media.height) = (256, 32)
            media.keyframeInterval = keyframeInterval
            media.bidirectionalFrames = bidirectionalFrames
            self.media = media
            asset = SyntheticAsset(media)
            description = try AssetReader(asset: asset).description
        }

        var video: AssetTrack { description.tracks[0] }
        var audio: AssetTrack { description.tracks[1] }
        var times: SyntheticFrameTimes {
            media.frameTimes ?? SyntheticFrameTimes(times: [], end: .zero)
        }
    }

    private struct Shown: Equatable {
        var number: Int?
        var time: MediaTime
    }

    private static let films: [Film] = {
        var random = SplitMix64(seed: 4)
        var times: [MediaTime] = []
        var time: Int64 = 0
        for _ in 0..<90 {
            times.append(MediaTime(value: time, timescale: 1000))
            time += Int64.random(in: 5...80, using: &random)
        }
        let films: [Film?] = [
            try? Film(
                SyntheticFrameTimes(
                    frameDuration: MediaTime(value: 1001, timescale: 30000), count: 100)),
            try? Film(
                SyntheticFrameTimes(frameDuration: MediaTime(value: 1, timescale: 25), count: 80),
                keyframeInterval: 1, bidirectionalFrames: 0),
            try? Film(
                SyntheticFrameTimes(
                    times: times, end: MediaTime(value: time, timescale: 1000)),
                keyframeInterval: 30, bidirectionalFrames: 4),
        ]
        return films.compactMap { $0 }
    }()

    /// Returns the frames that a segment shows, by the definition of a segment.
    private func frames(of segment: CompositionTrackSegment) -> [Shown] {
        guard let film = Self.films.first(where: { $0.asset === segment.asset }) else { return [] }
        let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
        var result: [Shown] = []
        let first = film.times.index(at: source.start + VideoFrame.timeTolerance) ?? 0
        for index in first..<film.times.count {
            let time = max(film.times.time(of: index), source.start)
            guard time < source.end - VideoFrame.timeTolerance else { break }
            result.append(
                Shown(
                    number: index,
                    time: index == first ? target.start : time.mapped(from: source, to: target)))
        }
        return result
    }

    private func read(
        _ composition: Composition, in range: MediaTimeRange? = nil
    ) throws -> [Shown] {
        let reader = try AssetReader(asset: composition.makeAsset(), timeRange: range)
        let output = try reader.addVideoOutput()
        var result: [Shown] = []
        while let frame = try output.copyNextSampleBuffer() {
            result.append(
                Shown(
                    number: FrameNumberStrip.read(from: frame.pixelBuffer),
                    time: frame.presentationTime))
        }
        return result
    }

    /// Returns a composition with random cuts from all videos, some with another speed, some empty.
    private func randomComposition(
        _ random: inout SplitMix64, cuts: Int, isScaled: Bool = true
    ) throws -> (MutableComposition, MutableCompositionTrack) {
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        for _ in 0..<cuts {
            let film = Self.films[Int.random(in: 0..<Self.films.count, using: &random)]
            let end = film.times.end.seconds * 600
            let start = Int64.random(in: 0..<Int64(end - 2), using: &random)
            let length = Int64.random(in: 1...min(400, Int64(end) - start), using: &random)
            let range = MediaTimeRange(
                start: MediaTime(value: start, timescale: 600),
                duration: MediaTime(value: length, timescale: 600))
            let place = track.timeRange.end
            if Int.random(in: 0..<6, using: &random) == 0 {
                try track.insert([.empty(duration: range.duration)], at: .invalid)
                try track.insertTimeRange(
                    range, of: film.video, in: film.asset, at: place + range.duration)
                continue
            }
            try track.insertTimeRange(range, of: film.video, in: film.asset, at: .invalid)
            if isScaled, Int.random(in: 0..<4, using: &random) == 0 {
                try track.scaleTimeRange(
                    MediaTimeRange(start: place, duration: range.duration),
                    toDuration: MediaTime(
                        value: Int64.random(in: 20...600, using: &random), timescale: 600))
            }
        }
        return (composition, track)
    }

    @Test(arguments: 1...UInt64(6))
    func `a reader gives the first, every and the last frame of each segment`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let (composition, track) = try randomComposition(&random, cuts: 25)
        let expected = track.segments.flatMap(frames)
        #expect(try read(composition) == expected)
    }

    @Test func `a reader gives the frames of a range`() throws {
        var random = SplitMix64(seed: 77)
        let (composition, track) = try randomComposition(&random, cuts: 12)
        let expected = track.segments.flatMap(frames)
        let end = Int64(composition.duration.seconds * 600)
        for _ in 0..<12 {
            let start = Int64.random(in: 0..<end, using: &random)
            let range = MediaTimeRange(
                start: MediaTime(value: start, timescale: 600),
                duration: MediaTime(
                    value: Int64.random(in: 1...900, using: &random), timescale: 600))
            let found = try read(composition, in: range)
            #expect(found == expected.filter { range.contains($0.time) }, "\(range)")
        }
    }

    @Test func `frames at times are those of the segments`() throws {
        var random = SplitMix64(seed: 5)
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        for index in 0..<12 {
            let film = Self.films[index % Self.films.count]
            let start = Int64.random(in: 0..<900, using: &random)
            let range = MediaTimeRange(
                start: MediaTime(value: start, timescale: 600),
                duration: MediaTime(
                    value: Int64.random(in: 30...300, using: &random), timescale: 600))
            try track.insertTimeRange(range, of: film.video, in: film.asset, at: .invalid)
        }
        let expected = track.segments.flatMap(frames)
        let finder = try PictureFinder(asset: composition.makeAsset())
        let end = Int64(composition.duration.seconds * 600)
        for _ in 0..<60 {
            let time = MediaTime(value: Int64.random(in: 0..<end, using: &random), timescale: 600)
            let frame = try finder.picture(at: time)
            let shown = expected.last { $0.time <= time + VideoFrame.timeTolerance }
            #expect(
                Shown(
                    number: FrameNumberStrip.read(from: frame.pixelBuffer),
                    time: frame.presentationTime) == shown, "\(time)")
        }
    }

    @Test func `a frame is on display until the next, the last one to the end of its segment`()
        throws
    {
        let film = Self.films[1]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        // From the middle of frame 2 to the middle of frame 4, twice as long.
        let range = MediaTimeRange(
            start: MediaTime(value: 5, timescale: 50), duration: MediaTime(value: 4, timescale: 50))
        try track.insertTimeRange(range, of: film.video, in: film.asset, at: .zero)
        try track.scaleTimeRange(
            track.timeRange, toDuration: MediaTime(value: 8, timescale: 50))
        let reader = try AssetReader(asset: composition.makeAsset())
        let output = try reader.addVideoOutput()
        var found: [MediaTimeRange] = []
        while let frame = try output.copyNextSampleBuffer() {
            found.append(
                MediaTimeRange(start: frame.presentationTime, duration: frame.duration))
        }
        func fiftieths(_ start: Int64, _ end: Int64) -> MediaTimeRange {
            MediaTimeRange(
                start: MediaTime(value: start, timescale: 50),
                end: MediaTime(value: end, timescale: 50))
        }
        #expect(found == [fiftieths(0, 2), fiftieths(2, 6), fiftieths(6, 8)])
    }

    // MARK: - Audio

    /// Returns the number of each sample that a reader returns, by its index from time 0.
    private func samples(_ composition: Composition) throws -> [Int: Int] {
        let reader = try AssetReader(asset: composition.makeAsset())
        let output = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        var result: [Int: Int] = [:]
        while let buffer = try output.copyNextSampleBuffer() {
            let first = Int(buffer.presentationTime.converted(toTimescale: 48000).value)
            buffer.withSamples { samples in
                for frame in 0..<buffer.frameCount {
                    let number = Int(samples[frame * 2] * Float(1 << 22))
                    #expect(result.updateValue(number, forKey: first + frame) == nil)
                }
            }
        }
        return result
    }

    @Test func `every sample is at its place, joints included`() throws {
        var random = SplitMix64(seed: 8)
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        for index in 0..<30 {
            let film = Self.films[Int.random(in: 0..<Self.films.count, using: &random)]
            // Sometimes off the grid of samples.
            let scale: Int32 = index.isMultiple(of: 3) ? 44100 : 48000
            let range = MediaTimeRange(
                start: MediaTime(
                    value: Int64.random(in: 0..<50000, using: &random), timescale: scale),
                duration: MediaTime(
                    value: Int64.random(in: 1...20000, using: &random), timescale: scale))
            if index.isMultiple(of: 7) {
                try track.insert([.empty(duration: range.start)], at: .zero)
            }
            try track.insertTimeRange(range, of: film.audio, in: film.asset, at: .invalid)
        }
        var expected: [Int: Int] = [:]
        func index(_ time: MediaTime) -> Int {
            Int(time.converted(toTimescale: 48000).value)
        }
        for segment in track.segments where !segment.isEmpty {
            let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
            let first = index(source.start)
            for place in index(target.start)..<index(target.end) {
                expected[place] = first + place - index(target.start)
            }
        }
        #expect(try samples(composition) == expected)
    }

    @Test func `contiguous pieces equal the uncut audio`() throws {
        let film = Self.films[0]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        let third = MediaTime(value: 1, timescale: 3)
        for index in 0..<9 {
            try track.insertTimeRange(
                MediaTimeRange(start: third * Int32(index), duration: third), of: film.audio,
                in: film.asset, at: .invalid)
        }
        let found = try samples(composition)
        #expect(found == Dictionary(uniqueKeysWithValues: (0..<144_000).map { ($0, $0) }))
    }

    @Test(arguments: [
        MediaTime(value: 4, timescale: 1), MediaTime(value: 7, timescale: 10),
        MediaTime(value: 4, timescale: 7), MediaTime(value: 1001, timescale: 1000),
    ])
    func `resampled audio has as many samples as its segment`(duration: MediaTime) throws {
        let film = Self.films[0]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        let second = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
        try track.insertTimeRange(second, of: film.audio, in: film.asset, at: .zero)
        try track.scaleTimeRange(second, toDuration: duration)
        try track.setAudioTimePitchAlgorithm(.varispeed)
        try track.insertTimeRange(second, of: film.audio, in: film.asset, at: .invalid)
        let found = try samples(composition)
        let joint = Int(duration.converted(toTimescale: 48000).value)
        // The source is decoded at a rate with as many samples per second.
        var expected = Dictionary(uniqueKeysWithValues: (0..<joint).map { ($0, $0) })
        for index in 0..<48000 { expected[joint + index] = index }
        #expect(found == expected)
    }

    @Test func `audio that is scaled beyond what can be resampled fails reading`() throws {
        let film = Self.films[0]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        let second = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
        try track.insertTimeRange(second, of: film.audio, in: film.asset, at: .zero)
        try track.scaleTimeRange(second, toDuration: MediaTime(value: 100, timescale: 1))
        let error = #expect(throws: MediaError.self) { try samples(composition) }
        #expect(error?.code == .limitExceeded)
    }

    // MARK: - Both, and the sources

    @Test func `a reader has a snapshot that later edits do not change`() throws {
        var random = SplitMix64(seed: 9)
        let (composition, track) = try randomComposition(&random, cuts: 6)
        let expected = track.segments.flatMap(frames)
        let output = try AssetReader(asset: composition.makeAsset()).addVideoOutput()
        try composition.removeTimeRange(track.timeRange)
        var numbers: [Int?] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
        }
        #expect(numbers == expected.map(\.number))
    }

    @Test func `editing on several threads loses no edit`() async throws {
        let film = Self.films[0]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        let frame = MediaTimeRange(start: .zero, duration: film.times.time(of: 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        try track.insertTimeRange(
                            frame, of: film.video, in: film.asset, at: .zero)
                        _ = composition.copy().duration
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(track.segments.count == 400)
        try track.validateSegments(track.segments)
    }

    @Test func `video and audio of one composition are read together, in step`() throws {
        let film = Self.films[0]
        let composition = MutableComposition()
        for start in [60, 20, 44] {
            try composition.insertTimeRange(
                MediaTimeRange(
                    start: film.times.time(of: start), duration: film.times.time(of: 10)),
                of: film.asset, describedBy: film.description, at: .invalid)
        }
        let demuxer = try composition.makeAsset().openDemuxer(cancellation: Cancellation())
        var latest = MediaTime.zero
        var tracks: Set<Int> = []
        while let packet = try demuxer.readPacket() {
            #expect(packet.decodeTime >= latest)
            latest = packet.decodeTime
            tracks.insert(packet.trackID)
        }
        #expect(tracks == [1, 2])
    }

    @Test func `however many sources there are, at most 16 are open`() throws {
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        let counter = OpenCounter()
        for _ in 0..<60 {
            var media = Self.films[1].media
            media.transfer = nil
            media.faults.willOpen = { (_) throws(MediaError) in counter.note() }
            let asset = SyntheticAsset(media)
            try track.insertTimeRange(
                MediaTimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 25)),
                of: Self.films[1].video, in: asset, at: .invalid)
        }
        let demuxer = try composition.makeAsset().openDemuxer(cancellation: Cancellation())
        let pool = try #require(demuxer as? CompositionDemuxer)
        var count = 0
        while try demuxer.readPacket() != nil {
            count += 1
            #expect(pool.openSourceCount <= 16)
        }
        #expect(count == 120)
        #expect(counter.count == 60)
    }

    @Test func `a source that cannot be opened fails reading, and names itself`() throws {
        var media = SyntheticMedia()
        media.name = "gone.mp4"
        media.faults.willOpen = { (_) throws(MediaError) in
            throw MediaError(.cannotOpen, subject: "gone.mp4", cause: "there is no such file")
        }
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        try track.insertTimeRange(
            MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1)),
            of: Self.films[1].video, in: SyntheticAsset(media), at: .zero)
        let error = #expect(throws: MediaError.self) { try read(composition) }
        #expect(error?.code == .cannotOpen && error?.subject == "gone.mp4")
    }

    @Test func `a composition without media cannot be opened`() throws {
        let composition = MutableComposition()
        _ = try composition.addMutableTrack(withMediaType: .video)
        let error = #expect(throws: MediaError.self) { try read(composition) }
        #expect(error?.code == .noPlayableTracks)
    }
}
