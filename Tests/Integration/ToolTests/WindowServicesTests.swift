// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import Testing

/// Services of a window: subtitle keys, resume positions, keys in the terminal.
@Suite(
    .serialized,
    .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct WindowServicesTests {
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
    }

    /// Returns whether the lower part of the frame has letters, which are white with a dark
    /// outline.
    private func hasSubtitles(_ session: PlayerSession, than plain: TestImage) throws -> Bool {
        let shot = try session.shot()
        let top = Int(PlayerSession.picture.y + PlayerSession.picture.height * 0.75)
        let bottom = Int(PlayerSession.picture.y + PlayerSession.picture.height)
        let range = top * shot.width * 4..<bottom * shot.width * 4
        return shot.pixels[range] != plain.pixels[range]
    }

    @Test func `subtitle files beside a video are shown, v hides them, and j cycles through them`()
        throws
    {
        let film = folder.appending("film.mp4").path
        try FileManager.default.copyItem(atPath: try Films.silent(seconds: 60), toPath: film)
        let text = "1\n00:00:00,000 --> 00:01:00,000\nWords that stay\n\n"
        try Data(text.utf8).write(to: folder.appending("film.srt"))
        let session = try PlayerSession(film, environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        _ = try session.standingFrame()
        try eventually("the text to disappear") { try !session.hasWords() }
        try session.pressForWords("v")
        try eventually("the text to disappear") { try !session.hasWords() }
        let plain = try session.shot()
        try session.press("v")
        try eventually("subtitles") { try hasSubtitles(session, than: plain) }
        try session.press("j")
        try eventually("no subtitles") { try !hasSubtitles(session, than: plain) }
        try session.press("j")
        try eventually("subtitles again") { try hasSubtitles(session, than: plain) }
        try session.quit()
    }

    @Test func `a part beyond the end is reported`() throws {
        let display = try XServer()
        let film = try Films.silent(seconds: 2)
        try Tool.run(
            "play", film, "--mute", "--ab-loop", "1:00-1:30",
            environment: ["DISPLAY": display.name, "XDG_CONFIG_HOME": folder.url.path]
        ).expectError(2, saying: [film, "--ab-loop 1:00.000-1:30.000 is beyond the end at 0:02"])
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `messages are printed above the status line`() throws {
        let (display, log) = (try XServer(), folder.appending("log"))
        let film = try Films.silent(seconds: 60)
        let command = "'\(Tool.path)' play '\(film)' --mute --size 320x240 --no-resume"
        let program = try ChildProcess(
            ["script", "-qfec", command, log.path],
            environment: Tool.bare.merging(environment) { $1 }
                .merging(["DISPLAY": display.name, "TERM": "xterm"]) { $1 },
            directory: folder.url)
        func text() -> String {
            String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
        }
        try eventually("the line") { text().contains(" / 1:00 (") }
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "s")
        try eventually("the name of an image") { text().contains(".png") }
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0, "\(text())")
        let path = try #require(text().firstRange(of: "playhead-0001.png\r\n"))
        // At the beginning of an empty line, with the status line below it.
        #expect(text()[..<path.lowerBound].hasSuffix("\r\u{1B}[K"), "\(text())")
        let below = text()[path.upperBound...].prefix { $0 != "\r" }
        #expect(below.contains(" / 1:00 ("), "\(text())")
        // In a narrower terminal it still is one line.
        let lines = text().split(separator: "\u{1B}[?7l")
        #expect(lines.count > 2)
        for line in lines.dropFirst() {
            let shown = line.firstRange(of: "\u{1B}[?7h").map { line[..<$0.lowerBound] }
            #expect(shown?.contains(" / 1:00 (") == true, "\(line)")
        }
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `a terminal that cannot erase lines gets no status line`() throws {
        let film = try Films.silent(seconds: 60)
        for (terminal, shows) in [("xterm", true), ("dumb", false)] {
            let output = folder.appending("out.mp4").path
            let command = "'\(Tool.path)' render '\(film)' -o '\(output)' --size 64x36 --mute"
            let result = try ProcessRunner.run(
                ["script", "-qfec", command, "/dev/null"],
                environment: Tool.bare.merging(["TERM": terminal]) { $1 })
            #expect(result.text.contains(" fps") == shows, "\(terminal)")
            #expect(result.text.contains("1800 frames to"), "\(terminal)")
        }
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `keys in the terminal work while media is read from standard input`()
        throws
    {
        let film = try Films.silent(seconds: 60)
        let terminal = try TerminalSession(
            "ffmpeg -nostdin -v error -i '\(film)' -c copy -f matroska - "
                + "| '\(Tool.path)' play - --mute --size 320x240",
            folder: folder, environment: environment)
        try eventually("the line") { terminal.text.contains("0:01") }
        try terminal.type(" ")
        try eventually("a pause") { terminal.text.contains("(paused)") }
        try terminal.type("q")
        #expect(terminal.program.wait(patience) == 0, "\(terminal.text)")
    }

    @Test(
        .enabled(
            if: ProcessRunner.has("script") && ProcessRunner.has("bash"), "needs script and bash"))
    func `keys work again after a program stopped by Ctrl-Z resumes`() throws {
        let film = try Films.silent(seconds: 60)
        // Meanwhile the terminal has its original mode, and a shell may set a mode of its own.
        let play =
            "'\(Tool.path)' play '\(film)' --mute --size 320x240 --no-resume; "
            + "stty -a | grep -q ' icanon' && echo went on; stty icanon echo; fg"
        let terminal = try TerminalSession(
            "bash --norc -mc \"\(play)\"", folder: folder, environment: environment)
        try eventually("the line") { terminal.text.contains("0:01") }
        try terminal.type("\u{1A}")
        try eventually("the shell") { terminal.text.contains("went on\r\n") }
        try terminal.type(" ")
        try eventually("a pause") {
            let text = terminal.text
            return text.firstRange(of: "went on").map { text[$0.upperBound...] }?
                .contains("(paused)") == true
        }
        try terminal.type("q")
        #expect(terminal.program.wait(patience) == 0, "\(terminal.text)")
    }

    @Test func `Q saves the position and playback resumes there`() throws {
        // Positions near the end of a video are not kept.
        let film = try Films.silent(seconds: 60)
        var session = try PlayerSession(film, environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("Right")
        try session.waitForFrame("5 seconds on") { $0 > 152 }
        try session.press("space")
        let frame = try session.standingFrame()
        try session.press("shift+q")
        #expect(session.program.wait(patience) == 0)
        session = try PlayerSession(film, environment: environment)
        let number = try session.waitForFrame("the video to continue") { $0 > 2 }
        #expect(number >= frame - 1)
        try session.quit()
        // The position is restored once: after q, the file starts from its beginning.
        session = try PlayerSession(film, "--pause", environment: environment)
        try session.waitForFrame("the beginning") { $0 == 0 }
        try session.quit()
    }

    /// Writes key bindings to the place where the player reads them.
    private func bind(_ lines: String) throws {
        let file = folder.appending("playhead/keys.conf")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(lines.utf8).write(to: file)
    }

    @Test func `a stopped file plays again on request while the window stays`() throws {
        try bind("y stop\nx set pause no\nz seek 30 absolute exact\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the video") { $0 > 2 }
        try session.press("z")
        try session.waitForFrame("its second half") { $0 >= 900 }
        try session.press("y")
        try eventually("no video") { try session.frameNumber() == nil }
        try session.press("x")
        let beginning = try session.waitForFrame("its beginning") { $0 < 900 }
        try session.waitForFrame("it to play") { $0 > beginning }
        try session.quit()
    }

    @Test func `append-play plays if nothing else does`() throws {
        let (film, other) = (folder.appending("film.mp4"), folder.appending("other.mp4"))
        for (url, seconds) in [(film, 2), (other, 60)] {
            try FileManager.default.copyItem(
                at: URL(filePath: try Films.silent(seconds: seconds)), to: url)
        }
        try bind("y loadfile \(other.path) append\nx loadfile \(other.path) append-play\n")
        let session = try PlayerSession(film.path, "--idle", environment: environment)
        try eventually("the end") { try session.title().contains("0:02 / 0:02") }
        try session.pressForWords("y")
        #expect(try session.title().contains("film"))
        try session.press("x")
        try session.waitForFrame("the other") { $0 > 60 }
        #expect(try session.title().contains("other"))
        try session.quit()
    }

    @Test func `two playlist steps in one turn advance two files`() throws {
        try bind("y playlist-next; playlist-next\n")
        let films = try (0..<3).map { number in
            let film = folder.appending("film \(number).mp4")
            try FileManager.default.copyItem(
                at: URL(filePath: try Films.silent(seconds: 60)), to: film)
            return film.path
        }
        let session = try PlayerSession(films[0], films[1], films[2], environment: environment)
        try session.waitForFrame("the first video") { $0 > 2 }
        try session.press("y")
        try eventually("the third video") { try session.title().contains("film 2") }
        try session.quit()
    }

    @Test func `keys of the user's file apply`() throws {
        try bind("y seek 5 exact\nnonsense\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("y")
        try session.waitForFrame("5 seconds on") { $0 > 150 }
        try session.quit()
        #expect(session.program.standardError.contains("keys.conf, line 2"))
    }

    @Test(arguments: [
        ("quit 4", 4), ("quit-watch-later 7", 7), ("quit 0", 0), ("quit", 0),
    ])
    func `the program exits with the status of quit`(command: String, status: Int32)
        throws
    {
        try bind("y \(command)\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("y")
        #expect(session.program.wait(patience) == status, "\(session.program.standardError)")
    }

    @Test func `keypress performs the key's binding`() throws {
        try bind("y keypress x\nx seek 5 exact\nz keypress z\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        // A binding that presses itself comes to an end.
        try session.press("z")
        try session.press("y")
        try session.waitForFrame("5 seconds on") { $0 > 150 }
        try session.quit()
    }
}
