// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite("Subtitle store")
struct SubtitleStoreTests {
    private static func seconds(_ value: Int) -> MediaTime {
        MediaTime(value: Int64(value), timescale: 10)
    }

    private static func line(_ start: Int, _ end: Int, _ text: String, number: Int = 0)
        -> SubtitleCue
    {
        SubtitleCue(
            timeRange: MediaTimeRange(start: seconds(start), end: seconds(end)),
            content: .line("\(number),0,Default,,0,0,0,,\(text)"))
    }

    private static func picture(_ start: Int, _ end: Int? = nil, isEmpty: Bool = false)
        -> SubtitleCue
    {
        let bitmap = SubtitleBitmap(
            x: start, y: 0, width: 1, height: 1, canvasWidth: 10, canvasHeight: 10, indices: [0],
            palette: [SIMD4<UInt8>](repeating: .zero, count: 256))
        let range =
            end.map { MediaTimeRange(start: seconds(start), end: seconds($0)) }
            ?? MediaTimeRange(start: seconds(start), duration: .positiveInfinity)
        return SubtitleCue(timeRange: range, content: .bitmaps(isEmpty ? [] : [bitmap]))
    }

    @Test func `a new script restarts clients that have taken no lines`() {
        var store = SubtitleStore()
        let before = store.generation
        store.script = SubtitleScript()
        store.add([Self.line(0, 10, "first")])
        #expect(store.generation != before)
    }

    private static func openEnded(_ start: Int, _ end: Int, _ text: String) -> SubtitleCue {
        var cue = line(start, end, text)
        cue.isOpenEnded = true
        return cue
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func `a line without an end is shown until the next begins, in any order of reading`(
        order: [Int]
    ) {
        let cues = [
            Self.line(0, 10, "One"), Self.openEnded(20, 70, "Zero"), Self.line(40, 50, "Three"),
        ]
        var store = SubtitleStore()
        for index in order { store.add([cues[index]]) }
        func text(_ time: Int) -> [String] { store.cues(at: Self.seconds(time)).map(\.text) }
        #expect(text(5) == ["One"] && text(25) == ["Zero"])
        #expect(text(45) == ["Three"] && text(55).isEmpty)
    }

    @Test func `a line without an end is shown for its time if no other begins`() {
        var store = SubtitleStore()
        store.add([Self.openEnded(20, 70, "Zero"), Self.line(90, 95, "Later")])
        #expect(store.cues(at: Self.seconds(69)).map(\.text) == ["Zero"])
        #expect(store.cues(at: Self.seconds(70)).isEmpty)
    }

    @Test func `lines without an end last until the next ones, in any order of reading`() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<300 {
            let cues = (0..<12).map { number in
                let start = Int.random(in: 0..<20, using: &random)
                let end = start + Int.random(in: 1...15, using: &random)
                return Bool.random(using: &random)
                    ? Self.openEnded(start, end, "\(number)") : Self.line(start, end, "\(number)")
            }
            var store = SubtitleStore()
            for cue in cues.shuffled(using: &random) { store.add([cue]) }
            for cue in cues {
                let found = store.lines.first { $0.text == cue.text }?.timeRange
                let next = cues.map(\.timeRange.start).filter { $0 > cue.timeRange.start }.min()
                let end = cue.isOpenEnded ? next ?? .positiveInfinity : .positiveInfinity
                #expect(found?.start == cue.timeRange.start)
                #expect(found?.end == min(end, cue.timeRange.end))
            }
        }
    }

    @Test func `very many lines without an end are stored`() {
        var store = SubtitleStore()
        for start in 0..<20_000 { store.add([Self.openEnded(start, start + 50, "words")]) }
        #expect(store.lines.count == 20_000)
        #expect(store.lines.dropLast().allSatisfy { $0.timeRange.duration == Self.seconds(1) })
    }

    @Test func `the subtitle store equals a plain list, however often it is read`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var all: [SubtitleCue] = []
            for number in 0..<Int.random(in: 1...20, using: &random) {
                let start = Int.random(in: 0..<50, using: &random)
                let end = start + Int.random(in: 1...20, using: &random)
                all.append(Self.line(start, end, "line \(number)", number: number))
            }
            var store = SubtitleStore()
            // Read in parts, some of them again, as by seeks; numbers then continue.
            for _ in 0..<6 {
                let first = Int.random(in: 0..<all.count, using: &random)
                let count = Int.random(in: 1...all.count, using: &random)
                store.add(
                    all[first...].prefix(count).enumerated().map { offset, cue in
                        Self.renumbered(cue, offset + 100)
                    })
            }
            store.add(all)
            #expect(store.lines.count == all.count)
            for tenth in 0..<80 {
                let time = Self.seconds(tenth)
                let expected = Set(all.filter { $0.timeRange.contains(time) }.map(\.text))
                #expect(Set(store.cues(at: time).map(\.text)) == expected)
                let next = all.flatMap { [$0.timeRange.start, $0.timeRange.end] }
                #expect(store.change(after: time) == next.filter { $0 > time }.min())
                #expect(
                    store.change(after: time, isForward: false) == next.filter { $0 < time }.max())
            }
        }
    }

    private static func renumbered(_ cue: SubtitleCue, _ number: Int) -> SubtitleCue {
        guard case .line(let line) = cue.content else { return cue }
        var cue = cue
        let rest = line.drop { $0 != "," }
        cue.content = .line("\(number)\(rest)")
        return cue
    }

    @Test func `bitmap subtitles without an end last until the next one`() {
        var store = SubtitleStore()
        store.add([Self.picture(10)])
        store.add([Self.picture(20)])
        store.add([Self.picture(30, isEmpty: true)])
        store.add([Self.picture(40, 45)])
        func begins(at tenth: Int) -> [MediaTime] {
            store.cues(at: Self.seconds(tenth)).map(\.timeRange.start)
        }
        #expect(begins(at: 9) == [])
        #expect(begins(at: 19) == [Self.seconds(10)])
        #expect(begins(at: 20) == [Self.seconds(20)])
        #expect(begins(at: 30) == [])
        #expect(begins(at: 44) == [Self.seconds(40)])
        #expect(begins(at: 45) == [])
    }

    @Test func `bitmap subtitles are sorted`() {
        var store = SubtitleStore()
        store.add([Self.picture(30)])
        store.add([Self.picture(10)])
        #expect(store.cues(at: Self.seconds(29)).map(\.timeRange.start) == [Self.seconds(10)])
        #expect(store.cues(at: Self.seconds(31)).map(\.timeRange.start) == [Self.seconds(30)])
        store.jump()
        #expect(store.cues(at: Self.seconds(31)).isEmpty)
    }

    @Test func `bitmap subtitles that are read again take no more space`() {
        var limits = SubtitleLimits()
        limits.keptBytes = 5000
        var store = SubtitleStore(limits: limits)
        for _ in 0..<100 {
            store.add([Self.picture(10), Self.picture(20), Self.picture(30, isEmpty: true)])
        }
        store.add([Self.line(0, 10, "first")])
        #expect(store.pictures.count == 2)
        #expect(store.lines.count == 1)
        #expect(!store.isFull)
    }

    @Test func `subtitles beyond the limits are skipped and reported`() {
        var limits = SubtitleLimits()
        limits.lineCount = 3
        var store = SubtitleStore(limits: limits)
        store.add((0..<5).map { Self.line($0, $0 + 1, "line \($0)") })
        #expect(store.lines.count == 3)
        #expect(store.isFull)
        limits = SubtitleLimits()
        limits.keptBytes = 5000
        store = SubtitleStore(limits: limits)
        for tenth in 0..<20 { store.add([Self.picture(tenth)]) }
        #expect(store.pictures.count < 6)
        #expect(!store.cues(at: Self.seconds(19)).isEmpty)
    }
    @Test func `a caption that stays for long is one line, known before its end`() throws {
        let decoder = CaptionDecoder(.line21(1), end: .invalid)
        var store = SubtitleStore()
        let caption =
            LineTwentyOne.command(.resumeLoading) + LineTwentyOne.preamble(15)
            + LineTwentyOne.text("Hello") + LineTwentyOne.command(.endOfCaption)
        func read(_ pairs: [LineTwentyOne.Pair], at time: MediaTime) throws {
            let payload = CaptionPayload(pairs.map { CaptionPair(.firstField, $0.0, $0.1) })
            store.add(
                try decoder.decode(
                    MediaPacket(
                        trackID: 0, presentationTime: time, decodeTime: time, duration: .invalid,
                        isKeyframe: true, byteCount: 0, payload: payload)))
        }
        try read(caption, at: .zero)
        for tenth in 1..<500 { try read([], at: Self.seconds(tenth)) }
        // The last third of it is not known yet, and no more is said to be read.
        let known = try #require(store.lines.last?.timeRange)
        #expect(known.start == .zero && known.end == Self.seconds(480))
        #expect(decoder.pendingStart == Self.seconds(480))
        try read(LineTwentyOne.command(.eraseDisplayed), at: Self.seconds(500))
        #expect(store.lines.map(\.text) == ["", "Hello"])
        #expect(store.lines.allSatisfy { $0.timeRange.end == Self.seconds(500) })
        #expect(decoder.pendingStart == nil)
    }
}
