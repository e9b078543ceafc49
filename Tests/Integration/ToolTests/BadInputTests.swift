// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// For any input, the program ends or continues with one line that states the problem.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct BadInputTests {
    private let folder = TemporaryFolder()

    /// The ways to open a file.
    static let commands = [
        ["play", "--headless"], ["play", "--headless", "--untimed"], ["inspect"], ["frames"],
        ["snapshot", "-o", "/dev/null"],
    ]

    private func file(_ name: String, _ contents: some DataProtocol) throws -> String {
        let url = folder.appending(name)
        try Data(contents).write(to: url)
        return url.path
    }

    private func expectFailure(
        _ path: String, saying words: [String], at location: SourceLocation = #_sourceLocation
    ) throws {
        for command in Self.commands {
            try ProcessRunner.run([Tool.path] + command + [path], environment: Tool.bare)
                .expectError(2, saying: [path] + words, at: location)
        }
    }

    @Test func `a missing file`() throws {
        try expectFailure(folder.appending("gone.mp4").path, saying: ["no such file", "check"])
    }

    @Test func `a missing file in a cut`() throws {
        let path = folder.appending("gone.mp4").path
        try Tool.run("cut", "\(path)[0-1]", "-o", folder.appending("cut.mp4").path)
            .expectError(2, saying: [path, "no such file", "check"])
    }

    @Test func `a directory`() throws {
        try expectFailure(folder.url.path, saying: ["directory", "name a file"])
    }

    @Test func `a text file`() throws {
        let path = try file("notes.mp4", Data("Not a video at all.\n".utf8))
        try expectFailure(path, saying: ["known format"])
    }

    @Test func `a playlist where one file is expected`() throws {
        let path = try file("list.m3u", Data("one.mp4\ntwo.mp4\n".utf8))
        try Tool.run("inspect", path).expectError(2, saying: [path, "a list", "open one of those"])
    }

    @Test func `an empty subtitle file is reported and the video plays`() throws {
        let words = try file("none.vtt", Data("WEBVTT\n\n".utf8))
        let result = try Tool.run(
            "play", try Films.silent(seconds: 2), "--headless", "--untimed", "--sub", words)
        result.expectSuccess()
        #expect(result.standardError.contains("\(words): the file contains no subtitles"))
    }

    @Test func `a subtitle file in an unknown format is reported as one`() throws {
        let words = try file("notes.srt", Data("Not a subtitle at all.\n".utf8))
        try Tool.run(
            "snapshot", try Films.silent(seconds: 1), "--sub", words, "-o",
            folder.appending("x.png").path
        ).expectError(2, saying: [words, "no subtitles", "save them as SubRip"])
    }

    @Test func `every command reads a truncated video as far as it goes, with a warning`()
        throws
    {
        let clip = SyntheticClip(
            SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1))),
            container: "mkv")
        let bytes = try Data(contentsOf: clip.url())
        let missing = bytes.count / 2
        let film = try file("half.mkv", bytes.dropLast(missing))
        let words = "\(film): the file is incomplete: \(missing) bytes are missing at its end"
        let output = folder.appending("out.mkv").path
        for command in [
            ["play", "--headless", "--untimed"], ["frames"], ["render", "-o", output],
        ] {
            let result = try Tool.run(command + [film])
            result.expectSuccess()
            #expect(result.standardError.contains(words), "\(command)")
            // Complete files are not reported.
            let whole = try Tool.run(command + [try clip.url().path])
            #expect(!whole.standardError.contains("incomplete"), "\(command)")
        }
        let page = try Tool.run("inspect", film)
        #expect(page.text.contains("note: the file is incomplete: \(missing) bytes are missing"))
        #expect(
            try Tool.run("inspect", film, "--json").text.contains(#""missing_bytes" : \#(missing)"#)
        )
        try Tool.run("snapshot", film, "--at", "1.9", "-o", folder.appending("x.png").path)
            .expectError(2, saying: [film, "no frame at 0:01.900", "end of the file is missing"])
    }

    @Test func `an empty file`() throws {
        try expectFailure(try file("empty.mp4", Data()), saying: ["empty"])
    }

    @Test func `frames of low bit depth are drawn`() throws {
        let film = folder.appending("packed.nut").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-c:v", "rawvideo",
            "-pix_fmt", "rgb565le", film,
        ])
        let still = folder.appending("still.png")
        try ProcessRunner.run(
            [Tool.path, "snapshot", film, "-o", still.path], environment: Tool.bare
        ).expectSuccess()
        let image = try TestImage(contentsOf: still)
        #expect(image[Films.width / 2, Films.height / 2].w == 255)
    }

    @Test func `a file with an unknown codec is reported`() throws {
        let film = folder.appending("known.mkv")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 2), "-c", "copy", film.path,
        ])
        var bytes = try Data(contentsOf: film)
        let name = try #require(bytes.range(of: Data("V_MPEG4/ISO/AVC".utf8)))
        bytes.replaceSubrange(name, with: Data("V_MPEG4/ISO/XYZ".utf8))
        let path = try file("unknown.mkv", bytes)
        for command in Self.commands where command != ["inspect"] {
            try ProcessRunner.run([Tool.path] + command + [path], environment: Tool.bare)
                .expectError(2, saying: [path, "codec", "FFmpeg"])
        }
        // Known properties are reported.
        let page = try Tool.run("inspect", path)
        page.expectSuccess()
        #expect(page.text.contains("unknown"))
    }

    @Test func `a truncated video plays as far as it goes, with a warning`() throws {
        let film = folder.appending("whole.mkv")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.film(seconds: 2), "-c", "copy", film.path,
        ])
        let whole = try Data(contentsOf: film)
        let path = try file("half.mkv", whole.prefix(whole.count / 2))
        let picture = folder.appending("last.png")
        let result = try Tool.run(
            "play", path, "--headless", "--untimed", "--screenshot", picture.path)
        result.expectSuccess()
        let last = try #require(try TestImage(contentsOf: picture).frameNumber())
        #expect((10..<59).contains(last))
        try Tool.run("play", path, "--headless", "--mute").expectSuccess()
    }

    @Test func `damage within a video is skipped and reported`() throws {
        var bytes = try Data(contentsOf: URL(filePath: try Films.silent(seconds: 2)))
        for index in (bytes.count / 3)..<(bytes.count / 3 + 3000) { bytes[index] = 0xAA }
        let path = try file("damaged.mp4", bytes)
        let result = try Tool.run("play", path, "--headless", "--untimed")
        result.expectSuccess()
        #expect(result.standardError.contains("parts could not be decoded"))
    }

    @Test func `a file without video plays its audio, with a note`() throws {
        let path = try Films.sound(seconds: 1)
        let result = try Tool.run("play", path, "--headless", "--mute")
        result.expectSuccess()
        #expect(result.standardError.contains("it has no video; playing its audio"))
        try Tool.run("snapshot", path, "-o", folder.appending("x.png").path)
            .expectError(2, saying: [path, "no video"])
    }

    @Test func `a video without audio needs no audio server`() throws {
        let result = try Tool.run(
            "play", try Films.silent(seconds: 2), "--headless", "--frames", "5")
        result.expectSuccess()
        #expect(!result.standardError.contains("PulseAudio"))
    }

    @Test func `without an audio server a video plays and the reason for the silence is reported`()
        throws
    {
        let result = try Tool.run("play", try Films.film(seconds: 2), "--headless", "--frames", "5")
        result.expectSuccess()
        #expect(result.errorLines.count { $0.contains("PulseAudio") } == 1)
        #expect(result.standardError.contains("playing without audio"))
    }

    @Test(arguments: ["with spaces", "Žluťoučký kůň 馬 🐎", "100% 'quoted' \"twice\"", "-dash"])
    func `any valid file name`(name: String) throws {
        let url = folder.appending("\(name).mp4")
        try FileManager.default.copyItem(atPath: try Films.silent(seconds: 2), toPath: url.path)
        try Tool.run("play", url.path, "--headless", "--untimed", "--frames", "2").expectSuccess()
        let result = try Tool.run("inspect", "--", url.lastPathComponent, in: folder.url)
        result.expectSuccess()
        #expect(result.text.hasPrefix(url.lastPathComponent))
    }

    @Test func `a name that is not UTF-8 is reported as such`() throws {
        let films = folder.appending("films")
        try FileManager.default.createDirectory(at: films, withIntermediateDirectories: false)
        let script =
            "cp \"$1\" \"$(printf 'caf\\351.mp4')\" && exec \"$0\" inspect \"$(printf 'caf\\351.mp4')\""
        try ProcessRunner.run(
            ["sh", "-c", script, Tool.path, try Films.silent(seconds: 2)], environment: Tool.bare,
            directory: films
        ).expectError(2, saying: ["caf", "the name is not UTF-8; rename the file"])
        try Tool.run("play", "--headless", films.path)
            .expectError(2, saying: ["caf", "the name is not UTF-8; rename the file"])
    }

    @Test func `a file whose name is not UTF-8 is skipped and the others play`() throws {
        let script =
            "exec \"$0\" play --headless --untimed \"$(printf 'caf\\351.mp4')\" \"$1\""
        let result = try ProcessRunner.run(
            ["sh", "-c", script, Tool.path, try Films.silent(seconds: 2)], environment: Tool.bare,
            directory: folder.url)
        #expect(result.status == 2)
        #expect(result.errorLines.count { $0.contains("not UTF-8; rename the file") } == 1)
        #expect(result.errorLines.last?.contains("60 frames shown") == true)
    }

    @Test func `unreadable and cyclic playlists are reported`() throws {
        let film = try Films.silent(seconds: 2)
        try Tool.run("play", "--headless", try file("list.xspf", Data("<?xml".utf8)))
            .expectError(2, saying: ["list.xspf", "the playlist has no entries"])
        let list = folder.appending("self.m3u").path
        _ = try file("self.m3u", Data("\(list)\n\(film)\n".utf8))
        let result = try Tool.run("play", list, "--headless", "--untimed")
        #expect(result.status == 2)
        #expect(result.errorLines.count { $0.contains("refers to itself") } == 1)
        #expect(result.errorLines.last?.contains("60 frames shown") == true)
    }

    @Test func `without a display the error names the remedy`() throws {
        let film = try Films.silent(seconds: 2)
        let result = try Tool.run("play", film)
        result.expectError(3, saying: ["no display", "set DISPLAY"])
        try Tool.run("play", film, "--untimed").expectError(3, saying: ["no display"])
        try Tool.run("play", film, environment: ["DISPLAY": ":4711"])
            .expectError(3, saying: ["no display", ":4711"])
    }

    /// Checks that no window opens in a session of Wayland.
    private func expectNoWindow(
        saying words: [String], environment: [String: String?], options: [String] = []
    ) throws {
        // The variables of the session in which the tests run are not used.
        let session: [String: String?] = [
            "XDG_SESSION_TYPE": "wayland", "XDG_RUNTIME_DIR": folder.url.path,
            "WAYLAND_SOCKET": nil,
        ]
        try Tool.run(
            ["play", try Films.silent(seconds: 2)] + options,
            environment: session.merging(environment) { $1 }
        ).expectError(3, saying: ["no display"] + words)
    }

    @Test func `a session of Wayland without a compositor is reported`() throws {
        try expectNoWindow(saying: ["WAYLAND_DISPLAY"], environment: ["WAYLAND_DISPLAY": "none"])
        try expectNoWindow(
            saying: ["WAYLAND_DISPLAY"], environment: ["WAYLAND_DISPLAY": "none"],
            options: ["--window-system", "wayland"])
    }

    @Test func `a missing XDG_RUNTIME_DIR is reported`() throws {
        let words = Tool.hasWayland ? ["XDG_RUNTIME_DIR", "/run/user/"] : ["GLFW 3.4", "install"]
        for options in [[], ["--window-system", "wayland"]] {
            try expectNoWindow(
                saying: words,
                environment: ["WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": nil],
                options: options)
        }
        try expectNoWindow(
            saying: ["X11", "set DISPLAY"],
            environment: ["XDG_RUNTIME_DIR": nil, "XDG_SESSION_TYPE": nil])
    }

    @Test func `a compositor without a seat is reported`() throws {
        let server = try CompositorDouble(CompositorDouble.desktop.filter { $0 != "wl_seat" })
        try expectNoWindow(
            saying: Tool.hasWayland ? ["no seat", "keyboard"] : ["GLFW 3.4", "install"],
            environment: ["WAYLAND_DISPLAY": server.path])
    }

    @Test(.enabled(if: !Tool.hasWayland, "this GLFW has Wayland"))
    func `a GLFW without Wayland is reported`() throws {
        for options in [[], ["--window-system", "wayland"]] {
            try expectNoWindow(
                saying: ["Wayland needs GLFW 3.4", "install a newer one"],
                environment: ["WAYLAND_DISPLAY": "wayland-0"], options: options)
        }
    }

    @Test(arguments: [
        ["play", "--headless"], ["play", "--headless", "--untimed"], ["frames", "--hash"],
        ["snapshot", "-o", "/dev/null"],
    ])
    func `without OpenGL 3.3 and OpenGL ES 3.0, the error states the requirement`(
        command: [String]
    ) throws {
        let environment = Tool.bare.merging([
            "MESA_GL_VERSION_OVERRIDE": "2.1", "MESA_GLES_VERSION_OVERRIDE": "2.0",
        ]) { $1 }
        try ProcessRunner.run(
            [Tool.path] + command + [try Films.silent(seconds: 2)], environment: environment
        ).expectError(3, saying: ["OpenGL 3.3", "doctor"])
    }

    @Test(.enabled(if: XServer.isAvailable, XServer.absence))
    func `a display with OpenGL ES 2 alone is reported`() throws {
        let display = try XServer()
        try Tool.run(
            "play", try Films.silent(seconds: 2), "--no-config",
            environment: [
                "DISPLAY": display.name, "MESA_GL_VERSION_OVERRIDE": "2.1",
                "MESA_GLES_VERSION_OVERRIDE": "2.0",
            ]
        ).expectError(3, saying: ["no OpenGL 3.3 or OpenGL ES 3.0 on this display", "install"])
    }

    @Test func `a list of no frames is an error`() throws {
        let folder = TemporaryFolder()
        let whole = folder.appending("whole.mp4")
        try ProcessRunner.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-c:v", "mpeg4",
            "-movflags", "frag_keyframe+empty_moov+default_base_moof", whole.path,
        ]).expectSuccess()
        let bytes = try Data(contentsOf: whole)
        // The header of a stream: all up to the first fragment.
        let fragment = try #require(bytes.range(of: Data("moof".utf8))).lowerBound - 4
        let header = folder.appending("header.mp4")
        try bytes[..<fragment].write(to: header)
        try Tool.run("frames", header.path).expectError(
            2, saying: ["its video has no frames", "header of a stream"])
        // All sizes and times are right, and nothing else is.
        var silent = try Data(contentsOf: URL(filePath: try Films.silent(seconds: 1)))
        let media = try #require(silent.range(of: Data("mdat".utf8)))
        let size = silent[(media.lowerBound - 4)..<media.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        let content = media.upperBound..<(media.lowerBound - 4 + size)
        silent.replaceSubrange(content, with: Data(count: content.count))
        let damaged = folder.appending("damaged.mp4")
        try silent.write(to: damaged)
        try Tool.run("frames", damaged.path).expectError(
            2, saying: ["nothing in it can be decoded", "check that it is complete"])
    }

    @Test(arguments: ["direct", "ring", "mapped", nil])
    func `OpenGL 3.3 without a single extension is enough`(upload: String?) throws {
        let folder = TemporaryFolder()
        let stats = folder.appending("stats.json")
        let picture = folder.appending("last.png")
        let result = try Tool.run(
            "play", try Films.silent(seconds: 2), "--headless", "--untimed", "--frames", "30",
            "--stats-json", stats.path, "--screenshot", picture.path,
            environment: [
                "MESA_GL_VERSION_OVERRIDE": "3.3", "PLAYHEAD_UPLOAD": upload,
                "MESA_EXTENSION_OVERRIDE": "-GL_ARB_buffer_storage -GL_KHR_debug "
                    + "-GL_KHR_robustness -GL_ARB_robustness -GL_ARB_sync -GL_ARB_timer_query",
            ])
        result.expectSuccess()
        let image = try TestImage(contentsOf: picture)
        #expect(
            image.frameNumber(sourceWidth: Films.width, sourceHeight: Films.height) == 29)
    }

    @Test func `a missing OpenGL driver is reported`() throws {
        let result = try Tool.run(
            "play", try Films.silent(seconds: 2), "--headless",
            environment: [
                "LIBGL_DRIVERS_PATH": "/nonexistent", "GBM_BACKENDS_PATH": "/nonexistent",
                // Mesa 25 has its drivers in one library, which the two above do not hide.
                "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent",
            ]
        )
        result.expectError(3, saying: ["no OpenGL", "doctor"])
    }

    @Test func `an effect that does not compile is reported with its line`() throws {
        let film = try Films.silent(seconds: 2)
        let effect = try file(
            "broken.fs",
            Data(
                """
                /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                void main() {
                    gl_FragColor = IMG_THIS_PIXEL(inputImage) * nothing;
                }
                """.utf8))
        try Tool.run("snapshot", film, "--effect", effect, "-o", folder.appending("x.png").path)
            .expectError(4, saying: ["\(effect):3:", "error:", "nothing"])
        for way in [["--untimed"], ["--frames", "5", "--mute"]] {
            let result = try ProcessRunner.run(
                [Tool.path, "play", film, "--headless", "--effect", effect] + way,
                environment: Tool.bare)
            #expect(result.status == 4)
            #expect(result.errorLines.count { $0.contains("\(effect):3:") } == 1)
            // The video continues without it.
            #expect(result.errorLines.last?.contains("frames shown") == true)
        }
        let header = try file("header.fs", Data("/*{ \"ISFVSN\": \"2\", */ void main() {}".utf8))
        try Tool.run("play", film, "--headless", "--effect", header)
            .expectError(4, saying: [header, "JSON"])
    }

    @Test func `a missing effect`() throws {
        let film = try Films.silent(seconds: 2)
        try Tool.run("play", film, "--headless", "--effect", "sparkle")
            .expectError(1, saying: ["sparkle", "chroma_key"])
        try Tool.run("play", film, "--headless", "--effect", "./sparkle.fs")
            .expectError(2, saying: ["./sparkle.fs", "cannot be read"])
        try Tool.run(
            "play", film, "--headless", "--effect", "chroma_key", "--set", "tolerance=much"
        ).expectError(1, saying: ["tolerance", "number"])
    }

    @Test func `an output that cannot be written is reported before playback`() throws {
        let film = try Films.silent(seconds: 2)
        let nowhere = folder.appending("no/such/folder/out").path
        for option in ["--screenshot", "--stats-json"] {
            try Tool.run("play", film, "--headless", option, nowhere)
                .expectError(2, saying: [nowhere, "no directory", "choose"])
            try Tool.run("play", film, "--headless", option, folder.url.path)
                .expectError(2, saying: [folder.url.path, "directory"])
        }
        try Tool.run("snapshot", film, "-o", nowhere).expectError(2, saying: [nowhere])
    }

    @Test(arguments: [
        ["--bogus"], ["play", "--size", "0x3"], ["play", "--speed", "0"], ["play", "--speed=-17"],
        ["play", "--fps", "0"],
        ["play", "--frames", "0"], ["play", "--start", "noon"], ["play", "--loop", "--untimed"],
        ["snapshot", "film.mp4"], ["frames"], ["documents", "nothing"], ["inspect", "a", "b"],
        ["effect", "nothing"],
        ["play", "film.mp4", "--set", "tolerance"],
    ])
    func `wrong usage exits with status 1 and refers to the help`(arguments: [String]) throws {
        try ProcessRunner.run([Tool.path] + arguments, environment: Tool.bare)
            .expectError(1, saying: ["see 'playhead ", "--help'"])
    }

    /// Arguments with an invalid value, the command to whose help the error refers, and words of the
    /// error.
    static let invalidValues: [([String], String, String)] = [
        (
            ["play", "--size", "1280"], "play",
            "<WxH>': expected a width and a height such as 1280x720"
        ),
        (["film.mp4", "--size", "1280"], "play", "such as 1280x720"),
        (["play", "--ab-loop", "3"], "play", "<A-B>': expected a start and an end"),
        (["snapshot", "f", "-o", "a.png", "--at", "1e3"], "snapshot", "<time>': expected a time"),
        (["effect", "lint", "x", "--format", "bogus"], "effect lint", "expected one of isf, "),
        (["atlas", "build", "x", "-o", "x.mp4", "--tile", "3"], "atlas build", "1280x720"),
        (["play", "--screenshot-template", "%q"], "play", "<name>': "),
        (["play", "--hwaccel", "x"], "play", "'vaapi' or 'cuda'; see"),
        (["play", "--http-header-fields", "x"], "play", "expected 'NAME: VALUE', found 'x'"),
        (["film.mp4", "--fs"], "play", "option '--fs'; did you mean '--fullscreen'?"),
        (["film.mp4", "--vol=5"], "play", "option '--vol'; did you mean '--volume'?"),
        (["film.mp4", "--lopp"], "play", "option '--lopp'; did you mean '--loop'?"),
        (["film.mp4", "--repeat"], "play", "option '--repeat'; did you mean '--loop'?"),
        (["film.mp4", "--ontop"], "play", "option '--ontop'; press T in the window; see"),
        (["film.mp4", "--no-osc"], "play", "option '--no-osc'; press delete in the window; see"),
        (
            ["film.mp4", "--audio-delay=1"], "play",
            "'--audio-delay'; press Ctrl + or Ctrl - in the"
        ),
        (["film.mp4", "--deband"], "play", "option '--deband'; press b in the window; see"),
        (["film.mp4", "--xyzzy"], "play", "option '--xyzzy'; see"),
        (["play", "--start", "101%"], "play", "from 0% to 100%"),
        (["play", "--start=-x"], "play", "a percentage such as 50%"),
        (["inspect", "--fs", "f"], "inspect", "Unknown option '--fs'; see"),
        (["film.mp4", "--volume", "200"], "play", "--volume 200.0: expected 0 to 130"),
        (["documents", "x"], "documents", "following: man, bash, "),
        (
            ["snapshot", "f", "-o", "a.png", "--effect", "exposure", "--set", "x"], "snapshot",
            "found 'x'"
        ),
        (
            [
                "snapshot", "f", "-o", "a.png", "--effect", "exposure", "--set",
                "exposure.fs.stops=1",
            ],
            "snapshot", "named 'exposure.fs'; use 'exposure'"
        ),
    ]

    @Test(arguments: invalidValues)
    func `an invalid value is reported with its notation and the command's help`(
        arguments: [String], command: String, words: String
    ) throws {
        try ProcessRunner.run([Tool.path] + arguments, environment: Tool.bare)
            .expectError(1, saying: [words, "see 'playhead \(command) --help'"])
    }

    @Test(arguments: Set(invalidValues.map { $0.1 }).sorted())
    func `the help to which errors refer is printed`(command: String) throws {
        try ProcessRunner.run(
            [Tool.path] + command.split(separator: " ").map(String.init) + ["--help"]
        ).expectSuccess()
    }

    @Test func `a start beyond the end is reported`() throws {
        let film = try Films.silent(seconds: 2)
        for way in [["--headless"], ["--headless", "--untimed"]] {
            try ProcessRunner.run(
                [Tool.path, "play", film, "--start", "1:00"] + way, environment: Tool.bare
            ).expectError(2, saying: [film, "beyond the end at 0:02"])
        }
        try Tool.run("snapshot", film, "--at", "1:00", "-o", folder.appending("x.png").path)
            .expectError(2, saying: [film, "no frame at 1:00"])
    }

    @Test func `a broken file among good ones is skipped`() throws {
        let film = try Films.silent(seconds: 2)
        let broken = try file("broken.mp4", Data("broken".utf8))
        let result = try Tool.run(
            "play", film, broken, film, "--headless", "--untimed")
        #expect(result.status == 2)
        #expect(result.errorLines.count { $0.contains(broken) } == 1)
        #expect(result.errorLines.last?.contains("120 frames shown") == true)
    }

    @Test
    func
        `folders and playlists without media are skipped, and end playback if there is nothing else`()
        throws
    {
        let film = try Films.silent(seconds: 2)
        let (empty, list) = (TemporaryFolder(), try file("none.m3u", Data("#EXTM3U\n".utf8)))
        for way in [["--headless"], ["--headless", "--untimed"], []] {
            let alone = try ProcessRunner.run(
                [Tool.path, "play", list] + way, environment: Tool.bare)
            alone.expectError(2, saying: [list, "the playlist has no entries", "name a file"])
        }
        let result = try Tool.run(
            "play", film, list, empty.url.path, film, "--headless", "--untimed")
        #expect(result.status == 2)
        #expect(result.errorLines.count { $0.contains("the playlist has no entries") } == 1)
        #expect(
            result.errorLines.count { $0.contains("the directory contains no media files") } == 1)
        #expect(result.errorLines.last?.contains("120 frames shown") == true)
    }

    @Test func `a missing audio track is reported`() throws {
        let result = try Tool.run(
            "play", try Films.film(seconds: 2), "--headless", "--frames", "2", "--audio-track", "3")
        result.expectSuccess()
        #expect(result.standardError.contains("no audio track 3; the file has 1"))
    }
}
