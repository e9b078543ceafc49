// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadCompositions

/// Sources that vanish or change while they are used, and compositions of unusual sizes.
@Suite struct CompositionFaultsTests {
    private static func at(_ frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 25)
    }

    private static func media(codecWidth width: Int = 256, name: String = "film") -> SyntheticMedia
    {
        let times = SyntheticFrameTimes(frameDuration: at(1), count: 50)
        var media = SyntheticMedia(
            frameTimes: times, sounds: [SyntheticSound(.sampleNumbers, duration: times.end)])
        (media.width, media.height) = (width, 32)
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        media.name = name
        return media
    }

    /// An asset that opens another file after it has been opened for the first time.
    private final class Changing: AssetOpener, Sendable {
        private let (before, after): (SyntheticAsset, SyntheticAsset?)
        private let opened = OpenCounter()

        init(_ before: SyntheticMedia, then after: SyntheticMedia?) {
            self.before = SyntheticAsset(before)
            self.after = after.map { SyntheticAsset($0) }
        }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            defer { opened.note() }
            if opened.count == 0 { return try before.openDemuxer(cancellation: cancellation) }
            guard let after else {
                throw MediaError(.cannotOpen, subject: "film", cause: "there is no such file")
            }
            return try after.openDemuxer(cancellation: cancellation)
        }
    }

    /// Returns the numbers that a reader gives before it ends, or fails.
    private func read(_ composition: Composition) -> ([Int], MediaError?) {
        var numbers: [Int] = []
        do {
            let output = try AssetReader(asset: composition.makeAsset()).addVideoOutput()
            while let frame = try output.copyNextSampleBuffer() {
                numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1)
            }
            return (numbers, nil)
        } catch {
            return (numbers, error)
        }
    }

    /// Returns a composition that comes back to its first source after so many others that it has
    /// been closed meanwhile.
    private func comingBack(
        to opener: Changing, description: AssetDescription
    ) throws -> Composition {
        let asset = Asset(opener: opener)
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        let range = MediaTimeRange(start: Self.at(3), duration: Self.at(2))
        let source = description.tracks[0]
        try track.insertTimeRange(range, of: source, in: asset, at: .invalid)
        for _ in 0..<20 {
            let other = SyntheticAsset(Self.media())
            try track.insertTimeRange(range, of: source, in: other, at: .invalid)
        }
        try track.insertTimeRange(range, of: source, in: asset, at: .invalid)
        return composition
    }

    @Test func `a file that vanishes while it is used fails reading where it is needed again`()
        throws
    {
        let description = try AssetReader(asset: SyntheticAsset(Self.media())).description
        let composition = try comingBack(
            to: Changing(Self.media(), then: nil), description: description)
        let (numbers, error) = read(composition)
        // Nothing before it is missing.
        #expect(numbers == (0..<42).map { 3 + $0 % 2 })
        #expect(error?.code == .cannotOpen && error?.subject == "film")
        #expect(error?.cause.hasSuffix("(track 1 of the composition, from 1.68 s on)") == true)
    }

    @Test func `a file that has become another one is refused, and one that is equal is not`()
        throws
    {
        let description = try AssetReader(asset: SyntheticAsset(Self.media())).description
        var soundOnly = Self.media()
        soundOnly.frameTimes = nil
        for other in [Self.media(codecWidth: 320), soundOnly] {
            let composition = try comingBack(
                to: Changing(Self.media(), then: other), description: description)
            let (numbers, error) = read(composition)
            #expect(numbers == (0..<42).map { 3 + $0 % 2 })
            #expect(error?.code == .damaged)
            #expect(error?.cause.hasPrefix("the file has changed since it was inserted") == true)
            #expect(error?.remedy == "insert it again")
        }
        let same = try comingBack(
            to: Changing(Self.media(), then: Self.media()), description: description)
        let (numbers, error) = read(same)
        #expect(numbers.count == 44 && error == nil)
    }

    @Test func `a file that has become shorter than a cut is refused, and a longer one is not`()
        throws
    {
        let description = try AssetReader(asset: SyntheticAsset(Self.media())).description
        for (count, isRefused) in [(4, true), (5, false), (90, false)] {
            var other = Self.media()
            other.frameTimes = SyntheticFrameTimes(frameDuration: Self.at(1), count: count)
            let composition = try comingBack(
                to: Changing(Self.media(), then: other), description: description)
            let (numbers, error) = read(composition)
            #expect(numbers == (0..<(isRefused ? 42 : 44)).map { 3 + $0 % 2 })
            #expect(error?.code == (isRefused ? .damaged : nil))
            #expect((error?.cause.contains { $0 == "(" } ?? false) == isRefused)
        }
    }

    @Test(arguments: [false, true])
    func `before a clip that cannot be opened every frame and every sample is read`(
        isAudioFirst: Bool
    ) throws {
        let asset = SyntheticAsset(Self.media())
        let description = try AssetReader(asset: asset).description
        let missing = Asset(opener: Missing())
        let composition = MutableComposition()
        for asset in [asset, missing] {
            try composition.insertTimeRange(
                MediaTimeRange(start: Self.at(7), duration: Self.at(20)), of: asset,
                describedBy: description, at: .invalid)
        }
        let reader = try AssetReader(asset: composition.makeAsset())
        let video = try reader.addVideoOutput()
        let audio = try reader.addAudioOutput(format: .stereo(sampleRate: 48_000))
        var (numbers, sampleCount): ([Int], Int) = ([], 0)
        func readVideo() throws {
            while let frame = try video.copyNextSampleBuffer() {
                numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1)
            }
        }
        func readAudio() throws {
            while let buffer = try audio.copyNextSampleBuffer() { sampleCount += buffer.frameCount }
        }
        for read in isAudioFirst ? [readAudio, readVideo] : [readVideo, readAudio] {
            let error = #expect(throws: MediaError.self) { try read() }
            #expect(error?.code == .cannotOpen)
        }
        #expect(numbers == Array(7..<27))
        #expect(sampleCount == 20 * 1920)
    }

    /// A file that is not there.
    private struct Missing: AssetOpener {
        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            throw MediaError(.cannotOpen, subject: "film", cause: "there is no such file")
        }
    }

    // MARK: - Nested assets

    /// Returns the asset of a composition of a part of an asset.
    private static func nesting(
        _ asset: Asset, _ range: MediaTimeRange, times: Int
    ) throws -> Asset {
        var asset = asset
        var description = try AssetReader(asset: asset).description
        for _ in 0..<times {
            let composition = MutableComposition()
            try composition.insertTimeRange(
                range, of: asset, describedBy: description, at: .zero)
            asset = composition.makeAsset()
            // Each contains what is left of the one before it.
            description = try AssetReader(asset: asset).description
        }
        return asset
    }

    @Test func `assets of compositions nested 200 deep are read frame by frame`() throws {
        let whole = MediaTimeRange(start: .zero, duration: Self.at(50))
        let asset = try Self.nesting(SyntheticAsset(Self.media()), whole, times: 200)
        let output = try AssetReader(asset: asset).addVideoOutput()
        var numbers: [Int] = []
        while let frame = try output.copyNextSampleBuffer() {
            numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1)
        }
        #expect(numbers == Array(0..<50))
        let frame = try PictureFinder(asset: asset).picture(at: Self.at(33))
        #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == 33)
    }

    @Test func `assets of compositions nested too deep are refused when they are read`() throws {
        let whole = MediaTimeRange(start: .zero, duration: Self.at(50))
        let asset = try Self.nesting(SyntheticAsset(Self.media()), whole, times: 300)
        let output = try AssetReader(asset: asset).addVideoOutput()
        let error = #expect(throws: MediaError.self) { try output.copyNextSampleBuffer() }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `compositions of compositions have no more files open than one`() throws {
        let description = try AssetReader(asset: SyntheticAsset(Self.media())).description
        let range = MediaTimeRange(start: .zero, duration: Self.at(2))
        let open = OpenCounter()
        let outer = MutableComposition()
        for _ in 0..<20 {
            let inner = MutableComposition()
            for _ in 0..<20 {
                try inner.insertTimeRange(
                    range, of: Asset(opener: Counting(open)), describedBy: description,
                    at: .invalid)
            }
            let asset = inner.makeAsset()
            try outer.insertTimeRange(
                MediaTimeRange(start: .zero, duration: inner.duration), of: asset,
                describedBy: try AssetReader(asset: asset).description, at: .invalid)
        }
        let demuxer = try outer.makeAsset().openDemuxer(cancellation: Cancellation())
        var (count, most) = (0, 0)
        while let packet = try demuxer.readPacket() {
            if packet.trackID == 1 { count += 1 }
            most = max(most, open.count)
        }
        #expect(count == 800)
        // Two for each track of the outermost composition, in each of the inner ones that it keeps.
        #expect(most <= 24, "\(most) files were open")
    }

    @Test func `a source is closed before another one is opened beyond the limit`() throws {
        let description = try AssetReader(asset: SyntheticAsset(Self.media())).description
        let open = OpenCounter()
        let composition = MutableComposition()
        for _ in 0..<40 {
            try composition.insertTimeRange(
                MediaTimeRange(start: .zero, duration: Self.at(2)),
                of: Asset(opener: Counting(open)), describedBy: description, at: .invalid)
        }
        let demuxer = try composition.makeAsset().openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        #expect(open.maximum == 16)
    }

    @Test func `a source stays open as long as one track reads it, however many others follow`()
        throws
    {
        let asset = SyntheticAsset(Self.media())
        let description = try AssetReader(asset: asset).description
        let open = OpenCounter()
        let composition = MutableComposition()
        let video = try composition.addMutableTrack(withMediaType: .video)
        let audio = try composition.addMutableTrack(withMediaType: .audio)
        let long = Asset(opener: Counting(open))
        let picture = description.tracks(of: .video)[0]
        let sound = description.tracks(of: .audio)[0]
        for _ in 0..<24 {
            try video.insertTimeRange(
                MediaTimeRange(start: .zero, duration: Self.at(2)), of: picture,
                in: Asset(opener: Counting(open)), at: .invalid)
        }
        try audio.insertTimeRange(
            MediaTimeRange(start: .zero, duration: Self.at(48)), of: sound, in: long, at: .zero)
        let demuxer = try composition.makeAsset().openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        #expect(open.maximum == 16)
    }

    @Test func `a source that a thread uses is not closed in favour of others`() throws {
        let open = OpenCounter()
        let pool = SourcePool(trackCount: 1, depth: 0, cancellation: Cancellation())
        let used = try pool.source(for: Asset(opener: Counting(open)), user: 1)
        for _ in 0..<40 { _ = try pool.source(for: Asset(opener: Counting(open)), user: 1) }
        #expect(open.maximum == 16)
        #expect(try pool.source(for: used.asset, user: 1) === used)
    }

    @Test func `threads that open and close sources stay below the limit together`() {
        let open = OpenCounter()
        let pool = SourcePool(trackCount: 1, depth: 0, cancellation: Cancellation())
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            _ = try? pool.source(for: Asset(opener: Counting(open)), user: 1)
        }
        #expect(open.maximum <= 16)
        #expect(open.count == pool.count)
    }

    /// An asset that counts how many descriptors it has open.
    private struct Counting: AssetOpener {
        let open: OpenCounter

        init(_ open: OpenCounter) { self.open = open }

        func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
            // A file that is being opened has two descriptors.
            open.note()
            defer { open.remove() }
            let demuxer = try SyntheticAsset(CompositionFaultsTests.media())
                .openDemuxer(cancellation: cancellation)
            return CountedDemuxer(demuxer, open)
        }
    }

    @Test func `two clips of one file on two tracks are read side by side`() throws {
        let asset = SyntheticAsset(Self.media())
        let description = try AssetReader(asset: asset).description
        let composition = MutableComposition()
        for start in [30, 5] {
            for source in description.tracks {
                let track = try composition.addMutableTrack(withMediaType: source.mediaType)
                try track.insertTimeRange(
                    MediaTimeRange(start: Self.at(start), duration: Self.at(15)), of: source,
                    in: asset, at: .zero)
            }
        }
        let demuxer = try composition.makeAsset().openDemuxer(cancellation: Cancellation())
        let tracks = demuxer.description.tracks
        #expect(tracks.count == 4)
        var decoders: [Int: any VideoDecoder] = [:]
        var numbers: [Int: [Int]] = [:]
        for track in tracks where track.mediaType == .video {
            decoders[track.id] = try demuxer.makeVideoDecoder(for: track)
        }
        func take(_ track: Int) throws {
            while let frame = try decoders[track]?.receive() {
                numbers[track, default: []].append(
                    FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1)
            }
        }
        while let packet = try demuxer.readPacket() {
            try decoders[packet.trackID]?.send(packet)
            try take(packet.trackID)
        }
        for track in decoders.keys {
            try decoders[track]?.send(nil)
            try take(track)
        }
        #expect(numbers.count == 2)
        #expect(Set(numbers.values) == [Array(30..<45), Array(5..<20)])
    }

    @Test func `a composition of a hundred thousand clips is opened and sought`() throws {
        let asset = SyntheticAsset(Self.media())
        let source = try AssetReader(asset: asset).description.tracks[0]
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .video)
        // Each frame a clip, backwards, so that none continues the one before.
        let round = (0..<50).reversed().map { frame in
            CompositionPiece.media(
                asset, track: source,
                timeRange: MediaTimeRange(start: Self.at(frame), duration: Self.at(1)))
        }
        try track.insert((0..<2000).flatMap { _ in round }, at: .invalid)
        #expect(track.segments.count == 100_000)
        let finder = try PictureFinder(asset: composition.makeAsset())
        for index in [99_999, 0, 50_001, 77_777] {
            let frame = try finder.picture(at: Self.at(index))
            #expect(FrameNumberStrip.read(from: frame.pixelBuffer) == 49 - index % 50)
            #expect(frame.presentationTime == Self.at(index))
        }
    }

    @Test func `a composition that contains itself is read like any other`() throws {
        let asset = SyntheticAsset(Self.media())
        let description = try AssetReader(asset: asset).description
        let composition = MutableComposition()
        try composition.insertTimeRange(
            MediaTimeRange(start: Self.at(7), duration: Self.at(3)), of: asset,
            describedBy: description, at: .invalid)
        for _ in 0..<4 {
            try composition.insertTimeRange(
                MediaTimeRange(start: .zero, duration: composition.duration), of: composition,
                at: Self.at(1))
        }
        var expected = [7, 8, 9]
        for _ in 0..<4 { expected.insert(contentsOf: expected, at: 1) }
        let (numbers, error) = read(composition)
        #expect(numbers == expected && error == nil)
    }

    @Test(arguments: [
        MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity,
        MediaTime(value: -1, timescale: 25),
    ])
    func `edits at times that are no numbers, or negative, throw and change nothing`(
        time: MediaTime
    ) throws {
        let asset = SyntheticAsset(Self.media())
        let description = try AssetReader(asset: asset).description
        let composition = MutableComposition()
        let second = MediaTimeRange(start: .zero, duration: Self.at(25))
        try composition.insertTimeRange(
            second, of: asset, describedBy: description, at: .zero)
        let before = composition.tracks.map(\.segments)
        let ranges = [
            MediaTimeRange(start: time, duration: Self.at(5)),
            MediaTimeRange(start: .zero, duration: time),
        ]
        for range in ranges {
            #expect(throws: CompositionError.self) {
                try composition.insertTimeRange(
                    range, of: asset, describedBy: description, at: .zero)
            }
            #expect(throws: CompositionError.self) { try composition.removeTimeRange(range) }
            #expect(throws: CompositionError.self) { try composition.insertEmptyTimeRange(range) }
            #expect(throws: CompositionError.self) {
                try composition.scaleTimeRange(range, toDuration: Self.at(7))
            }
        }
        #expect(throws: CompositionError.self) {
            try composition.scaleTimeRange(second, toDuration: time)
        }
        if time != .invalid {
            #expect(throws: CompositionError.self) {
                try composition.insertTimeRange(
                    second, of: asset, describedBy: description, at: time)
            }
        }
        #expect(composition.tracks.map(\.segments) == before)
    }
}
