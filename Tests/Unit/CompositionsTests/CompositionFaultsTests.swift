// SPDX-License-Identifier: Apache-2.0

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
        // The last frame before it is known to be complete only with what follows.
        #expect(numbers.count >= 41 && numbers == (0..<numbers.count).map { 3 + $0 % 2 })
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
            #expect(numbers.count >= 41)
            #expect(error?.code == .damaged)
            #expect(error?.cause.hasPrefix("the file has changed since it was inserted") == true)
            #expect(error?.remedy == "insert it again")
        }
        let same = try comingBack(
            to: Changing(Self.media(), then: Self.media()), description: description)
        let (numbers, error) = read(same)
        #expect(numbers.count == 44 && error == nil)
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
