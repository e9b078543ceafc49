// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// The window, with real keys and real pixels.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct PlayerWindowTests {
    @Test func `a video plays, pauses, resumes and quits`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        let early = try session.waitForFrame("the first frames") { $0 > 2 }
        try session.waitForFrame("the video to advance") { $0 > early + 10 }
        try session.pressForWords("space")
        let standing = try session.standingFrame()
        // Its text disappears after a second, during which a playing video would show 30 frames.
        try eventually("the text to disappear") { try !session.hasWords() }
        #expect(try session.frameNumber() == standing)
        try session.press("space")
        try session.waitForFrame("the video to continue") { $0 > standing + 5 }
        #expect(try session.title().contains(".mp4 – 0:"))
        #expect(try session.title().contains(" / 1:00"))
        try session.quit()
    }

    @Test func `keys step by frame and arrows seek by seconds`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        var frame = try session.standingFrame()
        for _ in 0..<4 {
            try session.press("period")
            frame += 1
            try session.waitForFrame("frame \(frame), a step on") { $0 == frame }
        }
        for _ in 0..<6 {
            try session.press("comma")
            frame -= 1
            try session.waitForFrame("frame \(frame), a step back") { $0 == frame }
        }
        try session.pressForWords("Right")
        try session.waitForFrame("5 seconds on") { $0 == frame + 150 }
        try session.press("shift+Right")
        try session.waitForFrame("a second on") { $0 == frame + 180 }
        try session.press("Left")
        try session.waitForFrame("5 seconds back") { $0 == frame + 30 }
        try session.press("Up")
        try session.waitForFrame("the last frame") { $0 == 1799 }
        try session.press("Home")
        try session.waitForFrame("the first frame") { $0 == 0 }
        try session.quit()
    }

    @Test func `keys change the speed and the direction`() throws {
        // Near its start, it would end when played in reverse.
        let session = try PlayerSession(try Films.silent(seconds: 60), "--start", "30")
        let early = try session.waitForFrame("the video to be under way") { $0 > 920 }
        try session.press("shift+b")
        let turned = try session.waitForFrame("the video to turn") { $0 < early }
        try session.pressForWords("shift+bracketright")
        try session.waitForFrame("it to go back") { $0 < turned - 20 }
        try session.press("BackSpace")
        try session.press("space")
        try session.quit()
    }

    @Test func `keys control effects, volume and statistics`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--effect", "checkerboard")
        // The effect hides the video.
        try eventually("the checkerboard") { try session.shot()[200, 320].x > 0 }
        #expect(try session.frameNumber() == nil)
        try session.press("e")
        try session.waitForFrame("the video without the effect") { $0 > 2 }
        try session.press("space")
        _ = try session.standingFrame()
        for key in ["m", "9", "0"] {
            try eventually("the previous text to disappear") { try !session.hasWords() }
            try session.pressForWords(key)
        }
        try eventually("the text to disappear") { try !session.hasWords() }
        try session.press("i")
        try eventually("the statistics") { try session.hasWords() }
        // Longer than the message about the last action is shown.
        try throughout(.milliseconds(1300), "the statistics stay") { try session.hasWords() }
        try session.press("i")
        try eventually("the statistics to disappear") { try !session.hasWords() }
        try session.quit()
    }

    @Test func `the window enters full screen and is resized during playback`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60), hasSize: false)
        // The size of the video.
        try eventually("the video's size") { try session.size() == [Films.width, Films.height] }
        func number(_ width: Int, _ height: Int) throws -> Int? {
            try session.display.frameNumber(
                in: FrameNumberStrip.Area(width: Double(width), height: Double(height)))
        }
        var last = try eventually("the video") { try number(Films.width, Films.height) }
        try session.press("f")
        try eventually("fullscreen") { try session.size() == [XServer.width, XServer.height] }
        last = try eventually("the video over the screen") {
            try number(XServer.width, XServer.height).flatMap { $0 > last ? $0 : nil }
        }
        try session.press("f")
        try eventually("the window") { try session.size() == [Films.width, Films.height] }
        try session.display.xdotool("windowsize", session.window, "640", "360")
        last = try eventually("the video in its new size") {
            try number(640, 360).flatMap { $0 > last + 10 ? $0 : nil }
        }
        try session.quit()
    }

    @Test
    func
        `files play one after another, broken ones are skipped, and the last one ends the program`()
        throws
    {
        let broken = TemporaryFolder().appending("broken.mp4").path
        let film = try Films.silent(seconds: 20)
        // Each starts there, and is visible for five seconds before the middle and five after it.
        let session = try PlayerSession(film, broken, film, "--start", "10")
        try session.waitForFrame("the first video's end") { $0 >= 450 }
        try session.waitForFrame("the second video") { $0 < 450 }
        #expect(session.program.wait(patience) == 2)
        let lines = session.program.standardError.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(broken) == true)
    }

    @Test func `broken files are skipped in the direction of travel`() throws {
        let broken = TemporaryFolder().appending("broken.mp4").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), broken, try Films.silent(seconds: 12), "--pause")
        func film(_ length: String) throws {
            try eventually("a video of \(length)") { try session.title().contains(" / \(length)") }
        }
        try film("1:00")
        for _ in 0..<2 {
            try session.press("greater")
            try film("0:12")
            try session.press("less")
            try film("1:00")
        }
        // Exits with 2, because of the broken one.
        try session.press("q")
        #expect(session.program.wait(patience) == 2)
        #expect(session.program.standardError.contains(broken))
    }

    @Test func `audio without video plays over a text page`() throws {
        let session = try PlayerSession(try Films.sound(seconds: 8), "--pause")
        try eventually("text in the middle") {
            let image = try session.shot()
            return (200..<440).contains { row in
                (0..<PlayerSession.width).contains { image[$0, row].y > 200 }
            }
        }
        try session.press("space")
        #expect(session.program.wait(patience) == 0)
        #expect(session.program.standardError.contains("it has no video; playing its audio"))
    }

    @Test func `a broken effect is reported and the video plays without it`() throws {
        let folder = TemporaryFolder()
        let effect = folder.appending("broken.fs")
        try Data(
            """
            /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = nothing; }
            """.utf8
        ).write(to: effect)
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--effect", effect.path)
        try session.waitForFrame("the video") { $0 > 2 }
        try session.press("q")
        #expect(session.program.wait(patience) == 4)
        let lines = session.program.standardError.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("broken.fs:2:") == true)
    }

    @Test func `dropped files play, and a broken one is reported`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60), "--start", "30")
        try session.waitForFrame("the first video") { $0 >= 900 }
        let folder = TemporaryFolder()
        let name = "dropped film ü.mp4"
        let dropped = folder.appending(name)
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 60), toPath: dropped.path)
        try session.drop(dropped.path)
        try session.waitForFrame("the dropped video") { $0 < 900 }
        try eventually("its name as title") { try session.title().hasPrefix(name) }
        let broken = folder.appending("broken.mp4")
        try Data("broken".utf8).write(to: broken)
        try session.drop(broken.path)
        try eventually("its line") { session.program.standardError.contains(broken.path) }
        // It stays open for the next file.
        try session.drop(dropped.path)
        try session.waitForFrame("the dropped video again") { $0 < 900 }
        try session.press("q")
        #expect(session.program.wait(patience) == 2)
    }

    @Test func `a minimised window draws nothing while playback continues`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.setMinimised(true)
        // For a second, in which a visible video shows 30 frames.
        let hidden = try eventually("drawing to stop") {
            let before = try session.frameNumber()
            _ = session.program.wait(.seconds(1))
            return try session.frameNumber() == before ? before : nil
        }
        try session.setMinimised(false)
        try session.waitForFrame("the video, a second on") { $0 >= hidden + 30 }
        try session.quit()
    }

    @Test func `a paused window uses next to no processor time`() throws {
        let session = try PlayerSession(try Films.silent(seconds: 60))
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        _ = try session.standingFrame()
        try eventually("the text to disappear") { try !session.hasWords() }
        // The controls disappear, and drawing continues for half a second; then everything sleeps.
        let used = try eventually("two seconds of sleep") {
            let before = try session.processorTime()
            #expect(session.program.wait(.seconds(2)) == nil)
            let used = try session.processorTime() - before
            return used <= 60 ? used : nil
        }
        print("processor time of two paused seconds:", used, "ms")
        try session.quit()
    }
}
