// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import PlayheadUI
import Testing

@Suite("Subtitles over video")
struct SubtitleOverlayTests {
    /// A video on a manual clock, with a subtitle file beside it.
    private struct Stage {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()

        init(_ text: String, name: String = "film.srt") throws {
            let file = folder.appending(name)
            try Data(text.utf8).write(to: file)
            let times = SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 20, timescale: 1))
            item = PlayerItem(
                asset: SyntheticAsset(SyntheticMedia(frameTimes: times, sounds: [])))
            item.add(output)
            item.addSubtitles(SubtitleFile.asset(file.path), name: name)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            let group = try #require(item.mediaSelectionGroup(for: .legible))
            item.select(group.options[0], in: group)
        }

        func wait(for condition: () -> Bool) -> Bool {
            let deadline = HostClock.nanoseconds + 60_000_000_000
            let pause = Monitor(())
            while !condition() {
                if HostClock.nanoseconds > deadline { return false }
                pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
            }
            return true
        }

        func seek(to tenths: Int64) {
            let landed = Monitor<Bool?>(nil)
            item.seek(
                to: MediaTime(value: tenths, timescale: 10), toleranceBefore: .zero,
                toleranceAfter: .zero
            ) { finished in landed.change { $0 = finished } }
            landed.wait { $0 }
        }
    }

    private static let text = """
        1
        00:00:02,000 --> 00:00:04,000
        First

        2
        00:00:05,000 --> 00:00:06,000
        Second

        """

    private static func time(_ tenths: Int) -> MediaTime {
        MediaTime(value: Int64(tenths), timescale: 10)
    }

    @Test func `an output has the subtitles of every time, with their delay`() throws {
        let stage = try Stage(Self.text)
        let output = PlayerItemLegibleOutput()
        stage.item.add(output)
        output.waitForSubtitles(at: .zero)
        func texts(_ tenths: Int) -> [String] {
            output.copySubtitles(forItemTime: Self.time(tenths)).map(\.text)
        }
        #expect(texts(19) == [])
        #expect(output.hasNewSubtitles(forItemTime: Self.time(20)))
        #expect(texts(20) == ["First"])
        #expect(!output.hasNewSubtitles(forItemTime: Self.time(39)))
        #expect(texts(40) == [])
        #expect(texts(55) == ["Second"])
        #expect(output.nextChange(after: Self.time(0)) == Self.time(20))
        #expect(output.nextChange(after: Self.time(45), isForward: false) == Self.time(40))
        output.delay = MediaTime(value: 1, timescale: 1)
        #expect(texts(25) == [])
        #expect(texts(45) == ["First"])
        #expect(output.nextChange(after: Self.time(0)) == Self.time(30))
        stage.item.remove(output)
        #expect(texts(55) == [])
    }

    @Test(arguments: [("", 10.0), ("{1}{1}25\n", 25.0)])
    func `MicroDVD counts frames of the video unless it states a rate`(
        head: String, rate: Double
    ) throws {
        let stage = try Stage(
            head + "{20}{40}First\n{50}{60}Second\n{150}{160}Third\n", name: "film.sub")
        let output = PlayerItemLegibleOutput()
        stage.item.add(output)
        output.waitForSubtitles(at: .zero)
        for (frame, text) in [
            (19, []), (20, ["First"]), (39, ["First"]), (45, []), (150, ["Third"]),
        ] {
            let time = MediaTime(seconds: (Double(frame) + 0.5) / rate)
            #expect(output.copySubtitles(forItemTime: time).map(\.text) == text, "\(frame)")
        }
    }

    @Test func `AQTitle counts frames of the video`() throws {
        let stage = try Stage(
            "-->> 20\nFirst\n\n-->> 40\n\n\n-->> 150\nThird\n\n-->> 160\n\n\n", name: "film.aqt")
        let output = PlayerItemLegibleOutput()
        stage.item.add(output)
        output.waitForSubtitles(at: .zero)
        for (frame, text) in [
            (19, []), (20, ["First"]), (39, ["First"]), (45, []), (150, ["Third"]), (165, []),
        ] {
            let time = MediaTime(seconds: (Double(frame) + 0.5) / 10)
            #expect(output.copySubtitles(forItemTime: time).map(\.text) == text, "\(frame)")
        }
    }

    @Test func `the selected track is shown, and none without a selection`() throws {
        let stage = try Stage(Self.text)
        let output = PlayerItemLegibleOutput()
        stage.item.add(output)
        let other = stage.folder.appending("other.srt")
        try Data("1\n00:00:02,000 --> 00:00:04,000\nOther\n\n".utf8).write(to: other)
        let option = stage.item.addSubtitles(SubtitleFile.asset(other.path), name: "other")
        let group = try #require(stage.item.mediaSelectionGroup(for: .legible))
        #expect(group.options.map(\.displayName) == ["film.srt", "other"])
        #expect(stage.item.selectedMediaOption(in: group) == group.options[0])
        stage.item.select(option, in: group)
        output.waitForSubtitles(at: .zero)
        #expect(output.copySubtitles(forItemTime: Self.time(30)).map(\.text) == ["Other"])
        stage.item.select(nil, in: group)
        #expect(output.copySubtitles(forItemTime: Self.time(30)).isEmpty)
    }

    @Test func `an unreadable file is reported while playback continues`() throws {
        let stage = try Stage("\0\u{1}\u{2}nothing")
        #expect(stage.wait { stage.item.subtitleError != nil })
        #expect(stage.wait { stage.item.status == .readyToPlay })
    }

    /// Returns the tenths of a second at which the overlay is visible.
    private func seen(_ overlay: SubtitleOverlay, _ tenths: some Sequence<Int>) -> [Int] {
        tenths.filter { tenth in
            overlay.copyPixelBuffer(forItemTime: Self.time(tenth))?.0.width ?? 0 > 1
        }
    }

    @Test func `bitmap subtitles exist exactly while they are visible, forwards and backwards`()
        throws
    {
        let stage = try Stage(Self.text)
        #expect(stage.wait { stage.item.status == .readyToPlay })
        let overlay = SubtitleOverlay(of: stage.item, waits: true)
        overlay.lay(in: (640, 360))
        let expected = Array(20..<40) + Array(50..<60)
        #expect(seen(overlay, 0..<80) == expected)
        #expect(seen(overlay, (0..<80).reversed()) == expected.reversed())
        overlay.delay = MediaTime(value: -1, timescale: 1)
        #expect(seen(overlay, 0..<80) == expected.map { $0 - 10 })
        overlay.delay = .zero
        overlay.isVisible = false
        #expect(seen(overlay, 0..<80) == [])
    }

    @Test func `plain text is distinguished from positioned subtitles`() throws {
        let plain = try Stage(Self.text)
        let overlay = SubtitleOverlay(of: plain.item, waits: true)
        overlay.lay(in: (640, 360))
        #expect(plain.wait { !seen(overlay, [25]).isEmpty && overlay.isPlainText })
        let placed = try Stage(
            """
            [Script Info]
            ScriptType: v4.00+

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:02.00,0:00:04.00,Default,,0,0,0,,{\\pos(50,50)}First

            """, name: "film.ass")
        let other = SubtitleOverlay(of: placed.item, waits: true)
        other.lay(in: (640, 360))
        #expect(placed.wait { !seen(other, [25]).isEmpty })
        #expect(!other.isPlainText)
    }

    @Test func `letters keep their shape over a rotated video`() throws {
        let stage = try Stage(
            """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 384
            PlayResY: 288

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, BorderStyle, Outline, Shadow, Alignment
            Style: Default,sans-serif,24,&H00FFFFFF,1,0,0,5

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:00.00,0:00:10.00,Default,,0,0,0,,MMM

            """, name: "film.ass")
        #expect(stage.wait { stage.item.status == .readyToPlay })
        let overlay = SubtitleOverlay(of: stage.item, waits: true)
        func shape(_ width: Int, _ height: Int) throws -> Double {
            _ = overlay.itemTime(forHostTime: .zero)
            overlay.noteDisplaySize(width: width, height: height)
            let picture = try #require(overlay.copyPixelBuffer(forItemTime: Self.time(5))).0
            #expect(picture.height > 8)
            return Double(picture.width) / Double(picture.height)
        }
        let upright = try shape(1280, 720)
        overlay.rotation = 90
        #expect(abs(try shape(405, 720) / upright - 1) < 0.1)
        overlay.rotation = -45
        #expect(abs(try shape(720, 720) / upright - 1) < 0.1)
        overlay.rotation = 180
        #expect(abs(try shape(1280, 720) / upright - 1) < 0.01)
    }

    @Test func `the right frame arrives in time without waiting, as a window asks for it`() throws {
        let stage = try Stage(Self.text)
        let overlay = SubtitleOverlay(of: stage.item)
        #expect(stage.wait { stage.item.status == .readyToPlay })
        overlay.lay(in: (640, 360))
        func isSeen() -> Bool {
            let time = overlay.itemTime(forHostTime: stage.clock.time)
            return overlay.copyPixelBuffer(forItemTime: time)?.0.width ?? 0 > 1
        }
        stage.seek(to: 25)
        #expect(stage.wait { isSeen() })
        stage.seek(to: 45)
        #expect(stage.wait { !isSeen() })
        stage.seek(to: 55)
        #expect(stage.wait { isSeen() })
        let rect = overlay.overlayRect
        #expect(rect.y > 0.7 && rect.y + rect.height <= 1, "\(rect)")
        stage.seek(to: 30)
        #expect(stage.wait { isSeen() })
    }

    @Test func `observers of a change are notified`() throws {
        let stage = try Stage(Self.text)
        let overlay = SubtitleOverlay(of: stage.item)
        #expect(stage.wait { stage.item.status == .readyToPlay })
        overlay.lay(in: (640, 360))
        stage.seek(to: 25)
        let reported = Monitor(false)
        let token = overlay.notifyOfMediaDataChange(
            withAdvanceInterval: .zero, on: .background
        ) { reported.change { $0 = true } }
        // The request reveals the wanted frame; once it has been drawn, the overlay notifies.
        _ = overlay.hasNewPixelBuffer(forItemTime: Self.time(25))
        #expect(reported.wait(nanoseconds: 60_000_000_000) { $0 ? true : nil } == true)
        token.cancel()
    }
}
