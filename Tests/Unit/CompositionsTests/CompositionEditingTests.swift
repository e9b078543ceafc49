// SPDX-License-Identifier: Apache-2.0

import CompositionTestSupport
import PlayheadAssets
import PlayheadCompositions
import PlayheadTime
import Testing

@Suite struct CompositionEditingTests {
    private let film = Film()

    /// An asset with 10 s of video and 8 s of audio from 1 s on.
    private struct Film {
        let asset = SyntheticAsset()
        let video = AssetTrack(
            id: 0, mediaType: .video,
            formatDescription: FormatDescription(
                codec: "none", video: .init(width: 640, height: 360, pixelFormat: "")),
            timeRange: CompositionEditingTests.range(0, 10),
            timeUnit: MediaTime(value: 1, timescale: 30000))
        let audio = AssetTrack(
            id: 1, mediaType: .audio, formatDescription: FormatDescription(codec: "none"),
            languageTag: "en", timeRange: CompositionEditingTests.range(1, 9))

        var description: AssetDescription {
            AssetDescription(
                container: "none", duration: MediaTime(value: 10, timescale: 1),
                tracks: [video, audio])
        }
    }

    private static func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: start, timescale: 1), end: MediaTime(value: end, timescale: 1))
    }

    private func at(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
    private func seconds(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        Self.range(start, end)
    }

    /// Returns the segments in seconds: `source -> target`.
    private func list(_ track: CompositionTrack) -> [String] {
        track.segments.map { segment in
            let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
            let place = "\(target.start.seconds)-\(target.end.seconds)"
            return segment.isEmpty
                ? "nothing -> \(place)"
                : "\(source.start.seconds)-\(source.end.seconds) -> \(place)"
        }
    }

    private func makeTrack() throws -> (MutableComposition, MutableCompositionTrack) {
        let composition = MutableComposition()
        return (composition, try composition.addMutableTrack(withMediaType: .video))
    }

    /// Returns a track that plays seconds 0 to 10.
    private func makeFullTrack() throws -> (MutableComposition, MutableCompositionTrack) {
        let (composition, track) = try makeTrack()
        try track.insertTimeRange(seconds(0, 10), of: film.video, in: film.asset, at: .zero)
        return (composition, track)
    }

    @Test(arguments: 1...UInt64(12))
    func `random edits equal an array of ticks, and failed ones leave no trace`(
        seed: UInt64
    ) {
        var history = EditHistory(seed: seed)
        let difference = history.firstDifference(edits: 150)
        #expect(difference == nil)
        #expect(history.counts.edits == 150 || difference != nil)
    }

    // MARK: - Inserting

    @Test func `an insertion splits the segment at its place and moves what follows`() throws {
        let (_, track) = try makeFullTrack()
        try track.insertTimeRange(seconds(2, 3), of: film.video, in: film.asset, at: at(4))
        #expect(
            list(track) == ["0.0-4.0 -> 0.0-4.0", "2.0-3.0 -> 4.0-5.0", "4.0-10.0 -> 5.0-11.0"])
    }

    @Test func `an invalid time appends`() throws {
        let (_, track) = try makeFullTrack()
        try track.insertTimeRange(seconds(2, 3), of: film.video, in: film.asset, at: .invalid)
        #expect(list(track) == ["0.0-10.0 -> 0.0-10.0", "2.0-3.0 -> 10.0-11.0"])
    }

    @Test func `nothing plays between the end of a track and a later insertion`() throws {
        let (composition, track) = try makeTrack()
        try track.insertTimeRange(seconds(2, 3), of: film.video, in: film.asset, at: at(4))
        #expect(list(track) == ["nothing -> 0.0-4.0", "2.0-3.0 -> 4.0-5.0"])
        #expect(composition.duration == at(5))
    }

    @Test func `pieces are inserted together or not at all`() throws {
        let (_, track) = try makeFullTrack()
        let good = CompositionPiece.media(
            film.asset, track: film.video, timeRange: seconds(0, 1))
        let bad = CompositionPiece.media(
            film.asset, track: film.video, timeRange: seconds(9, 11))
        let before = track.segments
        let error = #expect(throws: CompositionError.self) {
            try track.insert([good, .empty(duration: at(1)), bad], at: at(5))
        }
        #expect(error?.code == .sourceRangeOutsideMedia)
        #expect(error?.trackID == track.trackID)
        #expect(track.segments == before)
        try track.insert([good, .empty(duration: at(1)), good], at: at(5))
        #expect(
            list(track) == [
                "0.0-5.0 -> 0.0-5.0", "0.0-1.0 -> 5.0-6.0", "nothing -> 6.0-7.0",
                "0.0-1.0 -> 7.0-8.0", "5.0-10.0 -> 8.0-13.0",
            ])
    }

    @Test func `an asset is inserted with all of its tracks, and nothing where one has no media`()
        throws
    {
        let composition = MutableComposition()
        try composition.insertTimeRange(
            seconds(0, 10), of: film.asset, describedBy: film.description, at: .zero)
        let tracks = composition.tracks
        #expect(tracks.map(\.mediaType) == [.video, .audio])
        #expect(list(tracks[0]) == ["0.0-10.0 -> 0.0-10.0"])
        #expect(list(tracks[1]) == ["nothing -> 0.0-1.0", "1.0-9.0 -> 1.0-9.0"])
        #expect(tracks[1].languageTag == "en")
        try composition.insertTimeRange(
            seconds(0, 2), of: film.asset, describedBy: film.description, at: .invalid)
        #expect(composition.tracks.count == 2)
        #expect(
            list(tracks[1]) == [
                "nothing -> 0.0-1.0", "1.0-9.0 -> 1.0-9.0", "nothing -> 9.0-11.0",
                "1.0-2.0 -> 11.0-12.0",
            ])
    }

    @Test func `inserting an asset moves later media of every other track too`() throws {
        let composition = MutableComposition()
        let first = try composition.addMutableTrack(withMediaType: .video)
        let second = try composition.addMutableTrack(withMediaType: .video)
        for track in [first, second] {
            try track.insertTimeRange(seconds(0, 4), of: film.video, in: film.asset, at: .zero)
        }
        try composition.insertTimeRange(
            seconds(0, 1), of: film.asset, describedBy: film.description, at: at(2))
        #expect(list(first) == ["0.0-2.0 -> 0.0-2.0", "0.0-1.0 -> 2.0-3.0", "2.0-4.0 -> 3.0-5.0"])
        #expect(list(second) == ["0.0-2.0 -> 0.0-2.0", "nothing -> 2.0-3.0", "2.0-4.0 -> 3.0-5.0"])
        // No audio lies within the first second.
        #expect(composition.tracks.count == 2)
    }

    @Test func `an asset loads itself where it is inserted`() async throws {
        let composition = MutableComposition()
        try await composition.insertTimeRange(
            seconds(0, 1), of: SyntheticAsset(), at: .zero)
        #expect(composition.duration == at(1))
        #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
        let error = await #expect(throws: CompositionError.self) {
            try await composition.insertTimeRange(
                seconds(0, 60), of: SyntheticAsset(), at: .zero)
        }
        #expect(error?.code == .sourceRangeOutsideMedia)
        #expect(error?.cause == "the range 0 s to 60 s is outside the media")
        #expect(error?.remedy == "use a range within 0 s to 2 s")
        #expect(composition.duration == at(1))
    }

    @Test func `a composition is inserted as copies of its segments, into itself too`() throws {
        let (composition, track) = try makeTrack()
        try track.insertTimeRange(seconds(0, 2), of: film.video, in: film.asset, at: .zero)
        try track.scaleTimeRange(seconds(0, 2), toDuration: at(4))
        try composition.insertTimeRange(seconds(1, 3), of: composition, at: at(2))
        #expect(
            list(track) == ["0.0-1.0 -> 0.0-2.0", "0.5-1.5 -> 2.0-4.0", "1.0-2.0 -> 4.0-6.0"])
        #expect(track.segments.allSatisfy { $0.asset === film.asset })
    }

    @Test func `compositions nested 200 deep are as flat as one`() throws {
        var (inner, track) = try makeFullTrack()
        for _ in 0..<200 {
            let outer = MutableComposition()
            try outer.insertTimeRange(seconds(0, 10), of: inner, at: .zero)
            inner = outer
            track = outer.mutableTracks[0]
        }
        #expect(list(track) == ["0.0-10.0 -> 0.0-10.0"])
    }

    @Test func `a hundred thousand clips are appended one by one`() throws {
        let (composition, track) = try makeTrack()
        for index in 0..<100_000 {
            let start = MediaTime(value: Int64(index % 290) * 1001, timescale: 30000)
            let range = MediaTimeRange(
                start: start, duration: MediaTime(value: 1001, timescale: 30000))
            guard range.end <= at(10) else { continue }
            try track.insertTimeRange(range, of: film.video, in: film.asset, at: .invalid)
        }
        #expect(track.segments.count == 100_000)
        #expect(
            composition.duration
                == MediaTime(value: 1001 * Int64(track.segments.count), timescale: 30000))
    }

    // MARK: - Empty ranges, removing, scaling

    @Test func `a track does not end with an empty segment`() throws {
        let (_, track) = try makeFullTrack()
        try track.insertEmptyTimeRange(seconds(10, 12))
        #expect(list(track) == ["0.0-10.0 -> 0.0-10.0"])
        try track.insertEmptyTimeRange(seconds(4, 5))
        #expect(
            list(track) == ["0.0-4.0 -> 0.0-4.0", "nothing -> 4.0-5.0", "4.0-10.0 -> 5.0-11.0"])
        try track.removeTimeRange(seconds(5, 20))
        #expect(list(track) == ["0.0-4.0 -> 0.0-4.0"])
    }

    @Test func `removing cuts segments, and a track without segments stays`() throws {
        let (composition, track) = try makeFullTrack()
        try composition.removeTimeRange(seconds(2, 5))
        #expect(list(track) == ["0.0-2.0 -> 0.0-2.0", "5.0-10.0 -> 2.0-7.0"])
        try composition.removeTimeRange(seconds(0, 7))
        #expect(track.segments.isEmpty && composition.tracks == [track])
    }

    @Test func `scaling splits segments at the edges of the range, exactly`() throws {
        let (_, track) = try makeFullTrack()
        try track.scaleTimeRange(seconds(2, 5), toDuration: at(7))
        let targets = track.segments.map(\.timeMapping.target)
        #expect(targets == [seconds(0, 2), seconds(2, 9), seconds(9, 14)])
        // A third of a second of target is 1/7 s of source.
        try track.removeTimeRange(
            MediaTimeRange(start: at(2), duration: MediaTime(value: 1, timescale: 3)))
        #expect(
            track.segments[1].timeMapping.source.start == MediaTime(value: 15, timescale: 7))
        #expect(!track.segments[1].timeMapping.source.start.hasBeenRounded)
    }

    @Test func `an edit that needs rounding throws and changes nothing`() throws {
        let (_, track) = try makeFullTrack()
        let before = track.segments
        let prime = MediaTime(value: 2_147_483_629, timescale: 2_147_483_647)
        try track.scaleTimeRange(seconds(0, 10), toDuration: prime)
        let scaled = track.segments
        let error = #expect(throws: CompositionError.self) {
            try track.removeTimeRange(
                MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 7)))
        }
        #expect(error?.code == .notExact)
        #expect(track.segments == scaled)
        try track.scaleTimeRange(
            MediaTimeRange(start: .zero, duration: prime), toDuration: at(10))
        #expect(track.segments == before)
    }

    @Test func `an edit that fails in one track changes no track`() throws {
        let (composition, first) = try makeFullTrack()
        let second = try composition.addMutableTrack(withMediaType: .video)
        try second.insertTimeRange(seconds(0, 10), of: film.video, in: film.asset, at: .zero)
        try second.scaleTimeRange(
            seconds(0, 10), toDuration: MediaTime(value: 2_147_483_629, timescale: 2_147_483_647))
        let before = [first.segments, second.segments]
        let error = #expect(throws: CompositionError.self) {
            try composition.removeTimeRange(
                MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 7)))
        }
        #expect(error?.trackID == second.trackID)
        #expect([first.segments, second.segments] == before)
    }

    // MARK: - Tracks

    @Test func `a preferred ID is taken only if no track has or had it`() throws {
        let composition = MutableComposition()
        func add(_ id: Int?) throws -> MutableCompositionTrack {
            try composition.addMutableTrack(withMediaType: .video, preferredTrackID: id)
        }
        let seventh = try add(7)
        #expect(seventh.trackID == 7)
        #expect(try add(7).trackID == 8)
        try composition.removeTrack(seventh)
        #expect(try add(7).trackID == 9)
        #expect(try add(-1).trackID == 10)
        #expect(try add(.max).trackID == .max)
        #expect(try add(nil).trackID == 1)
    }

    @Test func `a removed track has no composition and refuses edits`() throws {
        let (composition, track) = try makeFullTrack()
        #expect(track.composition === composition)
        try composition.removeTrack(track)
        #expect(track.composition == nil && track.segments.isEmpty)
        let error = #expect(throws: CompositionError.self) {
            try track.removeTimeRange(seconds(0, 1))
        }
        #expect(error?.code == .noSuchTrack)
        #expect(throws: CompositionError.self) { try composition.removeTrack(track) }
    }

    @Test func `a compatible track is the first of the media type`() throws {
        let (composition, track) = try makeTrack()
        #expect(composition.mutableTrack(compatibleWith: film.video) == track)
        #expect(composition.mutableTrack(compatibleWith: film.audio) == nil)
        var encrypted = film.video
        encrypted.isEncrypted = true
        #expect(composition.mutableTrack(compatibleWith: encrypted) == nil)
    }

    @Test func `the natural size and timescale are those of the first source unless set`() throws {
        let (composition, track) = try makeTrack()
        #expect(composition.naturalSize == (0, 0))
        #expect(track.naturalTimeScale == 600)
        try track.insertTimeRange(seconds(0, 1), of: film.video, in: film.asset, at: at(1))
        #expect(composition.naturalSize == (640, 360))
        #expect(track.naturalTimeScale == 30000)
        try composition.setNaturalSize(width: 100, height: 50)
        try track.setNaturalTimeScale(25)
        #expect(composition.naturalSize == (100, 50))
        #expect(track.naturalTimeScale == 25)
        try composition.setNaturalSize(width: 0, height: 0)
        #expect(composition.naturalSize == (640, 360))
    }

    @Test func `a snapshot does not change with its composition`() throws {
        let (composition, track) = try makeFullTrack()
        let snapshot = composition.copy()
        let other = MutableComposition(composition)
        try track.removeTimeRange(seconds(0, 5))
        #expect(snapshot.duration == at(10) && other.duration == at(10))
        try other.removeTimeRange(seconds(0, 9))
        #expect(composition.duration == at(5) && other.duration == at(1))
        #expect(list(snapshot.tracks[0]) == ["0.0-10.0 -> 0.0-10.0"])
    }

    @Test func `the segment for a time outside the track is the nearest one`() throws {
        let (_, track) = try makeFullTrack()
        try track.removeTimeRange(seconds(4, 5))
        #expect(track.segment(forTrackTime: -at(1)) == track.segments[0])
        #expect(track.segment(forTrackTime: at(4)) == track.segments[1])
        #expect(track.segment(forTrackTime: at(99)) == track.segments[1])
        #expect(track.segment(forTrackTime: .indefinite) == nil)
    }

    // MARK: - Segments

    private func segment(
        _ source: MediaTimeRange, _ target: MediaTimeRange
    ) -> CompositionTrackSegment {
        CompositionTrackSegment(
            asset: film.asset, track: film.video, sourceTimeRange: source, targetTimeRange: target)
    }

    @Test func `segments that are set replace all others`() throws {
        let (_, track) = try makeFullTrack()
        try track.setSegments([
            CompositionTrackSegment(emptyTimeRange: seconds(0, 1)),
            segment(seconds(3, 5), seconds(1, 2)),
            CompositionTrackSegment(emptyTimeRange: seconds(2, 3)),
        ])
        #expect(list(track) == ["nothing -> 0.0-1.0", "3.0-5.0 -> 1.0-2.0"])
        #expect(track.segments[1].timeMapping.rate == 2)
        try track.setSegments([])
        #expect(track.segments.isEmpty)
    }

    @Test func `segments that do not fit are refused with their index`() throws {
        let (_, track) = try makeFullTrack()
        let good = segment(seconds(0, 1), seconds(0, 1))
        let audio = CompositionTrackSegment(
            asset: film.asset, track: film.audio, sourceTimeRange: seconds(1, 2),
            targetTimeRange: seconds(1, 2))
        let cases: [(CompositionTrackSegment, CompositionError.Code)] = [
            (segment(seconds(0, 1), seconds(2, 3)), .segmentsNotContiguous),
            (segment(seconds(0, 1), seconds(0, 1)), .segmentsNotContiguous),
            (
                segment(seconds(0, 1), MediaTimeRange(start: at(1), duration: .zero)),
                .invalidDuration
            ),
            (
                segment(seconds(0, 1), MediaTimeRange(start: at(1), duration: .positiveInfinity)),
                .invalidDuration
            ),
            (
                segment(MediaTimeRange(start: at(1), duration: -at(1)), seconds(1, 2)),
                .invalidDuration
            ),
            (
                segment(MediaTimeRange(start: .indefinite, duration: at(1)), seconds(1, 2)),
                .invalidSourceStart
            ),
            (segment(seconds(9, 11), seconds(1, 2)), .sourceRangeOutsideMedia),
            (audio, .incompatibleMedia),
        ]
        let before = track.segments
        for (bad, code) in cases {
            let error = #expect(throws: CompositionError.self) {
                try track.setSegments([good, bad])
            }
            #expect(error?.code == code)
            #expect(error?.segmentIndex == 1)
            #expect(error?.trackID == track.trackID)
            #expect(track.segments == before)
        }
    }

    @Test func `an error names the track, the segment, the problem and the remedy`() throws {
        let (_, track) = try makeFullTrack()
        let error = #expect(throws: CompositionError.self) {
            try track.setSegments([segment(seconds(0, 1), seconds(2, 3))])
        }
        #expect(
            error?.description
                == "track 1, segment 0: it begins at 2.000000 s (2/1) instead of 0.000000 s (0/1); "
                + "begin the first segment at 0, and each of the others at the end of the previous "
                + "one")
    }

    @Test func `an encrypted track is refused`() throws {
        let (_, track) = try makeTrack()
        var encrypted = film.video
        encrypted.isEncrypted = true
        let error = #expect(throws: CompositionError.self) {
            try track.insertTimeRange(seconds(0, 1), of: encrypted, in: film.asset, at: .zero)
        }
        #expect(error?.code == .protectedMedia)
    }
}
