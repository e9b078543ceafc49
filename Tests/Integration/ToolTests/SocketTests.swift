// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import Testing

/// The socket of `--ipc`, used like programs written for mpv's.
@Suite(
    .serialized,
    .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct SocketTests {
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
    }

    @Test func `the socket exists as long as the window, and a signal removes both`() throws {
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
            (
                "list.xspf",
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <playlist xmlns="http://xspf.org/ns/0/" version="1"><title>All</title>
                <!-- <track><location>gone.mp4</location></track> --><trackList>
                <track><title>The first,
                  of two</title><location>film.mp4</location></track><track/>
                <track><location><![CDATA[./film.mp4]]></location><title/></track></trackList>
                </playlist>
                """
            ),
        ])
    func `titles come from the playlist`(list: (name: String, text: String))
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
    func `missing subtitles and audio are off, and turning them off is allowed`() throws {
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--ipc", socket, environment: environment)
        try session.waitForFrame("the video") { $0 > 2 }
        for name in ["sid", "aid"] {
            #expect(try ask(#"["get_property", "\#(name)"]"#, of: socket) == "False\n")
            let set = #"["set_property", "\#(name)", false]"#
            #expect(try ask(set, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `subtitle text is available, visible or not`() throws {
        let (words, socket) = (folder.appending("words.srt"), folder.appending("socket").path)
        let text = "1\n00:00:10,000 --> 00:00:20,000\n<i>First</i> row\nsecond\n"
        try Data(text.utf8).write(to: words)
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--pause", "--sub", words.path, "--ipc", socket,
            environment: environment)
        try session.waitForFrame("the video") { $0 == 0 }
        func reported() throws -> String {
            try ask(
                #"["get_property", "sub-text"]"#, of: socket,
                printing: #"answer.get("data", answer["error"])"#)
        }
        func perform(_ command: String) throws {
            _ = try ask(command, of: socket, printing: #"answer["error"]"#)
        }
        try perform(#"["seek", 15, "absolute", "exact"]"#)
        try eventually("text") { try reported() == "First row\nsecond\n" }
        try perform(#"["set_property", "sub-visibility", false]"#)
        #expect(try reported() == "First row\nsecond\n")
        try perform(#"["set_property", "sub-delay", 10]"#)
        #expect(try reported() == "\n")
        try perform(#"["set_property", "sid", false]"#)
        try eventually("none") { try reported() == "property unavailable\n" }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `sub-add answers with an error if there are no subtitles in the file`() throws {
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--ipc", socket, environment: environment)
        try eventually("a socket") { FileManager.default.fileExists(atPath: socket) }
        let cue = "1\n00:00:01,000 --> 00:00:02,000\nWords\n"
        for (name, text, answer) in [
            ("cues.srt", cue, "success"),
            ("words.srt", "No cues here.\n", "error running command"),
            ("empty.srt", "", "error running command"),
            ("gone.srt", nil, "error running command"),
        ] as [(String, String?, String)] {
            let path = folder.appending(name)
            if let text { try Data(text.utf8).write(to: path) }
            let command = #"["sub-add", "\#(path.path)"]"#
            let expression = #"str(answer["error"]) + " " + str(answer.get("message", ""))"#
            let result = try ask(command, of: socket, printing: expression)
            #expect(result.hasPrefix(answer), "\(name): \(result)")
            if answer != "success" { #expect(result.contains(name), "\(result)") }
        }
        let count = #"sum(track["type"] == "sub" for track in answer["data"])"#
        #expect(try ask(#"["get_property", "track-list"]"#, of: socket, printing: count) == "1\n")
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `appending a playlist or a directory adds its contents`() throws {
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
        // The first appended entry plays.
        #expect(try ask(#"["get_property", "playlist-pos"]"#, of: socket) == "0\n")
        let empty = folder.appending("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let command = #"["loadfile", "\#(empty.path)", "append"]"#
        #expect(
            try ask(command, of: socket, printing: #"answer["error"]"#)
                == "error running command\n")
        try session.display.xdotool("key", "q")
        #expect(session.program.wait(patience) == 2)
        #expect(session.program.standardError.contains("the directory contains no media files"))
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `in reverse, the previous and the next file begin at their ends`() throws {
        let socket = folder.appending("socket").path
        let film = try Films.silent(seconds: 60)
        let session = try PlayerSession(
            film, film, "--ipc", socket, environment: environment)
        try session.waitForFrame("the first video") { $0 > 2 }
        func perform(_ command: String) throws {
            #expect(
                try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        try perform(#"["playlist-next"]"#)
        #expect(try ask(#"["get_property", "playlist-pos"]"#, of: socket) == "1\n")
        try session.waitForFrame("its beginning") { $0 < 900 }
        try perform(#"["set_property", "speed", -1]"#)
        try perform(#"["playlist-prev"]"#)
        try session.waitForFrame("the end of the first video") { $0 > 900 }
        #expect(try ask(#"["get_property", "playlist-pos"]"#, of: socket) == "0\n")
        try perform(#"["seek", 0, "absolute"]"#)
        // At its start, playback continues with the end of the next file.
        try eventually("the next video") {
            try ask(#"["get_property", "playlist-pos"]"#, of: socket) == "1\n"
        }
        try session.waitForFrame("its end") { $0 > 900 }
        try perform(#"["set_property", "speed", 1]"#)
        try perform(#"["playlist-prev"]"#)
        try session.waitForFrame("the beginning of the first video") { $0 < 900 }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `playlist entries are removed and moved during playback`() throws {
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
        try session.waitForFrame("the first video") { $0 > 2 }
        /// Runs a command on the playlist, and returns its entries, with the current one in
        /// brackets.
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
        let seek = #"["seek", 30, "absolute", "exact"]"#
        #expect(try ask(seek, of: socket, printing: #"answer["error"]"#) == "success\n")
        try session.waitForFrame("it to continue") { $0 > 900 }
        // After the current entry, the next one plays.
        #expect(try list(after: #"["playlist-remove", "current"]"#) == "2 [3] 4\n")
        try session.waitForFrame("its beginning") { $0 < 900 }
        // The next entry is another one now.
        #expect(try list(after: #"["playlist-move", 0, 2]"#) == "[3] 2 4\n")
        #expect(try list(after: #"["playlist-next"]"#) == "3 [2] 4\n")
        try eventually("its title") { try session.title().contains("2.mp4") }
        let refusal = try ask(
            #"["playlist-remove", 3]"#, of: socket, printing: #"answer["error"]"#)
        #expect(refusal != "success\n")
        #expect(try list(after: #"["playlist-clear"]"#) == "[2]\n")
        #expect(try list(after: #"["playlist-shuffle"]"#) == "[2]\n")
        try session.waitForFrame("it to continue") { $0 > 30 }
        #expect(try list(after: #"["playlist-remove", 0]"#) == "\n")
        try eventually("no video") { try session.frameNumber() == nil }
        try session.quit()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `print-text writes to standard output`() throws {
        let socket = folder.appending("socket").path
        let session = try PlayerSession(
            try Films.silent(seconds: 60), "--pause", "--volume", "40", "--ipc", socket,
            environment: environment)
        try session.waitForFrame("the video") { $0 == 0 }
        let command = #"["expand-properties", "print-text", "${volume} $$ ${duration}"]"#
        #expect(try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
        // Programs can bind keys, too.
        for command in [
            #"["keybind", "F5", "print-text 'by a key'"]"#, #"["keybind", "m", "ignore"]"#,
        ] {
            #expect(try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        try session.press("m", "F5")
        try eventually("the key's text") { session.program.standardOutput.count > 20 }
        #expect(try ask(#"["get_property", "mute"]"#, of: socket) == "True\n")
        try session.quit()
        #expect(
            String(decoding: session.program.standardOutput, as: UTF8.self)
                == "40 $ 00:01:00\nby a key\n")
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"))
    func `the last file loops until another one is appended`() throws {
        for (name, seconds) in [("1.mp4", 1), ("2.mp4", 60), ("3.mp4", 1)] {
            try FileManager.default.copyItem(
                atPath: try Films.silent(seconds: seconds), toPath: folder.appending(name).path)
        }
        func path(_ name: String) -> String { folder.appending(name).path }
        let socket = path("socket")
        let session = try PlayerSession(
            path("1.mp4"), "--loop", "--ipc", socket, environment: environment)
        func perform(_ command: String) throws {
            #expect(try ask(command, of: socket, printing: #"answer["error"]"#) == "success\n")
        }
        func film() throws -> String {
            try ask(
                #"["get_property", "filename"]"#, of: socket, printing: #"answer.get("data")"#)
        }
        func loops() throws -> String {
            try ask(#"["get_property", "loop-file"]"#, of: socket)
        }
        try session.waitForFrame("its end") { $0 > 20 }
        try session.waitForFrame("another round") { $0 < 15 }
        #expect(try loops() == "inf\n")
        // A round may end before a slow machine has sent the request.
        try perform(#"["set_property", "pause", true]"#)
        try perform(#"["loadfile", "\#(path("2.mp4"))", "append"]"#)
        #expect(try loops() == "False\n")
        try perform(#"["set_property", "pause", false]"#)
        try eventually("the next video") { try film() == "2.mp4\n" }
        // It is the last entry now, and the first one is moved behind it.
        try perform(#"["playlist-move", 0, 2]"#)
        #expect(try loops() == "False\n")
        try perform(#"["playlist-next"]"#)
        try eventually("the one that is last now") { try film() == "1.mp4\n" }
        try eventually("that it loops") { try loops() == "inf\n" }
        // A pending loop is postponed as well.
        try perform(#"["playlist-prev"]"#)
        try eventually("the other video") { try film() == "2.mp4\n" }
        try perform(#"["loadfile", "\#(path("3.mp4"))", "append"]"#)
        try perform(#"["seek", 59, "absolute"]"#)
        try eventually("the last video") { try film() == "3.mp4\n" }
        try eventually("that it loops, too") { try loops() == "inf\n" }
        // If the entries behind it are removed, an entry is the last one.
        try perform(#"["set_property", "pause", true]"#)
        try perform(#"["playlist-play-index", 1]"#)
        try eventually("the previous one") { try film() == "1.mp4\n" }
        #expect(try loops() == "False\n")
        try perform(#"["playlist-remove", 2]"#)
        #expect(try loops() == "inf\n")
        try perform(#"["set_property", "pause", false]"#)
        try session.waitForFrame("its end") { $0 > 20 }
        try session.waitForFrame("another round") { $0 < 15 }
        #expect(try film() == "1.mp4\n")
        try session.quit()
    }

    /// Returns the answer to a program on a socket.
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
}
