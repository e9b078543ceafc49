// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import Testing

/// What a window has around it: subtitles by keys, places where films were left, sockets, keys in the
/// terminal.
@Suite(
    .serialized,
    .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(5)))
struct WindowServicesTests {
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
    }

    /// Whether the lower part of the picture has letters, which are white on a dark outline.
    private func hasSubtitles(_ session: PlayerSession, than plain: TestImage) throws -> Bool {
        let shot = try session.shot()
        let top = Int(PlayerSession.picture.y + PlayerSession.picture.height * 0.75)
        let bottom = Int(PlayerSession.picture.y + PlayerSession.picture.height)
        let range = top * shot.width * 4..<bottom * shot.width * 4
        return shot.pixels[range] != plain.pixels[range]
    }

    @Test func `subtitles beside a film are seen, v hides them, and j goes through them`() throws {
        let film = folder.appending("film.mp4").path
        try FileManager.default.copyItem(atPath: try Films.silent(seconds: 12), toPath: film)
        let text = "1\n00:00:00,000 --> 00:00:12,000\nWords that stay\n\n"
        try Data(text.utf8).write(to: folder.appending("film.srt"))
        let session = try PlayerSession(film, environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("space")
        _ = try session.standingFrame()
        try eventually("the words to go") { try !session.hasWords() }
        try session.pressForWords("v")
        try eventually("the words to go") { try !session.hasWords() }
        let plain = try session.shot()
        try session.press("v")
        try eventually("subtitles") { try hasSubtitles(session, than: plain) }
        try session.press("j")
        try eventually("no subtitles") { try !hasSubtitles(session, than: plain) }
        try session.press("j")
        try eventually("subtitles again") { try hasSubtitles(session, than: plain) }
        try session.quit()
    }

    @Test func `a part beyond the film's end is told`() throws {
        let display = try XServer()
        let film = try Films.silent(seconds: 2)
        try Tool.run(
            "play", film, "--mute", "--ab-loop", "1:00-1:30",
            environment: ["DISPLAY": display.name, "XDG_CONFIG_HOME": folder.url.path]
        ).expectError(2, saying: [film, "--ab-loop 1:00.000-1:30.000 is beyond its end at 0:02"])
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `what is said stands above the line in the terminal`() throws {
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
        try eventually("the name of a picture") { text().contains(".png") }
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0, "\(text())")
        let path = try #require(text().firstRange(of: "playhead-0001.png\r\n"))
        // At the beginning of a line that is empty, and the line at the bottom below it.
        #expect(text()[..<path.lowerBound].hasSuffix("\r\u{1B}[K"), "\(text())")
        let below = text()[path.upperBound...].prefix { $0 != "\r" }
        #expect(below.contains(" / 1:00 ("), "\(text())")
        // In a terminal that is narrower it stays one line all the same.
        let lines = text().split(separator: "\u{1B}[?7l")
        #expect(lines.count > 2)
        for line in lines.dropFirst() {
            let shown = line.firstRange(of: "\u{1B}[?7h").map { line[..<$0.lowerBound] }
            #expect(shown?.contains(" / 1:00 (") == true, "\(line)")
        }
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `a terminal that cannot take lines back is given none that would have to be`() throws {
        let film = try Films.silent(seconds: 60)
        for (terminal, shows) in [("xterm", true), ("dumb", false)] {
            let output = folder.appending("out.mp4").path
            let command = "'\(Tool.path)' render '\(film)' -o '\(output)' --size 64x36 --mute"
            let result = try ProcessRunner.run(
                ["script", "-qfec", command, "/dev/null"],
                environment: Tool.bare.merging(["TERM": terminal]) { $1 })
            #expect(result.text.contains("frames a second") == shows, "\(terminal)")
            #expect(result.text.contains("1800 frames to"), "\(terminal)")
        }
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `keys that are pressed in the terminal count, though the film comes on standard input`()
        throws
    {
        let (display, log) = (try XServer(), folder.appending("log"))
        let (film, keys) = (try Films.silent(seconds: 60), folder.appending("keys").path)
        #expect(mkfifo(keys, 0o600) == 0)
        let command =
            "ffmpeg -nostdin -v error -i '\(film)' -c copy -f matroska - "
            + "| '\(Tool.path)' play - --mute --size 320x240"
        let program = try ChildProcess(
            ["sh", "-c", "exec script -qfec \"$0\" \"$1\" < \"$2\"", command, log.path, keys],
            environment: Tool.bare.merging(environment) { $1 }
                .merging(["DISPLAY": display.name, "TERM": "xterm"]) { $1 },
            directory: folder.url)
        let terminal = try #require(FileHandle(forWritingAtPath: keys))
        func text() -> String {
            String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
        }
        try eventually("the line") { text().contains("0:01") }
        try terminal.write(contentsOf: Data(" ".utf8))
        try eventually("a pause") { text().contains("(paused)") }
        try terminal.write(contentsOf: Data("q".utf8))
        #expect(program.wait(patience) == 0, "\(text())")
        try terminal.close()
    }

    @Test func `Q remembers where the film was, and it goes on there`() throws {
        // Places near a film's end are not kept.
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
        let number = try session.waitForFrame("the film to go on") { $0 > 2 }
        #expect(number >= frame - 1)
        try session.quit()
        // It goes on once: what is left by q begins anew.
        session = try PlayerSession(film, environment: environment)
        try session.waitForFrame("the beginning") { (0..<150).contains($0) }
        try session.quit()
    }

    @Test func `a socket is there while the window is, and a signal ends both well`() throws {
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--ipc", socket, environment: environment)
        try eventually("a socket") { FileManager.default.fileExists(atPath: socket) }
        kill(session.program.identifier, SIGTERM)
        #expect(session.program.wait(patience) == 0, "\(session.program.standardError)")
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test(
        .enabled(if: ProcessRunner.has("python3"), "needs python3"),
        arguments: [
            ("list.m3u", "#EXTM3U\n#EXTINF:60,The first, of two\nfilm.mp4\nfilm.mp4\n"),
            ("list.pls", "[playlist]\nFile1=film.mp4\nTitle1=The first, of two\nFile2=film.mp4\n"),
        ])
    func `films are called what their playlist calls them`(list: (name: String, text: String))
        throws
    {
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 60), toPath: folder.appending("film.mp4").path)
        let (file, socket) = (folder.appending(list.name), folder.appending("socket").path)
        try Data(list.text.utf8).write(to: file)
        let session = try PlayerSession(file.path, "--ipc", socket, environment: environment)
        try eventually("a socket") { FileManager.default.fileExists(atPath: socket) }
        let titles = try ask(
            #"["get_property", "playlist"]"#, of: socket,
            printing: #"[entry.get("title") for entry in answer["data"]]"#)
        #expect(titles == "['The first, of two', None]\n")
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `of a film without subtitles and sound both are off, and can be switched off`() throws {
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--ipc", socket, environment: environment)
        try session.waitForFrame("the film") { $0 > 2 }
        for name in ["sid", "aid"] {
            #expect(try ask(#"["get_property", "\#(name)"]"#, of: socket) == "False\n")
            let set = #"["set_property", "\#(name)", false]"#
            #expect(try ask(set, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `the words of subtitles are told, whether they are seen or not`() throws {
        let (words, socket) = (folder.appending("words.srt"), folder.appending("socket").path)
        let text = "1\n00:00:10,000 --> 00:00:20,000\n<i>First</i> row\nsecond\n"
        try Data(text.utf8).write(to: words)
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--pause", "--sub", words.path, "--ipc", socket,
            environment: environment)
        try session.waitForFrame("the film") { $0 == 0 }
        func told() throws -> String {
            try ask(
                #"["get_property", "sub-text"]"#, of: socket,
                printing: #"answer.get("data", answer["error"])"#)
        }
        func perform(_ command: String) throws {
            _ = try ask(command, of: socket, printing: #"answer["error"]"#)
        }
        try perform(#"["seek", 15, "absolute", "exact"]"#)
        try eventually("words") { try told() == "First row\nsecond\n" }
        try perform(#"["set_property", "sub-visibility", false]"#)
        #expect(try told() == "First row\nsecond\n")
        try perform(#"["set_property", "sub-delay", 10]"#)
        #expect(try told() == "\n")
        try perform(#"["set_property", "sid", false]"#)
        try eventually("none") { try told() == "property unavailable\n" }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `what is appended of a list or a folder is what it holds`() throws {
        let films = folder.appending("films")
        try FileManager.default.createDirectory(at: films, withIntermediateDirectories: true)
        for name in ["1.mp4", "2.mp4"] {
            try FileManager.default.copyItem(
                atPath: try Films.silent(seconds: 60), toPath: films.appending(path: name).path)
        }
        let (list, socket) = (folder.appending("list.m3u"), folder.appending("socket").path)
        try Data("films/2.mp4\nfilms/1.mp4\n".utf8).write(to: list)
        let session = try PlayerSession("--idle", "--ipc", socket, environment: environment)
        try eventually("a socket") { FileManager.default.fileExists(atPath: socket) }
        for (path, mode) in [(list.path, "append-play"), (films.path, "append")] {
            let command = #"["loadfile", "\#(path)", "\#(mode)"]"#
            #expect(
                try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        let names = #"[entry["filename"][-5:] for entry in answer["data"]]"#
        #expect(
            try ask(#"["get_property", "playlist"]"#, of: socket, printing: names)
                == "['2.mp4', '1.mp4', '1.mp4', '2.mp4']\n")
        // The first of what was appended plays.
        #expect(try ask(#"["get_property", "playlist-pos"]"#, of: socket) == "0\n")
        let empty = folder.appending("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let command = #"["loadfile", "\#(empty.path)", "append"]"#
        #expect(
            try ask(command, of: socket, printing: #"answer["error"]"#)
                == "error running command\n")
        try session.display.xdotool("key", "q")
        #expect(session.program.wait(patience) == 2)
        #expect(session.program.standardError.contains("there is no film in this directory"))
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `films are taken out of the playlist and put elsewhere while one of them plays`() throws {
        try FileManager.default.createDirectory(
            at: folder.appending("films"), withIntermediateDirectories: true)
        for number in 0..<5 {
            try FileManager.default.copyItem(
                atPath: try Films.silent(seconds: 60),
                toPath: folder.appending("films/\(number).mp4").path)
        }
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            folder.appending("films").path, "--ipc", socket, environment: environment)
        try session.waitForFrame("the first film") { $0 > 2 }
        /// Does something to the list, and tells its films, the one that plays in brackets.
        func list(after command: String) throws -> String {
            #expect(
                try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
            let name = #"("[%s]" if film.get("current") else "%s") % film["filename"][-5]"#
            return try ask(
                #"["get_property", "playlist"]"#, of: socket,
                printing: #"" ".join(\#(name) for film in answer["data"])"#)
        }
        #expect(try list(after: #"["playlist-move", 0, 3]"#) == "1 2 [0] 3 4\n")
        #expect(try list(after: #"["playlist-move", 4, 0]"#) == "4 1 2 [0] 3\n")
        #expect(try list(after: #"["playlist-remove", 1]"#) == "4 2 [0] 3\n")
        #expect(try list(after: #"["playlist-move", 0, 4]"#) == "2 [0] 3 4\n")
        try session.waitForFrame("that it goes on") { $0 > 30 }
        // Of the one that plays the next is played.
        #expect(try list(after: #"["playlist-remove", "current"]"#) == "2 [3] 4\n")
        try session.waitForFrame("its beginning") { $0 < 30 }
        // What was to come is another now.
        #expect(try list(after: #"["playlist-move", 0, 2]"#) == "[3] 2 4\n")
        #expect(try list(after: #"["playlist-next"]"#) == "3 [2] 4\n")
        try eventually("its title") { try session.title().contains("2.mp4") }
        let refusal = try ask(
            #"["playlist-remove", 3]"#, of: socket, printing: #"answer["error"]"#)
        #expect(refusal != "success\n")
        #expect(try list(after: #"["playlist-clear"]"#) == "[2]\n")
        #expect(try list(after: #"["playlist-shuffle"]"#) == "[2]\n")
        try session.waitForFrame("that it goes on") { $0 > 30 }
        #expect(try list(after: #"["playlist-remove", 0]"#) == "\n")
        try eventually("no film") { try session.frameNumber() == nil }
        try session.quit()
    }

    /// What a program on a socket is answered.
    private func ask(
        _ command: String, of socket: String, printing expression: String = #"answer["data"]"#
    ) throws -> String {
        let script = """
            import json, socket, sys
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(sys.argv[1])
            command = '{"command": ' + sys.argv[2] + ', "request_id": 1}\\n'
            connection.sendall(command.encode())
            for line in connection.makefile():
                answer = json.loads(line)
                if answer.get("request_id") == 1:
                    print(\(expression))
                    break
            """
        return try ProcessRunner.check(["python3", "-c", script, socket, command]).text
    }

    /// Writes what keys do, where the player looks for it.
    private func bind(_ lines: String) throws {
        let file = folder.appending("playhead/keys.conf")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(lines.utf8).write(to: file)
    }

    @Test func `what is stopped plays anew when it is asked to, and the window stays`() throws {
        try bind("y stop\nx set pause no\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the film") { $0 > 30 }
        try session.press("y")
        try eventually("no film") { try session.frameNumber() == nil }
        try session.press("x")
        try session.waitForFrame("its beginning") { $0 < 30 }
        try session.waitForFrame("that it plays") { $0 > 30 }
        try session.quit()
    }

    @Test func `of two ways to append one plays where nothing does`() throws {
        let (film, other) = (folder.appending("film.mp4"), folder.appending("other.mp4"))
        for (url, seconds) in [(film, 2), (other, 60)] {
            try FileManager.default.copyItem(
                at: URL(filePath: try Films.silent(seconds: seconds)), to: url)
        }
        try bind("y loadfile \(other.path) append\nx loadfile \(other.path) append-play\n")
        let session = try PlayerSession(film.path, "--idle", environment: environment)
        try eventually("the end") { try session.title().contains("0:02 / 0:02") }
        try session.press("y")
        try eventually("words") { try session.hasWords() }
        #expect(try session.title().contains("film"))
        try session.press("x")
        try session.waitForFrame("the other") { $0 > 60 }
        #expect(try session.title().contains("other"))
        try session.quit()
    }

    @Test func `two steps in one go lead two films on`() throws {
        try bind("y playlist-next; playlist-next\n")
        let films = try (0..<3).map { number in
            let film = folder.appending("film \(number).mp4")
            try FileManager.default.copyItem(
                at: URL(filePath: try Films.silent(seconds: 60)), to: film)
            return film.path
        }
        let session = try PlayerSession(films[0], films[1], films[2], environment: environment)
        try session.waitForFrame("the first film") { $0 > 2 }
        try session.press("y")
        try eventually("the third film") { try session.title().contains("film 2") }
        try session.quit()
    }

    @Test func `keys of the user's file count`() throws {
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
    func `the program ends with the status that it was told to`(command: String, status: Int32)
        throws
    {
        try bind("y \(command)\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        try session.press("y")
        #expect(session.program.wait(patience) == status, "\(session.program.standardError)")
    }

    @Test func `what presses a key does what the key is bound to`() throws {
        try bind("y keypress x\nx seek 5 exact\nz keypress z\n")
        let session = try PlayerSession(try Films.silent(seconds: 60), environment: environment)
        try session.waitForFrame("the first frames") { $0 > 2 }
        // One that presses itself comes to an end.
        try session.press("z")
        try session.press("y")
        try session.waitForFrame("5 seconds on") { $0 > 150 }
        try session.quit()
    }
}
