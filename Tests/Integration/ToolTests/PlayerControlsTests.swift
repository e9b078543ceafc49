// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// The controls of the window, with a real pointer.
///
/// In a window of 480 by 640 the panel is below the video: from 20, 526 on, 440 wide and 86 high,
/// with a row of buttons at 557 and the scrubber at 592, centred in the window.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct PlayerControlsTests {
    private static let buttons = 557
    private static let scrubber = 592
    private static let middle = PlayerSession.width / 2

    /// Returns whether the panel is visible: it is lighter than the window.
    private func hasControls(_ session: PlayerSession) throws -> Bool {
        let red = try session.pixel(Self.middle, 606).x
        return red > 8 && red < 80
    }

    private func startPaused(seconds: Int = 60) throws -> (PlayerSession, frame: Int) {
        let session = try PlayerSession(try Films.silent(seconds: seconds))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        return (session, try session.standingFrame())
    }

    @Test func `a click on the button pauses and plays`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.movePointer(Self.middle, Self.buttons)
        try eventually("the controls") { try hasControls(session) }
        try session.click()
        let frame = try session.standingFrame()
        try session.click()
        try session.waitForFrame("the video to continue") { $0 > frame + 5 }
        try session.quit()
    }

    @Test func `dragging the scrubber seeks`() throws {
        let (session, _) = try startPaused(seconds: 12)
        try session.movePointer(120, Self.scrubber)
        try eventually("the controls") { try hasControls(session) }
        try session.display.xdotool("mousedown", "1")
        for x in stride(from: 130, through: Self.middle, by: 10) {
            try session.movePointer(x, Self.scrubber)
        }
        try session.waitForFrame("the middle of the video") { abs($0 - 180) < 4 }
        // Beyond the ends of the scrubber, and off the line, the drag continues.
        try session.movePointer(475, 300)
        try session.waitForFrame("the last frame") { $0 == 359 }
        try session.movePointer(Self.middle, Self.scrubber)
        try session.display.xdotool("mouseup", "1")
        try session.waitForFrame("the middle again") { abs($0 - 180) < 4 }
        try session.quit()
    }

    @Test func `a thumbnail is shown under the pointer during playback`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        let early = try session.waitForFrame("the first frames") { $0 > 2 }
        try session.movePointer(Self.middle, Self.buttons)
        try eventually("the controls") { try hasControls(session) }
        try session.movePointer(Self.middle, Self.scrubber)
        // Between the video and the panel, where the window is otherwise empty.
        try eventually("a small frame") {
            let image = try session.shot()
            return (170..<310).count { image[$0, 470].x > 40 || image[$0, 470].y > 40 } > 60
        }
        try session.waitForFrame("the video to continue") { $0 > early + 20 }
        try session.quit()
    }

    @Test func `controls and pointer hide when idle and appear when the pointer moves`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        // They may have disappeared again by the time of a look.
        try eventually("the controls") {
            for x in [100, 110] { try session.movePointer(x, 100) }
            return try hasControls(session)
        }
        try eventually("them to disappear") { try !hasControls(session) }
        try session.movePointer(Self.middle, Self.buttons)
        try eventually("the controls again") { try hasControls(session) }
        // They stay while the pointer is over the panel.
        try throughout(.milliseconds(2600), "they stay") { try hasControls(session) }
        try session.quit()
    }

    @Test func `the wheel changes the volume, and seeks over the scrubber`() throws {
        let (session, frame) = try startPaused()
        try eventually("the text to disappear") { try !session.hasWords() }
        try session.movePointer(Self.middle, 300)
        // It may have disappeared again by the time of a look.
        try eventually("text about the volume") {
            try session.display.xdotool("click", "4")
            return try session.hasWords()
        }
        try session.movePointer(Self.middle, Self.scrubber)
        try eventually("the controls") { try hasControls(session) }
        try session.display.xdotool("click", "4")
        try session.waitForFrame("5 seconds on") { $0 == frame + 150 }
        try session.quit()
    }

    @Test func `the button and a double click enter full screen`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.movePointer(429, Self.buttons)
        try eventually("the controls") { try hasControls(session) }
        try session.click()
        try eventually("fullscreen") { try session.size() == [XServer.width, XServer.height] }
        try session.press("Escape")
        try eventually("the window") {
            try session.size() == [PlayerSession.width, PlayerSession.height]
        }
        try session.movePointer(Self.middle, 300)
        // Two clicks within 0.4 s are a double click; otherwise playback has paused and resumed.
        for attempt in 1...3 {
            try session.display.xdotool("click", "--repeat", "2", "--delay", "60", "1")
            do {
                try eventually("fullscreen", within: .seconds(60)) {
                    try session.size() == [XServer.width, XServer.height]
                }
                break
            } catch  where attempt < 3 {}
        }
        try session.quit()
    }

    @Test func `the controls can be used by keyboard`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try eventually("the controls to disappear") { try !hasControls(session) }
        try eventually("the controls") {
            try session.press("Tab")
            return try hasControls(session)
        }
        try eventually("the controls to disappear again") { try !hasControls(session) }
        // They stay under the pointer, and so does the item selected by keys.
        try session.display.xdotool("key", "Tab", "key", "Return", "mousemove", "30", "606")
        let frame = try session.standingFrame()
        try session.press("Return")
        try session.waitForFrame("the video to continue") { $0 > frame + 5 }
        try session.quit()
    }

    @Test func `the key help and the playlist open and close`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 12), try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        _ = try session.standingFrame()
        /// Returns whether a dark page covers the video.
        func isCovered() throws -> Bool { try session.frameNumber() == nil }
        try session.press("question")
        try eventually("the keys") { try isCovered() }
        try session.press("Escape")
        try eventually("the video") { try !isCovered() }
        try session.press("F1")
        try eventually("the keys again") { try isCovered() }
        try session.press("F1")
        try eventually("the video again") { try !isCovered() }
        try eventually("the text to disappear") { try !session.hasWords() }
        try session.pressForWords("F8")
        try eventually("the list to disappear") { try !session.hasWords() }
        try session.press("greater")
        try session.press("space")
        try eventually("the second video's length") { try session.title().contains("/ 1:00") }
        try session.waitForFrame("its frame") { $0 < 900 }
        try session.press("less")
        try eventually("the first video") { try session.title().contains("/ 0:12") }
        try session.quit()
    }

    @Test func `escape closes a page first and leaves full screen next`() throws {
        let (session, _) = try startPaused()
        try session.press("f")
        try eventually("fullscreen") { try session.size() == [XServer.width, XServer.height] }
        /// The middle of the screen, where there is neither text nor a control.
        func middle() throws -> [SIMD3<UInt8>] {
            let screen = try session.display.picture()
            return (180..<500).flatMap { y in
                stride(from: 320, to: 960, by: 4).map { x in
                    let pixel = screen[x, y]
                    return SIMD3(pixel.x, pixel.y, pixel.z)
                }
            }
        }
        try eventually("the video") {
            try session.display.frameNumber(in: Self.wholeScreen) != nil
        }
        // Entering full screen takes several frames, so only the settled state is compared later.
        let plain = try eventually("it to pause") {
            let look = try middle()
            _ = session.program.wait(.milliseconds(300))
            return try middle() == look ? look : nil
        }
        try session.press("question")
        try eventually("the keys") { try middle() != plain }
        try session.press("Escape")
        try eventually("the video without them") { try middle() == plain }
        #expect(try session.size() == [XServer.width, XServer.height])
        try session.press("Escape")
        try eventually("the window") {
            try session.size() == [PlayerSession.width, PlayerSession.height]
        }
        try session.quit()
    }

    private static let wholeScreen = FrameNumberStrip.Area(
        width: Double(XServer.width), height: Double(XServer.height))

    @Test func `the video is shown alone on a second monitor, without the controls`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--output-monitor", "0")
        func seen() throws -> Int? { try session.display.frameNumber(in: Self.wholeScreen) }
        let first = try eventually("the video over the whole monitor") { try seen() }
        try session.movePointer(640, 600)
        try eventually("it to continue") { try seen() ?? 0 > first + 20 }
        // The controls do not appear there, but keys still control the player.
        try session.press("space")
        try eventually("the pause") { try session.title().hasSuffix("(paused)") }
        let frame = try eventually("it to pause") {
            let number = try seen()
            _ = session.program.wait(.milliseconds(300))
            return try seen() == number ? number : nil
        }
        let still = try session.display.picture()
        try session.movePointer(640, 650)
        try throughout(.milliseconds(600), "nothing comes") {
            try session.display.picture() == still
        }
        try session.press("Escape")
        try session.waitForFrame("the video in its window") { $0 == frame }
        // The pointer enters the window, and leaves it from there.
        try session.movePointer(Self.middle, 300)
        try session.movePointer(Self.middle, Self.buttons)
        try eventually("the controls") { try hasControls(session) }
        try session.quit()
    }

    @Test func `screenshots are named by their template`() throws {
        let film = try Films.silent(seconds: 12)
        let session = try PlayerSession(
            film, "--screenshot-template", "shots/%F %wM.%wS %{speed} %02n")
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        let seconds = try session.standingFrame() / Int(Films.framesPerSecond)
        let name = URL(fileURLWithPath: film).deletingPathExtension().lastPathComponent
        for number in ["01", "02"] {
            try session.press("s")
            let file = session.folder.appending("shots/\(name) 00.0\(seconds) 1 \(number).png")
            try eventually("screenshot \(number)") {
                FileManager.default.fileExists(atPath: file.path)
            }
        }
        try session.quit()
    }

    @Test func `a range loops`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--start", "4", "--pause")
        try session.waitForFrame("the first frame") { $0 == 120 }
        try session.press("l", "space")
        let later = try session.waitForFrame("a second more") { $0 > 150 }
        try session.press("l")
        try session.waitForFrame("the beginning of the part") { $0 < 140 }
        let end = try session.waitForFrame("its second half") { $0 > 140 }
        try session.waitForFrame("the beginning again") { $0 < end }
        try session.press("l")
        try session.waitForFrame("the video to continue") { $0 > later + 150 }
        try session.quit()
    }

    @Test func `a file loops`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 2))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("shift+l")
        for _ in 0..<2 {
            try session.waitForFrame("nearly its end") { $0 > 45 }
            try session.waitForFrame("its beginning") { $0 < 30 }
        }
        try session.quit()
    }

    @Test func `screenshots show the video or the window`() throws {
        let (session, frame) = try startPaused()
        try eventually("the text to disappear") { try !session.hasWords() }
        try session.press("s")
        try eventually("a screenshot") { !session.program.standardOutput.isEmpty }
        let film = try TestImage(contentsOf: session.folder.appending("playhead-0001.png"))
        #expect(film.width == Films.width && film.height == Films.height)
        #expect(
            film.frameNumber(
                sourceWidth: Films.width, sourceHeight: Films.height,
                in: FrameNumberStrip.Area(
                    width: Double(Films.width), height: Double(Films.height))) == frame)
        try eventually("the text to disappear") { try !session.hasWords() }
        let before = try session.shot()
        try session.pressForWords("ctrl+s")
        let file = session.folder.appending("playhead-0002.png")
        try eventually("another") { FileManager.default.fileExists(atPath: file.path) }
        #expect(try TestImage(contentsOf: file) == before)
        try session.quit()
    }

    @Test func `keys adjust the image and reset it`() throws {
        let (session, start) = try startPaused()
        var frame = start
        // The first eighth of every second is white, the rest black.
        while frame % Int(Films.framesPerSecond) < 5 {
            frame += 1
            try session.press("period")
            try session.waitForFrame("a step on") { $0 == frame }
        }
        func brightness() throws -> Int {
            let image = try session.shot()
            return Int(image[300, 330].x) + Int(image[300, 330].y) + Int(image[300, 330].z)
        }
        let before = try brightness()
        for _ in 0..<8 { try session.press("4") }
        try eventually("a brighter frame") { try brightness() > before + 20 }
        for _ in 0..<8 { try session.press("3") }
        try eventually("the original frame") { try brightness() == before }
        try session.press("alt+equal")
        try eventually("a larger frame") { try session.frameNumber() == nil }
        try session.press("alt+BackSpace")
        try eventually("the frame in its place") { try session.frameNumber() != nil }
        try session.quit()
    }

    @Test func `a video that starts paused shows its first frame until it plays`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 12), "--pause")
        try session.waitForFrame("the first frame") { $0 == 0 }
        try session.press("period")
        try session.waitForFrame("the one after it") { $0 == 1 }
        try session.press("space")
        try session.waitForFrame("it to play") { $0 > 5 }
        try session.quit()
    }

    @Test func `an idle window waits for a file and stays open after it`() throws {
        let session = try PlayerSession("--idle")
        try eventually("what to do") {
            // In the middle, which is otherwise empty.
            let image = try session.shot()
            return (120..<360).contains { image[$0, 320].x > 150 }
        }
        try session.drop(try Films.silent(seconds: 2))
        try session.waitForFrame("the video") { $0 > 2 }
        try session.waitForFrame("its last frame") { $0 == 59 }
        try session.press("less")
        try session.press("Home")
        try session.waitForFrame("its first frame") { $0 == 0 }
        try session.quit()
    }

    @Test func `an idle window stays open when a file has played up to its limit`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 12), "--idle", "--start", "1", "--duration", "0.5")
        try session.waitForFrame("the video") { $0 > 30 }
        try eventually("nothing to play") { try session.frameNumber() == nil }
        try session.drop(try Films.silent(seconds: 2))
        try session.waitForFrame("another video") { $0 > 2 }
        try session.quit()
    }

    @Test func `a cover is centred with its title`() throws {
        let folder = TemporaryFolder()
        let picture = folder.appending("cover.png").path
        let album = folder.appending("album.mp3").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=640x640:d=1", "-frames:v",
            "1", picture,
        ])
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=30:r=44100", "-i", picture,
            "-map", "0", "-map", "1", "-c:a", "libmp3lame", "-c:v", "copy", "-disposition:v",
            "attached_pic", album,
        ])
        let session = try PlayerSession(album)
        func isRed(_ x: Int, _ y: Int) throws -> Bool {
            let pixel = try session.shot()[x, y]
            return pixel.x > 200 && pixel.y < 60
        }
        try eventually("the cover") { try isRed(240, 300) }
        #expect(try !isRed(8, 320) && !isRed(472, 320))
        try eventually("the album to play") { !(try session.title().hasSuffix("(paused)")) }
        // The effect is applied to the cover only.
        let effects = try PlayerSession(album, "--effect", "vignette")
        try eventually("the frame") {
            let pixel = try effects.shot()[60, 320]
            return pixel.x > 100 && pixel.y < 60
        }
        try session.quit()
        try effects.quit()
    }

    @Test func `a loop from the start can be ended`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 2), "--loop")
        try session.waitForFrame("the end") { $0 > 50 }
        try session.waitForFrame("another round") { $0 < 30 }
        try session.press("shift+l")
        // Playback ends with its round, and the window with it.
        #expect(session.program.wait(patience) == 0)
    }

    @Test func `--display-fps paces frames with a timer`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 12), "--display-fps", "48", "--vsync", "--stats-json",
            "stats.json")
        try session.waitForFrame("some frames") { $0 > 20 }
        try session.quit()
        let data = try Data(contentsOf: session.folder.appending("stats.json"))
        let numbers = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(numbers["timing_source"] as? String == "timer")
    }

    @Test func `commands and properties can be listed`() throws {
        let result = try Tool.run("play", "--list-commands")
        result.expectSuccess()
        for words in ["playlist-next ", "loadfile FILE", "volume ", "0 to 130", "read-only"] {
            #expect(result.text.contains(words), "\(words)")
        }
    }

    @Test func `the keys can be listed`() throws {
        let result = try Tool.run("play", "--list-keys")
        result.expectSuccess()
        for words in ["space", "play, pause", "Seeking:", "Ctrl s"] {
            #expect(result.text.contains(words))
        }
    }
}
