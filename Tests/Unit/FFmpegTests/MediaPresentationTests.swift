// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// MPDs as values, and the playlists that are written for them.
@Suite struct MediaPresentationTests {
    private static let subject = "list.mpd"

    private static func presentation(
        _ text: String, base: String = "http://host/a/list.mpd"
    ) throws(MediaError) -> MediaPresentation {
        let found = try MediaPresentationParser.parse(
            Array(text.utf8), base: ReferenceBase(address: base), subject: subject)
        guard let found else { throw MediaError(.unknownFormat, subject: "", cause: "no MPD") }
        return found
    }

    private static func failure(_ text: String) -> MediaError? {
        do throws(MediaError) {
            _ = try presentation(text)
            return nil
        } catch {
            #expect(error.subject == subject && !error.remedy.isEmpty)
            return error
        }
    }

    /// Returns an MPD with one video whose segments are as stated.
    private static func video(
        _ segments: String, mpd: String = "mediaPresentationDuration='PT10S'",
        period: String = ""
    ) -> String {
        """
        <MPD \(mpd)><Period \(period)><AdaptationSet contentType="video">
        <Representation id="v1" bandwidth="1000" width="320" height="240" codecs="avc1.4d401e">
        \(segments)</Representation></AdaptationSet></Period></MPD>
        """
    }

    /// Returns the segments of the first track, as lines of address, start and end in milliseconds.
    private static func segments(
        _ text: String, available: ClosedRange<Int64>? = nil
    ) throws -> [String] {
        let period = try presentation(text).periods[0]
        let representation = try #require(period.tracks.first).representation
        var lines: [String] = []
        try representation.segments.forEachSegment(
            in: SegmentInformation.Window(
                periodEnd: period.end.map { $0 - period.start }, available: available),
            AddressTemplate.Values(
                representation: representation.id, bandwidth: representation.bandwidth),
            subject: subject
        ) { (segment) throws(MediaError) in
            lines.append(
                "\(segment.reference.address ?? "-") \(segment.start / 1000) \(segment.end / 1000)")
            if lines.count > 20 {
                throw MediaError(.limitExceeded, subject: subject, cause: "many", remedy: "fewer")
            }
        }
        return lines
    }

    // MARK: - Segments

    @Test func `numbered segments fill the period`() throws {
        #expect(
            try Self.segments(
                Self.video(
                    "<SegmentTemplate media='$RepresentationID$/$Number%03d$-$Bandwidth$.m4s' "
                        + "timescale='10' duration='40' startNumber='7'/>"))
                == [
                    "v1/007-1000.m4s 0 4000", "v1/008-1000.m4s 4000 8000",
                    "v1/009-1000.m4s 8000 12000",
                ]
        )
        #expect(
            try Self.segments(
                Self.video("<SegmentTemplate media='$Time$$$' duration='4' endNumber='2'/>"))
                == ["0$ 0 4000", "4$ 4000 8000"])
    }

    @Test func `timelines repeat segments, leave gaps and extend to the next run or the end`()
        throws
    {
        let timeline = """
            <SegmentTemplate media='$Time$' timescale='10' presentationTimeOffset='100'>
            <SegmentTimeline><S t='80' d='20'/><S d='20' r='1'/><S t='150' d='10' r='-1'/>
            <S t='170' d='15' r='-1'/></SegmentTimeline></SegmentTemplate>
            """
        // The first one ends where the period begins.
        #expect(
            try Self.segments(Self.video(timeline))
                == [
                    "100 0 2000", "120 2000 4000", "150 5000 6000", "160 6000 7000",
                    "170 7000 8500", "185 8500 10000",
                ])
    }

    @Test func `lists have addresses and ranges, and inherit from the levels above`() throws {
        let text = """
            <MPD mediaPresentationDuration='PT4S'><BaseURL>b/</BaseURL><Period>
            <SegmentList timescale='10' duration='20'/><BaseURL>c/</BaseURL>
            <AdaptationSet mimeType='video/mp4' codecs='avc1'><SegmentList timescale='5'/>
            <BaseURL>d/</BaseURL><Representation id='1' bandwidth='1'><BaseURL>e.mp4</BaseURL>
            <SegmentList><Initialization range='0-9'/><SegmentURL mediaRange='10-19'/>
            <SegmentURL media='../x' mediaRange='20-20'/></SegmentList></Representation>
            </AdaptationSet></Period></MPD>
            """
        #expect(try Self.segments(text) == ["- 0 4000", "../x 4000 8000"])
        let track = try #require(try Self.presentation(text).periods[0].tracks.first)
        let segments = track.representation.segments
        #expect(segments.base.address == "http://host/a/b/c/d/e.mp4")
        #expect(segments.base.resolving("../x").address == "http://host/a/b/c/x")
        #expect(segments.header?.bytes == ByteSpan(first: 0, count: 10))
        #expect(segments.references[1].bytes == ByteSpan(first: 20, count: 1))
    }

    @Test func `only segments within the window of a live presentation are listed`() throws {
        let numbers = Self.video(
            "<SegmentTemplate media='$Number$' duration='2'/>", mpd: "type='dynamic'")
        #expect(
            try Self.segments(numbers, available: 5_000_000...11_000_000)
                == ["3 4000 6000", "4 6000 8000", "5 8000 10000"])
        #expect(try Self.segments(numbers, available: -5_000_000...1_999_999) == [])
    }

    @Test func `rounding does not add up`() throws {
        var playlist = SegmentPlaylist(limit: 1 << 20, subject: Self.subject)
        let text = Self.video(
            "<SegmentTemplate media='$Number$' timescale='30000' duration='1001'/>",
            mpd: "mediaPresentationDuration='PT10M'")
        let period = try Self.presentation(text).periods[0]
        let segments = period.tracks[0].representation.segments
        var end: Int64 = 0
        try segments.forEachSegment(
            in: SegmentInformation.Window(periodEnd: period.end),
            AddressTemplate.Values(representation: "", bandwidth: 0), subject: Self.subject
        ) { (segment) throws(MediaError) in
            end = segment.end
            try playlist.addSegment("file:/a", nil, from: segment.start, to: segment.end)
        }
        let list = MediaPlaylist(try #require(Playlist(playlist.text())))
        #expect(list.duration == MediaTime(value: end, timescale: 1_000_000))
        #expect(list.hasEnded)
    }

    // MARK: - Tracks

    @Test func `sets become variants and renditions`() throws {
        let text = """
            <MPD mediaPresentationDuration='PT4S'><Period>
            <AdaptationSet contentType='video'><EssentialProperty
            schemeIdUri='http://dashif.org/guidelines/trickmode'/>
            <Representation id='trick' bandwidth='9'/></AdaptationSet>
            <AdaptationSet contentType='image'><Representation id='tiles' bandwidth='9'/>
            </AdaptationSet>
            <AdaptationSet contentType='video' codecs='avc1.4d401e'>
            <Representation id='low' bandwidth='100' width='320' height='180'/>
            <Representation id='high' bandwidth='900' width='640' height='360'/></AdaptationSet>
            <AdaptationSet contentType='audio' lang='de'><Role value='dub'/>
            <Representation id='de' bandwidth='10' codecs='mp4a.40.2'/></AdaptationSet>
            <AdaptationSet contentType='audio' lang='en'><Role value='main'/><Label>A "B"
            </Label><Representation id='en1' bandwidth='10' codecs='mp4a.40.2'/>
            <Representation id='en2' bandwidth='20' codecs='mp4a.40.2'/></AdaptationSet>
            </Period></MPD>
            """
        let period = try Self.presentation(text).periods[0]
        #expect(period.tracks.map(\.representation.id) == ["low", "high", "en2", "de"])
        let codecs = "CODECS=\"avc1.4d401e,mp4a.40.2\",AUDIO=\"audio\""
        let audio = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME="
        let expected = """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-STREAM-INF:BANDWIDTH=120,RESOLUTION=320x180,\(codecs)
            dash:/0
            #EXT-X-STREAM-INF:BANDWIDTH=920,RESOLUTION=640x360,\(codecs)
            dash:/1
            \(audio)"A 'B'",LANGUAGE="en",AUTOSELECT=YES,DEFAULT=YES,URI="dash:/2"
            \(audio)"de",LANGUAGE="de",AUTOSELECT=YES,DEFAULT=NO,URI="dash:/3"

            """
        let bytes = MediaPresentation.Period.multivariantPlaylist(of: period.tracks)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        var playlist = try #require(Playlist(bytes))
        playlist.choose(VariantPreference())
        #expect(playlist.firstPart == "dash:/1")
    }

    @Test func `periods follow each other, and those without media are left out`() throws {
        let set = "<AdaptationSet contentType='audio'><Representation id='a'/></AdaptationSet>"
        let found = try Self.presentation(
            "<MPD mediaPresentationDuration='PT20S'><Period duration='PT5S'>\(set)</Period>"
                + "<Period duration='PT1S'/><Period>\(set)</Period><Period start='PT15S'>\(set)"
                + "</Period><Period xlink:href='urn:mpeg:dash:resolve-to-zero:2013'/></MPD>")
        #expect(found.periods.map(\.start) == [0, 6_000_000, 15_000_000])
        #expect(found.periods.map(\.end) == [5_000_000, 15_000_000, 20_000_000])
        #expect(found.period(at: 14_999_999) == 1)
        #expect(found.period(at: 15_000_000) == 2)
        #expect(found.period(at: -1) == 0)
    }

    @Test func `a period keeps its start when the one before it is removed`() throws {
        let set = "<AdaptationSet contentType='audio'><Representation id='a'/></AdaptationSet>"
        func list(_ periods: String) -> [UInt8] {
            Array("<MPD type='dynamic'>\(periods)</MPD>".utf8)
        }
        func parse(
            _ text: [UInt8], after earlier: MediaPresentation? = nil
        ) throws -> MediaPresentation {
            try #require(
                try MediaPresentationParser.parse(
                    text, base: ReferenceBase(address: "http://host/a"), subject: Self.subject,
                    starts: earlier?.periodStarts ?? [:]))
        }
        // The start of the last one is not known until the duration of the one before it is.
        let first = try parse(
            list(
                "<Period id='1' start='PT5S' duration='PT7S'>\(set)</Period>"
                    + "<Period id='2'>\(set)</Period><Period id='3'>\(set)</Period>"))
        #expect(first.periods.map(\.id) == ["1", "2"])
        #expect(first.periods.map(\.start) == [5_000_000, 12_000_000])
        let second = try parse(
            list(
                "<Period id='2' duration='PT3S'>\(set)</Period><Period id='3'>\(set)</Period>"),
            after: first)
        #expect(second.periods.map(\.id) == ["2", "3"])
        #expect(second.periods.map(\.start) == [12_000_000, 15_000_000])
    }

    @Test func `the tracks of a period have the order of those before it`() throws {
        func set(_ kind: String, _ language: String, _ id: String, _ role: String = "main")
            -> String
        {
            "<AdaptationSet contentType='\(kind)' lang='\(language)'><Role value='\(role)'/>"
                + "<Representation id='\(id)' bandwidth='1'/></AdaptationSet>"
        }
        let found = try Self.presentation(
            "<MPD><Period duration='PT1S'>" + set("video", "en", "v") + set("audio", "en", "a")
                + set("audio", "de", "b", "dub") + "</Period><Period duration='PT1S'>"
                + set("video", "en", "w") + set("audio", "de", "c") + set("audio", "fr", "d")
                + set("audio", "en", "e", "dub") + "</Period><Period duration='PT1S'>"
                + set("video", "en", "x") + set("audio", "de", "f") + "</Period></MPD>")
        let model = found.periods[0].tracks
        #expect(model.map(\.representation.id) == ["v", "a", "b"])
        let others = found.periods.map { $0.tracks(like: model).map(\.representation.id) }
        #expect(others == [["v", "a", "b"], ["w", "e", "c", "d"], ["x", "f", "f"]])
    }

    // MARK: - Addresses

    @Test(arguments: [
        ("a.mp4", "file:/folder/a.mp4"), ("b/c%20d.mp4", "file:/folder/b/c d.mp4"),
        ("100%.mp4", "file:/folder/100%.mp4"), ("/etc/passwd", "file:/etc/passwd"),
        ("file:///etc/passwd", "file:/etc/passwd"), ("http://x/y", "http://x/y"),
        ("pipe:0", "pipe:0"), ("", "file:/folder/list.mpd"),
    ])
    func `references in a file are paths`(_ reference: String, _ address: String) {
        let base = ReferenceBase(address: "file:/folder/list.mpd")
        #expect(base.resolving(reference).address == address)
    }

    @Test(arguments: [
        "$Nummer$", "$Number", "$Number%5d$", "$Number%0x$", "$RepresentationID%05d$",
        "$Number%099d$", "$SubNumber$",
    ])
    func `unknown identifiers in templates are refused`(_ template: String) {
        #expect(AddressTemplate(template) == nil)
    }

    @Test func `addresses cannot add lines to a playlist`() throws {
        var playlist = SegmentPlaylist(limit: 1 << 20, subject: Self.subject)
        try playlist.addSegment("http://x/a\n#EXT-X-KEY\"b", nil, from: 0, to: 1)
        let lines = String(decoding: playlist.text(), as: UTF8.self)
        #expect(lines.contains("\nhttp://x/a%0A#EXT-X-KEY%22b\n"))
        for address in [
            "file:/a\nb", "file:/a\"b", "http://x/" + String(repeating: "a", count: 5000),
        ] {
            #expect(throws: MediaError.self) {
                try playlist.addSegment(address, nil, from: 0, to: 1)
            }
        }
    }

    // MARK: - Indexes

    @Test func `an index lists the parts of a file`() throws {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let values: [Int] = [0, 1, 1000, 200, 6, 2, 100, 500, 0, 50, 300, 0]
        let body = values.flatMap { number($0, 4) }
        var box = number(body.count + 8, 4) + Array("sidx".utf8)
        box += body
        var file = number(16, 4) + Array("ftyp".utf8)
        file += number(0, 8) + box
        file += number(8, 4) + Array("moof".utf8)
        let index = try #require(SegmentIndex(file, at: 0))
        #expect(index.offset == 16 && index.timescale == 1000)
        let end = Int64(16 + box.count) + 6
        #expect(
            index.parts == [
                SegmentIndex.Part(bytes: .init(first: end, count: 100), start: 200, end: 700),
                SegmentIndex.Part(bytes: .init(first: end + 100, count: 50), start: 700, end: 1000),
            ])
        #expect(SegmentIndex(box, at: 16)?.parts == index.parts)
        for count in 0..<16 + box.count {
            #expect(SegmentIndex(Array(file.prefix(count)), at: 0) == nil)
        }
    }

    // MARK: - Bad input

    @Test(arguments: [
        "<MPD/>", "<MPD><Period/></MPD>",
        "<MPD mediaPresentationDuration='-PT4S'/>", "<MPD mediaPresentationDuration='x'/>",
        "<MPD availabilityStartTime='tomorrow'/>", "<MPD timeShiftBufferDepth='PT1e9S'/>",
        "<MPD><Period start='-PT1S'/></MPD>",
        video("<SegmentTemplate timescale='0'/>"), video("<SegmentTemplate timescale='-5'/>"),
        video("<SegmentTemplate timescale='99999999999999999999'/>"),
        video("<SegmentTemplate duration='0'/>"), video("<SegmentTemplate startNumber='-1'/>"),
        video("<SegmentTemplate presentationTimeOffset='-1'/>"),
        video("<SegmentTemplate><SegmentTimeline><S t='0'/></SegmentTimeline></SegmentTemplate>"),
        video(
            "<SegmentTemplate><SegmentTimeline><S t='-1' d='1'/></SegmentTimeline>"
                + "</SegmentTemplate>"),
        video("<SegmentBase indexRange='5-1'/>"), video("<SegmentBase indexRange='a'/>"),
        "<MPD><Period start='PT5S'><AdaptationSet contentType='audio'><Representation/>"
            + "</AdaptationSet></Period><Period start='PT1S'/></MPD>",
    ])
    func `values that are not valid are refused`(_ text: String) {
        let error = Self.failure(text)
        #expect(error?.code == .damaged || error?.code == .noPlayableTracks)
    }

    @Test func `other documents are not read`() {
        for text in [
            "<MPD><Period xlink:href='http://x/y'/></MPD>",
            "<MPD><Period><AdaptationSet xlink:href='http://x/y'/></Period></MPD>",
        ] {
            #expect(Self.failure(text)?.code == .notAllowed)
        }
        #expect(Self.failure(Self.video("<SegmentList xlink:href='x'/>")) != nil)
    }

    @Test func `encrypted media is named as such`() {
        let protection = "<ContentProtection schemeIdUri='urn:mpeg:dash:mp4protection:2011'/>"
        let audio = "<AdaptationSet contentType='audio'><Representation id='a'/></AdaptationSet>"
        for text in [
            "<MPD><Period><AdaptationSet contentType='video'>\(protection)<Representation/>"
                + "</AdaptationSet>\(audio)</Period></MPD>",
            "<MPD><Period><AdaptationSet contentType='video'><Representation>\(protection)"
                + "</Representation></AdaptationSet></Period></MPD>",
        ] {
            let error = Self.failure(text)
            #expect(error?.code == .unsupportedCodec)
            #expect(error?.cause.contains("encrypted") == true)
        }
    }

    @Test(arguments: [
        "<SegmentTemplate media='$Number$' duration='1' timescale='2147483647'/>",
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S t='0' d='1' r='9223372036854775806'/>"
            + "</SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Time$' presentationTimeOffset='9223372036854775807'>"
            + "<SegmentTimeline><S t='0' d='1' r='9223372036854775807'/></SegmentTimeline>"
            + "</SegmentTemplate>",
        "<SegmentTemplate media='$Time$' timescale='2147483647'><SegmentTimeline>"
            + "<S t='0' d='1' r='-1'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S t='9223372036854775807' d='5' r='9'/>"
            + "</SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S t='9223372036854775807' d='5'/>"
            + "<S t='0' d='9223372036854775807' r='-1'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Number$' duration='9223372036854775807' startNumber='1'/>",
        "<SegmentTemplate media='$Number$' startNumber='1152921504606846976'"
            + " presentationTimeOffset='9223372036854774000'><SegmentTimeline>"
            + "<S t='0' d='1' r='9223372036854775807'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Number$' presentationTimeOffset='4611686018427387904'>"
            + "<SegmentTimeline><S t='0' d='1' r='4611686018427387904'/>"
            + "<S t='0' d='1' r='4611686018427387904'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Number$' duration='2' availabilityTimeOffset='NaN'/>",
    ])
    func `absurd numbers of segments and absurd times end at once`(_ segments: String) {
        do {
            let listed = try Self.segments(Self.video(segments))
            #expect(listed.count <= 20)
        } catch {
            #expect(error is MediaError)
        }
    }

    @Test func `a file whose end exceeds all times is refused`() {
        let file =
            "<SegmentBase presentationTimeOffset='9223372036854775807' "
            + "duration='9223372036854775807'/>"
        #expect {
            try Self.segments(Self.video(file, mpd: ""))
        } throws: { error in
            (error as? MediaError)?.cause.contains("impossible") == true
        }
    }

    // MARK: - Numbers

    @Test func `segments keep their numbers while the window moves`() {
        var numbers = SegmentNumbers()
        #expect(numbers.take([0, 2, 4].map { $0 * 1_000_000 }) == 0)
        #expect(numbers.take([2, 4, 6].map { $0 * 1_000_000 }) == 1)
        #expect(numbers.take([2, 4, 6].map { $0 * 1_000_000 }) == 1)
        #expect(numbers.take([6, 8].map { $0 * 1_000_000 }) == 3)
        #expect(numbers.take([4, 6, 8].map { $0 * 1_000_000 }) == 2)
        #expect(numbers.take([]) == 2)
        // A gap after which nothing is known.
        #expect(numbers.take([20, 22].map { $0 * 1_000_000 }) == 5)
    }
}
