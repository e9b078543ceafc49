// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Fragments of text tracks between which there are gaps.
@Suite("Gaps between fragments of text")
struct TextFragmentTests {
    private let folder = TemporaryFolder()

    private static func words(_ text: String) -> [UInt8] {
        TextTrack.box("vttc", TextTrack.box("payl", text.utf8))
    }

    /// Two fragments, which last from 0 to 2 s and from 5 to 6 s.
    private static func fragments(_ track: TextTrack, from start: UInt64 = 0) -> [UInt8] {
        var (first, second) = (track, track)
        (first.samples, second.samples) = (Array(track.samples[..<2]), [track.samples[2]])
        (first.start, second.start) = (start, start + 5000)
        return first.fragment() + second.fragment()
    }

    private static let boxes: TextTrack = {
        var track = TextTrack(webVTT: [])
        track.samples = ["a", "b", "c"].map { (1000, words($0)) }
        return track
    }()

    private static let documents: TextTrack = {
        var track = TextTrack(
            entry: ("stpp", Array("http://www.w3.org/ns/ttml".utf8) + [0, 0, 0]),
            samples: ["a", "b", "c"].map { text in
                let document =
                    "<tt xmlns=\"http://www.w3.org/ns/ttml\"><body><p>\(text)</p></body></tt>"
                return (1000, Array(document.utf8))
            })
        track.handler = "subt"
        return track
    }()

    private static func times(_ cues: [SubtitleCue]) -> [Double] {
        cues.flatMap { [$0.timeRange.start.seconds, $0.timeRange.end.seconds] }
    }

    @Test(arguments: [boxes, documents])
    func `a cue before a gap ends with its fragment`(_ track: TextTrack) throws {
        let bytes = track.header() + Self.fragments(track)
        let url = folder.appending("film.mp4")
        try Data(bytes).write(to: url)
        var options = AssetOptions()
        options.allowsSubtitlesOnly = true
        let data = FFmpegOpener(
            AssetSource.data(MemoryDataSource(bytes), name: "film.mp4"), options: options)
        for asset in [Opening.subtitleAsset(url.path), Asset(opener: data)] {
            let reader = try SubtitleReader(asset: asset)
            let (cues, errors) = try Opening.rest(of: reader)
            #expect(errors.isEmpty && cues.map(\.text) == ["a", "b", "c"])
            #expect(Self.times(cues) == [0, 1, 1, 2, 5, 6])
            // Backwards, and into the gap.
            try reader.seek(to: MediaTime(value: 3, timescale: 2))
            let late = try Opening.rest(of: reader).cues.filter { $0.text != "a" }
            #expect(Self.times(late) == [1, 2, 5, 6])
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a cue before a gap in a segment of HLS ends with its fragment`() throws {
        let fixture = try StreamFixture()
        let offset = try Opening.demuxer(fixture.path("large.m3u8")).description.timestampOffset
        let start = UInt64(offset.converted(toTimescale: 1000).value)
        for (name, bytes) in [
            ("head.mp4", Self.boxes.header()), ("0.m4s", Self.fragments(Self.boxes, from: start)),
        ] {
            try Data(bytes).write(to: fixture.folder.appending(name))
        }
        let list =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI=\"head.mp4\"\n"
            + "#EXTINF:6,\n0.m4s\n#EXT-X-ENDLIST\n"
        try fixture.write(list, to: "en.m3u8")
        let main = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,SUBTITLES="s"
            large.m3u8

            """
        try fixture.write(main, to: "main.m3u8")
        let (cues, errors) = try Opening.subtitles(of: Opening.asset(fixture.path("main.m3u8")))
        #expect(errors.isEmpty && cues.map(\.text) == ["a", "b", "c"])
        let pairs = zip(Self.times(cues), [0.0, 1, 1, 2, 5, 6])
        #expect(pairs.allSatisfy { abs($0 - $1) < 0.002 }, "\(Self.times(cues))")
    }

    // MARK: - Boxes

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Returns the contents of a box with a version and flags.
    private static func full(
        _ flags: UInt8, _ values: UInt32..., version: UInt8 = 0
    ) -> [UInt8] {
        [version, 0, 0, flags] + values.flatMap { bytes($0) }
    }

    /// A run whose samples state their durations.
    private static func run(of durations: UInt32...) -> [UInt8] {
        [0, 0, 1, 0] + bytes(UInt32(durations.count)) + durations.flatMap { bytes($0) }
    }

    /// A fragment of a track, whose number is 7 unless it is stated, and its interval.
    struct Fragment: Sendable {
        var header = TextFragmentTests.full(0, 7)
        var time = TextFragmentTests.full(0, 10)
        var runs: [[UInt8]]
        var expected: Range<Int64>?

        /// The contents of the `traf` box.
        var contents: [UInt8] {
            TextTrack.box("tfhd", header) + TextTrack.box("tfdt", time)
                + runs.flatMap { TextTrack.box("trun", $0) }
        }
    }

    private static let long: Int64 = 1 << 32

    /// Durations are those of the samples, of the fragment, and of the file, which are 3.
    private static let whole = [
        Fragment(runs: [run(of: 3, 4)], expected: 10..<17),
        Fragment(header: full(8, 7, 5), runs: [full(0, 2)], expected: 10..<20),
        Fragment(runs: [full(0, 2)], expected: 10..<16),
        Fragment(
            time: full(0, 1, 0, version: 1), runs: [full(1, 1, 99), full(0, 2)],
            expected: long..<long + 9),
    ]

    /// Fragments without samples, without a time, cut off, of unknown duration, and too large.
    private static let broken = [
        Fragment(runs: [full(0, 0)]), Fragment(time: [0, 0], runs: [full(0, 2)]),
        Fragment(runs: [Array(run(of: 3, 4).dropLast())]),
        Fragment(header: full(0, 8), runs: [full(0, 2)]),
        Fragment(header: full(8, 7, .max), runs: [full(0, .max)]),
        Fragment(
            header: full(8, 7, .max >> 1),
            runs: [[UInt8]](repeating: full(0, .max >> 1), count: 9)),
    ]

    @Test(arguments: whole + broken)
    func `the interval of a fragment is that of its samples`(_ fragment: Fragment) {
        let found = FragmentTrack.interval(of: fragment.contents[...], durations: [7: 3])
        #expect(found?.range == fragment.expected && (found?.track ?? 7) == 7)
    }

    @Test func `noise in fragments ends in an interval or none, never worse`() {
        var random = SplitMix64(seed: 41)
        let seed = Fragment(header: Self.full(8, 7, 5), runs: [Self.run(of: 3, 4)]).contents
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            let found = FragmentTrack.interval(of: bytes[...], durations: [7: 3])
            #expect(found?.range.isEmpty != true)
        }
    }
}
