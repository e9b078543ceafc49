// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Pairs of an index and images, generated here: each subtitle is a rectangle of one colour.
@Suite("VobSub subtitles")
struct VobSubTests {
    private let folder = TemporaryFolder()

    private static let header = """
        # VobSub index file, v7 (do not modify this line!)
        size: 720x576
        palette: 000000, ff0000, 00ff00, 0000ff, ffffff, 000000, 000000, 000000, 000000, 000000, \
        000000, 000000, 000000, 000000, 000000, 000000

        """

    /// Returns the packet of a subtitle 16 pixels wide and 4 high, whose lines all have one colour.
    private static func unit(color: UInt8, seconds: Int) -> [UInt8] {
        // Two fields of two lines; a line is one run to its end.
        let field: [UInt8] = [0, color, 0, color]
        let pixels = field + field
        let control = UInt8(4 + pixels.count)
        let shown: [UInt8] = [
            0, 0, 0, control + 24,
            // Colours and opacities of the four kinds of pixels, the area, the offsets of the
            // fields.
            3, 0x32, 0x10, 4, 0xFF, 0xF0,
            5, 0x00, 0xA0, 0x19, 0x01, 0x40, 0x17,
            6, 0, 4, 0, 8, 1, 0xFF,
        ]
        let ticks = seconds * 90_000 / 1024
        let hidden: [UInt8] = [
            UInt8(ticks >> 8), UInt8(ticks & 0xFF), 0, control + 24, 2, 0xFF,
        ]
        let size = 4 + pixels.count + shown.count + hidden.count
        return [0, UInt8(size), 0, control] + pixels + shown + hidden
    }

    private static let pack: [UInt8] = [0, 0, 1, 0xBA, 0x44, 0, 4, 0, 4, 1, 1, 0x89, 0xC3, 0xF8]

    private static func packet(_ part: some Collection<UInt8>, of number: UInt8) -> [UInt8] {
        let length = 3 + 5 + 1 + part.count
        return [0, 0, 1, 0xBD, 0, UInt8(length), 0x81, 0x80, 5, 0x21, 0, 1, 0, 1, 0x20 + number]
            + part
    }

    /// Splits a packet over two packs, with a foreign packet and padding between them.
    private static func packs(_ unit: [UInt8], of number: UInt8) -> [UInt8] {
        pack + packet(unit[..<9], of: number) + [0, 0, 1, 0xBE, 0, 2, 0xFF, 0xFF]
            + pack + packet([1, 2, 3], of: number + 1) + packet(unit[9...], of: number)
    }

    /// English has two subtitles, German one; the default is German.
    private static let pictures = [
        packs(unit(color: 1, seconds: 2), of: 0), packs(unit(color: 2, seconds: 2), of: 1),
        packs(unit(color: 1, seconds: 2), of: 0),
    ]

    private func pair(
        index: String? = nil, pictures: [UInt8]? = pictures.flatMap(\.self)
    ) throws -> (index: String, pictures: String) {
        let places = Self.pictures.reduce(into: [0]) { $0.append($0.last! + $1.count) }
        let text =
            index ?? Self.header + """
                langidx: 1
                id: en, index: 0
                timestamp: 00:00:01:500, filepos: \(String(places[0], radix: 16))
                timestamp: 00:01:00:000, filepos: \(String(places[2], radix: 16))
                id: de, index: 1
                alt: Deutsch
                delay: 00:00:00:250
                timestamp: 00:00:01:500, filepos: \(String(places[1], radix: 16))

                """
        let urls = (folder.appending("film.idx"), folder.appending("film.sub"))
        try Data(text.utf8).write(to: urls.0)
        if let pictures { try Data(pictures).write(to: urls.1) }
        return (urls.0.path, urls.1.path)
    }

    private func cues(_ asset: Asset, from time: MediaTime? = nil) throws -> [SubtitleCue] {
        let reader = try SubtitleReader(asset: asset)
        if let time { try reader.seek(to: time) }
        var cues: [SubtitleCue] = []
        while let step = try reader.read() {
            #expect(step.error == nil)
            cues += step.cues
        }
        return cues
    }

    private func seconds(_ cues: [SubtitleCue]) -> [Double] { cues.map(\.timeRange.start.seconds) }

    /// Returns the most frequent colour of a subtitle.
    private func color(_ cue: SubtitleCue) throws -> SIMD4<UInt8> {
        let bitmaps =
            if case .bitmaps(let bitmaps) = cue.content { bitmaps } else { [] as [SubtitleBitmap] }
        let bitmap = try #require(bitmaps.first)
        #expect((bitmap.canvasWidth, bitmap.canvasHeight) == (720, 576))
        #expect((bitmap.x, bitmap.y, bitmap.width, bitmap.height) == (10, 20, 16, 4))
        return bitmap.palette[Int(bitmap.indices[0])]
    }

    @Test func `there is a track a language, the default one first`() throws {
        let paths = try pair()
        for path in [paths.index, paths.pictures] {
            let tracks = SubtitleFile.tracks(path)
            #expect(tracks.map(\.language?.description) == ["de", "en"])
            #expect(tracks.map { $0.name.hasSuffix("Deutsch") } == [true, false])
            #expect(try seconds(cues(tracks[0].asset)) == [1.75])
            #expect(try seconds(cues(tracks[1].asset)) == [1.5, 60])
        }
        let all = try SubtitleFile.asset(paths.index).openDemuxer(cancellation: Cancellation())
        #expect(all.description.tracks.map(\.languageTag) == ["de", "en"])
        var times: [MediaTime] = []
        while let packet = try all.readPacket() { times.append(packet.presentationTime) }
        #expect(times.map(\.seconds) == [1.5, 1.75, 60])
    }

    @Test func `bitmap subtitles are at their positions, in the colours of the index`() throws {
        let tracks = try SubtitleFile.tracks(pair().index)
        let german = try #require(try cues(tracks[0].asset).first)
        #expect(try color(german) == SIMD4(0, 255, 0, 255))
        let english = try #require(try cues(tracks[1].asset).last)
        #expect(try color(english) == SIMD4(255, 0, 0, 255))
        #expect(abs(english.timeRange.end.seconds - 62) < 0.02)
    }

    @Test func `a seek begins with what may be seen at that time`() throws {
        let english = try SubtitleFile.tracks(pair().index)[1].asset
        let time = MediaTime(value: 2, timescale: 1)
        #expect(try seconds(cues(english, from: time)) == [1.5, 60])
        #expect(try seconds(cues(english, from: time.multiplied(by: 30, over: 1))) == [60])
    }

    @Test func `bitmap subtitles in files of their own are found by their index`() throws {
        let paths = try pair()
        let film = folder.appending("film.mkv").path
        #expect(SubtitleFile.paths(beside: film) == [paths.index])
    }

    @Test func `missing parts are reported or skipped`() throws {
        let alone = try pair(pictures: nil)
        let missing = #expect(throws: MediaError.self) { try cues(SubtitleFile.asset(alone.index)) }
        #expect(missing?.cause.contains("film.sub") == true)
        let bytes = Array(Self.header.utf8)
        let memory = #expect(throws: MediaError.self) {
            try cues(SubtitleFile.asset(bytes, name: "film.idx"))
        }
        #expect(memory?.remedy.contains(".sub") == true)
        let empty = try pair(index: Self.header)
        let none = #expect(throws: MediaError.self) { try cues(SubtitleFile.asset(empty.index)) }
        #expect(none?.code == .noPlayableTracks)

        // Truncated, and with positions outside of the file.
        let whole = Self.pictures.flatMap(\.self)
        let cut = try pair(pictures: Array(whole.dropLast(1)))
        #expect(try seconds(cues(SubtitleFile.tracks(cut.index)[1].asset)) == [1.5])
        let astray = try pair(
            index: Self.header + """
                id: en, index: 0
                timestamp: 00:00:01:000, filepos: 00000001
                timestamp: 00:00:02:000, filepos: ffffffffffff
                timestamp: 00:00:03:000, filepos: -1
                timestamp: 99:99, filepos: 0
                timestamp: 00:00:04:000, filepos: 0
                id: fr, index: 77
                """)
        #expect(try seconds(cues(SubtitleFile.asset(astray.index))) == [4])
    }
}
