// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The playlists with parts, and those that FFmpeg receives for them.
@Suite struct PartSequenceTests {
    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1e6).rounded()), timescale: 1_000_000)
    }

    private static func playlist(_ lines: [String]) throws -> PartPlaylist {
        PartPlaylist(
            try #require(Playlist(Array((["#EXTM3U"] + lines).joined(separator: "\n").utf8))))
    }

    private static let head = [
        "#EXT-X-TARGETDURATION:4", "#EXT-X-PART-INF:PART-TARGET=1",
        "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3",
    ]

    private static func url(_ name: String) -> String { "http://a/\(name)" }

    private static func part(_ name: String, _ attributes: String = "") -> String {
        "#EXT-X-PART:DURATION=1,URI=\"\(url(name))\"\(attributes)"
    }

    /// A segment of four parts.
    private static func segment(_ number: Int, hasParts: Bool = true) -> [String] {
        let parts = hasParts ? (0..<4).map { part("\(number).\($0)") } : []
        return parts + ["#EXTINF:4,", url("\(number)")]
    }

    /// Returns a playlist with segments from `first` on, and with `count` parts after the segment
    /// before `end`. The last two segments have parts.
    private static func list(
        _ first: Int, _ end: Int, parts count: Int, tags: [String] = []
    ) throws -> PartPlaylist {
        let segments = (first..<end).flatMap { segment($0, hasParts: $0 >= end - 2) }
        return try playlist(
            head + ["#EXT-X-MEDIA-SEQUENCE:\(first)"] + tags + segments
                + (0..<count).map { part("\(end).\($0)") })
    }

    /// The entries of a sequence: their numbers and names.
    private static func entries(_ sequence: PartSequence) -> [String] {
        var copy = sequence
        let lines = copy.lines()
        let addresses = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        return addresses.enumerated().map {
            "\(copy.firstNumber + Int64($0)) \($1.dropFirst("http://a/".count))"
        }
    }

    // MARK: - Reading

    @Test func `segments have their parts, and the last one may be incomplete`() throws {
        let list = try Self.list(7, 10, parts: 2)
        #expect(list.firstSequence == 7 && list.segments.map(\.parts.count) == [0, 4, 4, 2])
        #expect(list.segments.map(\.isComplete) == [true, true, true, false])
        #expect(list.segments.map(\.duration) == [4, 4, 4, 2].map(Self.seconds))
        #expect(list.partTarget == Self.seconds(1) && list.holdBack == Self.seconds(3))
        #expect(list.canBlockReload && list.isUsable)
        #expect(list.end == PartPlaylist.Place(sequence: 10, part: 2))
        #expect(try Self.list(7, 10, parts: 0).end == PartPlaylist.Place(sequence: 10, part: 0))
    }

    @Test func `byte ranges continue those of the same file, headers and discontinuities apply`()
        throws
    {
        let list = try Self.playlist(
            Self.head + [
                "#EXT-X-MAP:URI=\"http://a/i\",BYTERANGE=\"5@0\"",
                Self.part("f", ",BYTERANGE=\"10@20\",INDEPENDENT=YES"),
                Self.part("f", ",BYTERANGE=\"11\""), Self.part("g", ",BYTERANGE=\"12\""),
                "#EXTINF:3,", "#EXT-X-BYTERANGE:33@20", "http://a/f",
                "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"http://a/j\"",
                Self.part("h", ",GAP=YES"), Self.part("k"),
            ])
        let parts = list.segments[0].parts
        #expect(parts.map(\.resource?.bytes?.first) == [20, 30, 0])
        #expect(parts.map(\.resource?.bytes?.count) == [10, 11, 12])
        #expect(parts.map(\.isIndependent) == [true, false, false])
        #expect(list.segments[0].resource?.bytes == ByteSpan(first: 20, count: 33))
        #expect(list.segments[0].header?.bytes == ByteSpan(first: 0, count: 5))
        #expect(list.segments[1].header == PartPlaylist.Resource(address: "http://a/j"))
        #expect(list.segments.map(\.isDiscontinuous) == [false, true])
        #expect(list.segments[1].parts.map { $0.resource == nil } == [true, false])
    }

    @Test(arguments: [
        ("DURATION=nan", 0.0), ("DURATION=-3", 0), ("DURATION=1e300", 0), ("DURATION=", 0),
        ("DURATION=0.5", 0.5), ("X=1", 0),
    ])
    func `absurd durations count as zero`(attribute: String, duration: Double) throws {
        let list = try Self.playlist(Self.head + ["#EXT-X-PART:\(attribute),URI=\"http://a/p\""])
        #expect(list.segments.map(\.duration) == [Self.seconds(duration)])
        #expect(list.partTarget == Self.seconds(1))
    }

    @Test(arguments: [
        "#EXT-X-PART:DURATION=1", "#EXT-X-PART:DURATION=1,URI=\"\"",
        "#EXT-X-PART:DURATION=1,URI=\"file:///etc/passwd\"",
        "#EXT-X-PART:DURATION=1,URI=\"http://a/p\",BYTERANGE=\"9223372036854775807@1\"",
        "#EXT-X-PART:DURATION=1,URI=\"http://a/p\",BYTERANGE=\"1@-1\"",
        "#EXT-X-PART:DURATION=1,URI=\"http://a/p\",BYTERANGE=\"0@5\"",
        "#EXT-X-PART:DURATION=1,URI=\"http://a/p\",BYTERANGE=\"x\"",
        "#EXT-X-PART:DURATION=1,URI=\"http://a/\(String(repeating: "p", count: 5000))\"",
    ])
    func `a part that cannot be requested is left out, and its number is kept`(tag: String) throws {
        let list = try Self.playlist(Self.head + [tag, Self.part("good")])
        #expect(list.segments[0].parts.map { $0.resource == nil } == [true, false])
        #expect(list.end == PartPlaylist.Place(sequence: 0, part: 2))
        let sequence = PartSequence(list, from: .init(sequence: 0, part: 0))
        #expect(Self.entries(sequence) == ["0 good"])
    }

    @Test(
        arguments: [
            ("0", nil), ("nan", nil), ("-1", nil), ("1e9", nil), ("0.000001", 0.05),
            ("0.2", 0.2), ("100", 4),
        ] as [(String, Double?)])
    func `the duration of parts is believed within limits`(stated: String, target: Double?) throws {
        let list = try Self.playlist([
            "#EXT-X-TARGETDURATION:4", "#EXT-X-PART-INF:PART-TARGET=\(stated)",
            "#EXT-X-PART:DURATION=0.01,URI=\"http://a/p\"",
        ])
        #expect(list.partTarget == target.map(Self.seconds))
        #expect(list.isUsable == (target != nil))
        if let target { #expect(list.holdBack == Self.seconds(3 * target)) }
    }

    @Test func `longer parts than stated move playback away from the edge`() throws {
        let list = try Self.playlist([
            "#EXT-X-TARGETDURATION:4", "#EXT-X-PART-INF:PART-TARGET=0.5",
            "#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=0.1", Self.part("p"),
        ])
        #expect(list.holdBack == Self.seconds(3) && !list.canBlockReload)
    }

    @Test func `a recommended distance may be rounded`() throws {
        let list = try Self.playlist([
            "#EXT-X-TARGETDURATION:1", "#EXT-X-PART-INF:PART-TARGET=0.33334",
            "#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1.0",
            "#EXT-X-PART:DURATION=0.33333,URI=\"http://a/p\"",
        ])
        #expect(list.holdBack == Self.seconds(1))
    }

    @Test func `encrypted, complete and ordinary streams are not read in parts`() throws {
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"http://a/k\""
        #expect(try !Self.list(0, 4, parts: 1, tags: [key]).isUsable)
        #expect(try Self.list(0, 4, parts: 1, tags: ["#EXT-X-KEY:METHOD=NONE"]).isUsable)
        #expect(try !Self.list(0, 4, parts: 1, tags: ["#EXT-X-ENDLIST"]).isUsable)
        #expect(try !Self.playlist(Self.head + ["#EXTINF:4,", "http://a/0"]).isUsable)
        #expect(try !Self.playlist(["#EXT-X-TARGETDURATION:4", Self.part("p")]).isUsable)
    }

    @Test func `reading begins at the last part with a keyframe that is not too late`() throws {
        let list = try Self.playlist(
            Self.head + [
                Self.part("0.0", ",INDEPENDENT=YES"), Self.part("0.1"),
                Self.part("0.2", ",INDEPENDENT=YES"), Self.part("0.3"), "#EXTINF:4,", "http://a/0",
                Self.part("1.2", ",INDEPENDENT=YES"), Self.part("1.3"), "#EXTINF:4,", "http://a/1",
            ])
        #expect(list.independentPart(ofSegment: 0, at: Self.seconds(3.5))?.part == 2)
        #expect(list.independentPart(ofSegment: 0, at: Self.seconds(3.5))?.time == Self.seconds(2))
        #expect(list.independentPart(ofSegment: 0, at: Self.seconds(2))?.part == 2)
        #expect(list.independentPart(ofSegment: 0, at: Self.seconds(1.999))?.part == nil)
        #expect(list.independentPart(ofSegment: 0, at: Self.seconds(-5))?.part == nil)
        // Its first parts have left the playlist.
        #expect(list.independentPart(ofSegment: 1, at: Self.seconds(3.5))?.part == nil)
    }

    // MARK: - Entries

    @Test func `older segments are whole, and what was listed in parts stays so`() throws {
        var sequence = PartSequence(
            try Self.list(7, 10, parts: 2), from: .init(sequence: 8, part: 0))
        #expect(Self.entries(sequence) == ["0 8", "1 9", "2 10.0", "3 10.1"])
        sequence.update(try Self.list(7, 10, parts: 3))
        #expect(Self.entries(sequence).suffix(2) == ["3 10.1", "4 10.2"])
        // The segment is complete.
        sequence.update(try Self.list(8, 11, parts: 1))
        #expect(
            Self.entries(sequence)
                == ["0 8", "1 9", "2 10.0", "3 10.1", "4 10.2", "5 10.3", "6 11.0"])
        // What has left the playlist is not listed, and several segments may have been added.
        sequence.update(try Self.list(10, 13, parts: 1))
        #expect(
            Self.entries(sequence) == [
                "2 10", "3 11.0", "4 11.1", "5 11.2", "6 11.3", "7 12", "8 13.0",
            ])
    }

    @Test func `segments whose parts are not listed any more are whole unless one was opened`()
        throws
    {
        let begin = PartPlaylist.Place(sequence: 10, part: 0)
        var sequence = PartSequence(try Self.list(7, 12, parts: 1), from: begin)
        #expect(Self.entries(sequence) == ["0 10", "1 11", "2 12.0"])
        sequence = PartSequence(try Self.list(7, 10, parts: 3), from: begin)
        sequence.noteOpening(of: Self.url("10.0"), at: 0)
        sequence.update(try Self.list(7, 11, parts: 2))
        #expect(
            Self.entries(sequence) == ["0 10.0", "1 10.1", "2 10.2", "3 10.3", "4 11.0", "5 11.1"])
        sequence.update(try Self.list(8, 15, parts: 1))
        let entries = ["0 10.0", "1 10.1", "2 10.2", "3 10.3", "4 11", "5 12", "6 13", "7 14"]
        #expect(Self.entries(sequence) == entries + ["8 15.0"])
        #expect(sequence.end == PartPlaylist.Place(sequence: 15, part: 1))
        // Reading that begins within a segment does not move.
        sequence = PartSequence(
            try Self.list(7, 10, parts: 3), from: PartPlaylist.Place(sequence: 10, part: 1))
        sequence.update(try Self.list(8, 15, parts: 0))
        #expect(Self.entries(sequence).first == "0 10.1")
    }

    @Test func `reading can begin within a segment`() throws {
        var sequence = PartSequence(
            try Self.list(7, 10, parts: 1), from: .init(sequence: 9, part: 2))
        #expect(Self.entries(sequence) == ["0 9.2", "1 9.3", "2 10.0"])
        sequence.update(try Self.list(8, 11, parts: 0))
        #expect(Self.entries(sequence).suffix(3) == ["3 10.1", "4 10.2", "5 10.3"])
    }

    @Test func `a segment whose parts are not listed any more continues with the next one`() throws
    {
        var sequence = PartSequence(
            try Self.list(7, 10, parts: 2), from: .init(sequence: 10, part: 0))
        sequence.noteOpening(of: Self.url("10.0"), at: 0)
        sequence.update(try Self.list(9, 15, parts: 0))
        #expect(
            Self.entries(sequence)
                == ["0 10.0", "1 10.1", "2 11", "3 12", "4 13", "5 14"])
    }

    @Test func `an older playlist changes nothing, and numbers may jump forwards`() throws {
        var sequence = PartSequence(
            try Self.list(7, 10, parts: 2), from: .init(sequence: 9, part: 0))
        let before = Self.entries(sequence)
        sequence.update(try Self.list(6, 9, parts: 3))
        sequence.update(try Self.list(0, 2, parts: 0))
        #expect(Self.entries(sequence) == before)
        #expect(sequence.end == PartPlaylist.Place(sequence: 10, part: 2))
        sequence.update(try Self.list(1 << 59, (1 << 59) + 2, parts: 1))
        #expect(Self.entries(sequence).count == 3)
        #expect(Self.entries(sequence).first?.hasPrefix("3 ") == true)
        let absurd = "#EXT-X-MEDIA-SEQUENCE:99999999999999999999"
        sequence.update(try Self.playlist(Self.head + [absurd]))
        #expect(Self.entries(sequence).count == 3)
    }

    @Test func `thousands of parts are read in order, and read parts are forgotten`() throws {
        let parts = (0..<5000).map { Self.part("p\($0)") }
        var sequence = PartSequence(
            try Self.playlist(Self.head + parts), from: .init(sequence: 0, part: 0))
        // FFmpeg receives the next ones, and asks again before the last of them.
        #expect(Self.entries(sequence).count == 256)
        let lines = sequence.lines()
        #expect(lines.suffix(3) == ["#EXTINF:0.001,", "http://a/p255", ""])
        for number in 0..<4000 { sequence.noteOpening(of: Self.url("p\(number)"), at: 0) }
        #expect(Self.entries(sequence).first == "3999 p3999")
        for number in 4000..<4900 { sequence.noteOpening(of: Self.url("p\(number)"), at: 0) }
        #expect(Self.entries(sequence).count == 101)
        sequence.update(try Self.playlist(Self.head + parts + ["#EXT-X-ENDLIST"]))
        let last = sequence.lines()
        #expect(last.suffix(2) == ["#EXT-X-ENDLIST", ""])
    }

    @Test func `the last entry is short until the stream ends, and headers are listed once`() throws
    {
        let map = "#EXT-X-MAP:URI=\"http://a/i\""
        var sequence = PartSequence(
            try Self.list(0, 1, parts: 1, tags: [map]), from: .init(sequence: 0, part: 0))
        let lines = sequence.lines()
        #expect(
            lines == [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:4",
                "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-MAP:URI=\"http://a/i\"", "#EXTINF:4.000000,",
                "http://a/0", "#EXTINF:0.001,", "http://a/1.0", "",
            ])
        sequence.noteOpening(of: Self.url("i"), at: 0)
        // It could not be opened.
        let again = sequence.lines()
        #expect(again == lines)
        sequence.noteOpened(Self.url("i"), at: 0)
        sequence.noteOpening(of: Self.url("0"), at: 0)
        sequence.noteOpened(Self.url("0"), at: 0)
        let later = sequence.lines()
        #expect(!later.contains { $0.hasPrefix("#EXT-X-MAP") })
        let other = "#EXT-X-MAP:URI=\"http://a/j\""
        sequence.update(
            try Self.playlist(
                Self.head + [map] + Self.segment(0) + Self.segment(1)
                    + ["#EXT-X-DISCONTINUITY", other] + Self.segment(2) + ["#EXT-X-ENDLIST"]))
        let last = sequence.lines().suffix(6)
        #expect(
            last == [
                "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"http://a/j\"", "#EXTINF:4.000000,",
                "http://a/2", "#EXT-X-ENDLIST", "",
            ])
    }

    @Test func `the server is asked only when everything has been opened`() throws {
        var sequence = PartSequence(
            try Self.list(0, 2, parts: 0), from: .init(sequence: 0, part: 0))
        var answers = [sequence.answersAtOnce()]
        sequence.noteOpening(of: Self.url("0"), at: 0)
        sequence.noteOpening(of: Self.url("7"), at: 0)
        sequence.noteOpening(of: Self.url("1"), at: 5)
        answers.append(sequence.answersAtOnce())
        sequence.noteOpening(of: "HTTP://A:80/1", at: 0)
        answers.append(sequence.answersAtOnce())
        #expect(answers == [true, true, false])
        // If the addresses cannot be recognised, it is asked all the same.
        sequence.update(try Self.list(0, 3, parts: 0))
        for _ in 0..<9 { answers.append(sequence.answersAtOnce()) }
        #expect(answers.dropFirst(3).contains(true) && answers.last == false)
        // After the end, nothing follows.
        sequence.update(try Self.list(0, 3, parts: 0, tags: ["#EXT-X-ENDLIST"]))
        let isAnswered = sequence.answersAtOnce()
        #expect(isAnswered)
    }

    @Test func `only the newest parts are requested again if they are not there yet`() throws {
        var sequence = PartSequence(
            try Self.list(0, 2, parts: 3), from: .init(sequence: 1, part: 0))
        let names = ["1", "2.0", "2.1", "2.2", "9"]
        let areNewest = names.map { sequence.noteOpening(of: Self.url($0), at: 0) }
        #expect(areNewest == [false, false, true, true, false])
    }

    @Test func `what is announced is valid or ignored, and the last tag of a type counts`() throws {
        func hints(_ tags: String...) throws -> [PartPlaylist.Hint] {
            try Self.list(0, 2, parts: 1, tags: tags.map { "#EXT-X-PRELOAD-HINT:" + $0 }).hints
        }
        #expect(
            try hints(
                "TYPE=MAP,URI=\"http://a/i\",BYTERANGE-LENGTH=9", "TYPE=PART,URI=\"http://a/o\"",
                "TYPE=PART,URI=\"http://a/p\",BYTERANGE-START=7")
                == [
                    .init(address: "http://a/p", start: 7), .init(address: "http://a/i", end: 9),
                ])
        for tag in [
            "URI=\"http://a/p\"", "TYPE=PART", "TYPE=PART,URI=\"\"", "TYPE=X,URI=\"http://a/p\"",
            "TYPE=PART,URI=\"http://a/p\",BYTERANGE-START=-1",
            "TYPE=PART,URI=\"http://a/p\",BYTERANGE-START=x",
            "TYPE=PART,URI=\"http://a/p\",BYTERANGE-LENGTH=0",
            "TYPE=PART,URI=\"http://a/p\",BYTERANGE-START=9,BYTERANGE-LENGTH=9223372036854775807",
            "TYPE=PART,URI=\"http://a/\(String(repeating: "p", count: 5000))\"",
        ] { #expect(try hints(tag) == [], "\(tag.prefix(80))") }
    }

    @Test func `an announced header is requested until it has been loaded`() throws {
        let (map, hint) = (
            "#EXT-X-MAP:URI=\"http://a/i\"", "#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"http://a/i\""
        )
        var sequence = PartSequence(
            try Self.list(0, 1, parts: 1, tags: [hint]), from: .init(sequence: 0, part: 0))
        #expect(sequence.nextHints == [.init(address: "http://a/i")])
        #expect(!sequence.isListed(.init(address: "http://a/i")))
        sequence = PartSequence(
            try Self.list(0, 1, parts: 1, tags: [map, hint]), from: .init(sequence: 0, part: 0))
        #expect(sequence.isListed(.init(address: "http://a/i")))
        sequence.noteOpened(Self.url("i"), at: 0)
        #expect(sequence.nextHints == [] && !sequence.isListed(.init(address: "http://a/i")))
        #expect(sequence.isListed(.init(address: Self.url("1.0"))))
        sequence.noteOpening(of: Self.url("1.0"), at: 0)
        #expect(!sequence.isListed(.init(address: Self.url("1.0"))))
    }

    @Test func `requests wait for the part after the last one`() throws {
        var sequence = PartSequence(
            try Self.list(0, 2, parts: 3), from: .init(sequence: 0, part: 0))
        #expect(sequence.blockingDirectives == ["_HLS_msn=2", "_HLS_part=3"])
        sequence.update(try Self.list(0, 3, parts: 0))
        #expect(sequence.blockingDirectives == ["_HLS_msn=3", "_HLS_part=0"])
    }
}
