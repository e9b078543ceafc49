// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Option and key files, playlists, and the files installed beside the program.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ConfigurationTests {
    private let folder = TemporaryFolder()

    private var environment: [String: String?] {
        ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path]
    }

    private func write(_ text: String, to name: String) throws -> String {
        let url = folder.appending(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    private func play(_ arguments: String...) throws -> ProcessRunner.Result {
        try ProcessRunner.run(
            [Tool.path, "play", "--headless", "--untimed"] + arguments,
            environment: Tool.bare.merging(environment) { $1 })
    }

    @Test func `options of the file apply, and the command line overrides them`() throws {
        let film = try Films.silent(seconds: 2)
        let size = folder.appending("shot.png").path
        _ = try write(
            "# remarks\n\nsize = 64x36  # small\n--frames=3\nmute = no\n", to: "playhead/config")
        try play(film, "--screenshot", size).expectSuccess()
        #expect(try TestImage(contentsOf: URL(filePath: size)).width == 64)
        try play(film, "--screenshot", size, "--size", "32x18").expectSuccess()
        #expect(try TestImage(contentsOf: URL(filePath: size)).width == 32)
        try play(film, "--screenshot", size, "--no-config", "--frames", "2").expectSuccess()
        #expect(try TestImage(contentsOf: URL(filePath: size)).width == Films.width)
    }

    @Test func `a file turns off default switches, and may begin with a byte order mark`()
        throws
    {
        let film = try Films.silent(seconds: 2)
        _ = try write("\u{FEFF}hidpi-window-scale = no\nframes = 2\n", to: "playhead/config")
        let list = try write("\u{FEFF}#EXTM3U\n\(film)\n", to: "list.m3u8")
        let stats = folder.appending("stats.json")
        try play(list, "--stats-json", stats.path).expectSuccess()
        #expect(try String(contentsOf: stats, encoding: .utf8).contains("\"presented\" : 2"))
    }

    @Test(arguments: [
        ("nonsense = 1", "unknown option 'nonsense'; correct the line"),
        ("fs", "unknown option 'fs' (did you mean 'fullscreen'?); correct"),
        ("size", "'size' needs a value"),
        ("size = 1280", "such as 1280x720"), ("speed = 0", "--speed 0.0: expected a speed"),
        ("sync = sun", "and 'display'; correct the line"),
        ("mute = perhaps", "yes or no"), ("two words = 3", "expected NAME = VALUE, found"),
    ])
    func `an invalid line is reported with its file and number`(text: String, cause: String) throws
    {
        let path = try write("mute\n\(text)\n", to: "playhead/config")
        try play(try Films.silent(seconds: 2))
            .expectError(1, saying: [path, "line 2", cause, "--no-config"])
    }

    @Test func `window options in the file are ignored without a window`() throws {
        _ = try write(
            "idle\npause\nab-loop = 0-1\nipc = socket\nmonitor = 0\noutput-monitor = 0\n"
                + "fullscreen\nsave-position\nloop\ntransition = wipe.glsl\nframes = 2\n",
            to: "playhead/config")
        let stats = folder.appending("stats.json")
        try play(try Films.silent(seconds: 2), "--stats-json", stats.path).expectSuccess()
        #expect(try String(contentsOf: stats, encoding: .utf8).contains("\"presented\" : 2"))
        try play("film.mp4", "--fullscreen").expectError(1, saying: ["--fullscreen", "--headless"])
    }

    @Test(arguments: [
        ["play", "--help"], ["film.mp4", "--help"], ["film.mp4", "--version"], ["--list-keys"],
        ["play", "--list-keys"], ["--list-commands"],
    ])
    func `a broken configuration only affects commands that play`(arguments: [String]) throws {
        _ = try write("nonsense = 1\n", to: "playhead/config")
        try ProcessRunner.run(
            [Tool.path] + arguments, environment: Tool.bare.merging(environment) { $1 }
        ).expectSuccess()
    }

    @Test func `the command line turns off what the file turns on`() throws {
        _ = try write("loop\nmute\nframes = 70\n", to: "playhead/config")
        let stats = folder.appending("stats.json")
        // A video of 60 frames would be played twice.
        try play(try Films.silent(seconds: 2), "--no-loop", "--stats-json", stats.path)
            .expectSuccess()
        #expect(try String(contentsOf: stats, encoding: .utf8).contains("\"presented\" : 60"))
    }

    @Test func `the key list includes the user's bindings`() throws {
        _ = try write("k cycle pause # halt\nk nonsense\n", to: "playhead/keys.conf")
        func list(_ options: String...) throws -> ProcessRunner.Result {
            try ProcessRunner.run(
                [Tool.path, "play", "--list-keys"] + options,
                environment: Tool.bare.merging(environment) { $1 })
        }
        let result = try list()
        #expect(result.status == 0 && result.text.contains("halt"))
        #expect(result.standardError.contains("keys.conf, line 2"))
        let other = try list("--no-config")
        #expect(!other.text.contains("halt") && other.standardError.isEmpty)
    }

    @Test func `an error on the command line is not attributed to the file`() throws {
        _ = try write("size = 64x36\n", to: "playhead/config")
        let result = try play("film.mp4", "--speed", "0")
        result.expectError(1, saying: ["--speed 0", "see 'playhead play --help'"])
        #expect(!result.standardError.contains("line 1"))
    }

    @Test func `the files of folders and playlists play one after another`() throws {
        let film = try Films.silent(seconds: 2)
        // Extensions of recordings and audio books count, too.
        for name in ["10.M2T", "2.m4b", "notes.txt"] {
            try FileManager.default.copyItem(
                atPath: film, toPath: folder.appending(name).path)
        }
        let list = try write("#EXTM3U\n#EXTINF:2,One\n2.m4b\n10.M2T\n\n", to: "list.m3u")
        for argument in [folder.url.path, list] {
            let stats = folder.appending("stats.json")
            try play(argument, "--stats-json", stats.path).expectSuccess()
            let text = try String(contentsOf: stats, encoding: .utf8)
            // Two videos of sixty frames each.
            #expect(text.contains("\"presented\":120") || text.contains("\"presented\" : 120"))
            #expect(text.contains("10.M2T"))
        }
        try Tool.run("play", "--headless", TemporaryFolder().url.path)
            .expectError(2, saying: ["no such file"])
    }

    @Test func `nested folders are read once each`() throws {
        let film = try Films.silent(seconds: 1)
        for name in ["Season 10/1.mp4", "Season 2/2.mp4", "Season 2/10.mp4", ".hidden/3.mp4"] {
            let copy = folder.appending("Series/" + name)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: film, toPath: copy.path)
        }
        try FileManager.default.createSymbolicLink(
            at: folder.appending("Series/Season 2/all"),
            withDestinationURL: folder.appending("Series"))
        let stats = folder.appending("stats.json")
        try play(folder.appending("Series").path, "--stats-json", stats.path).expectSuccess()
        let report = try JSONSerialization.jsonObject(with: Data(contentsOf: stats))
        let files = (report as? [String: Any])?["files"] as? [String]
        #expect(
            files?.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
                == ["Season 2/2.mp4", "Season 2/10.mp4", "Season 10/1.mp4"])
    }

    @Test func `playlists in legacy encodings are read`() throws {
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 1), toPath: folder.appending("größe.mp4").path)
        for encoding in [String.Encoding.windowsCP1252, .utf16, .utf8] {
            let list = folder.appending("list.m3u")
            try "#EXTM3U\r\ngröße.mp4\r\n".data(using: encoding)?.write(to: list)
            try play(list.path, "--frames", "1").expectSuccess()
        }
    }

    @Test func `playlist entries are resolved in the forms that other programs write`() throws {
        let film = try Films.silent(seconds: 2)
        try FileManager.default.createDirectory(
            at: folder.appending("sub"), withIntermediateDirectories: true)
        for name in ["one film.mp4", "sub/2.mp4", "100%20.mp4"] {
            try FileManager.default.copyItem(atPath: film, toPath: folder.appending(name).path)
        }
        let list = try write("one%20film.mp4\nsub\\2.mp4\n100%20.mp4\n", to: "list.m3u")
        let stats = folder.appending("stats.json")
        try play(list, "--frames", "180", "--stats-json", stats.path).expectSuccess()
        let text = try String(contentsOf: stats, encoding: .utf8)
        #expect(text.contains("\"presented\" : 180"))
        let other = try write(
            "[playlist]\nNumberOfEntries=2\nFile1=one film.mp4\nTitle1=One=1\nLength1=2\n"
                + "File2=sub/2.mp4\nVersion=2\n", to: "list.pls")
        try play(other, "--stats-json", stats.path).expectSuccess()
        #expect(try String(contentsOf: stats, encoding: .utf8).contains("\"presented\" : 120"))
    }

    @Test func `a playlist on standard input is read, and one in a pipe is reported`() throws {
        let film = try Films.silent(seconds: 2)
        try FileManager.default.copyItem(atPath: film, toPath: folder.appending("one.mp4").path)
        func run(_ line: String) throws -> ProcessRunner.Result {
            try ProcessRunner.run(
                ["sh", "-c", line, Tool.path], environment: Tool.bare, directory: folder.url)
        }
        _ = try write("\u{FEFF}#EXTM3U\r\none.mp4\r\n\(film)\r\n", to: "films")
        _ = try write("[Playlist]\nFile1=one.mp4\nFile2=one.mp4\n", to: "winamp")
        for list in ["films", "winamp"] {
            let result = try run(
                "exec \"$0\" play - --headless --untimed --stats-json - < \(list)")
            result.expectSuccess()
            #expect(result.text.contains("\"presented\" : 120"), "\(result.text)")
        }
        try run("cat films | \"$0\" play - --headless --untimed")
            .expectError(2, saying: ["standard input", "a playlist", "play - < FILE"])
        try run("cat one.mp4 | \"$0\" play - --headless --untimed --frames 2").expectSuccess()
        try run("\"$0\" inspect - < films").expectError(2, saying: ["a playlist"])
    }

    // MARK: Installed files

    @Test func `the manual lists every option of every command, and man accepts it`() throws {
        let result = try Tool.run("documents", "man")
        result.expectSuccess()
        let text = result.text.replacingOccurrences(of: "\\-", with: "-")
        for word in [
            "--sub-delay", "--effect", "PLAYHEAD RENDER", "PLAYHEAD EFFECT LINT", "KEYS",
            "next subtitle track", "positions", "monitor", "uploads", "ENVIRONMENT",
            "PLAYHEAD_CONVERSION", "PLAYHEAD_UPLOAD", "NO_COLOR",
        ] {
            #expect(text.contains(word), "no \(word)")
        }
        #expect(text.contains("--loop, --no-loop"))
        #expect(!text.contains("\\fB--no-loop"))
        guard ProcessRunner.has("groff") else { return }
        let page = try write(result.text, to: "playhead.1")
        let checked = try ProcessRunner.run(
            ["groff", "-man", "-Tutf8", "-k", "-wall", "-z", page])
        #expect(checked.status == 0)
        #expect(checked.standardError.isEmpty, "\(checked.standardError)")
    }

    @Test func `make install installs everything, and what can be checked is valid`() throws {
        let script = Checkout.root.appending(path: "Scripts/install-player").path
        try ProcessRunner.check([
            script, "PREFIX=/usr", "DESTDIR=\(folder.url.path)/root", "TOOL=\(Tool.path)",
        ])
        let share = folder.appending("root/usr/share")
        for file in [
            "man/man1/playhead.1", "bash-completion/completions/playhead",
            "zsh/site-functions/_playhead", "fish/vendor_completions.d/playhead.fish",
            "applications/playhead.desktop", "metainfo/playhead.metainfo.xml",
            "icons/hicolor/scalable/apps/playhead.svg", "../bin/playhead",
        ] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: share.appending(path: file).path)
            #expect((attributes[.size] as? UInt64 ?? 0) > 200, "\(file)")
        }
        let completions = share.appending(path: "bash-completion/completions/playhead").path
        try ProcessRunner.check(["bash", "-n", completions])
        let entry = try String(
            contentsOf: share.appending(path: "applications/playhead.desktop"), encoding: .utf8)
        #expect(entry.contains("Exec=playhead play --browse --idle %U"))
        #expect(entry.contains("video/x-matroska;"))
        if ProcessRunner.has("appstreamcli") {
            let checked = try ProcessRunner.run([
                "appstreamcli", "validate", "--no-net", "--pedantic",
                share.appending(path: "metainfo/playhead.metainfo.xml").path,
            ])
            #expect(!checked.text.contains("E: "), "\(checked.text)")
        }
    }
}
