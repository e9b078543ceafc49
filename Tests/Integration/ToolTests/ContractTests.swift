// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// The interface for scripts: flags, files and numbers.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ContractTests {
    private let folder = TemporaryFolder()

    private func json(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func `the statistics have the documented keys`() throws {
        let stats = folder.appending("stats.json")
        var report: [String: Any] = [:]
        try undisturbed {
            let result = try Tool.run(
                "play", try Films.film(seconds: 2), "--mute", "--headless", "--duration", "1",
                "--stats-json", stats.path)
            #expect(result.status == 0, "\(result.standardError)")
            report = try json([UInt8](try Data(contentsOf: stats)))
            // Each frame of the second is due at its time; a busy machine is too late for some, and
            // ends later.
            let (presented, dropped) = (report["presented"] as? Int, report["dropped"] as? Int)
            let due = try #require(presented) + #require(dropped)
            return (28...58).contains(due)
                ? nil : "\(presented ?? 0) presented, \(dropped ?? 0) dropped"
        }
        for key in ["decoded", "presented", "repeated", "dropped", "late"] {
            #expect(report[key] is Int, "\(key)")
        }
        for key in ["duration_s", "fps", "first_frame_ms"] {
            #expect(report[key] is Double, "\(key)")
        }
        for key in ["timeline_offset_ms", "slot_error_ms", "upload_ms", "draw_ms"] {
            let values = try #require(report[key] as? [String: Any], "\(key)")
            for name in ["mean", "p50", "p99", "max"] {
                #expect(values[name] is Double, "\(key).\(name)")
            }
        }
        #expect(report["timing_source"] as? String == "timer")
        #expect((report["gl_renderer"] as? String)?.isEmpty == false)
    }

    @Test(arguments: [["--untimed"], ["--mute", "--duration", "0.5"]])
    func `the statistics cover all files of a run`(way: [String]) throws {
        let film = try Films.silent(seconds: 2)
        var bytes = try Data(contentsOf: URL(filePath: film))
        for index in (bytes.count / 6)..<(bytes.count / 6 + 3000) { bytes[index] = 0xAA }
        let damaged = folder.appending("damaged.mp4")
        try bytes.write(to: damaged)
        let (stats, table) = (folder.appending("stats.json"), folder.appending("frames.csv"))
        let isTimed = way != ["--untimed"]
        var (rows, places): ([[Substring]], [Int]) = ([], [])
        try undisturbed {
            try ProcessRunner.run(
                [
                    Tool.path, "play", "--headless", damaged.path, film, "--stats-json",
                    stats.path, "--stats-csv", table.path,
                ] + way, environment: Tool.bare
            ).expectSuccess()
            rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            places = rows.dropFirst().compactMap { $0.last.flatMap { Int($0) } }
            // In real time, a busy machine is too late for some frames.
            let first = rows.dropFirst().first { $0.last == "1" }
            return isTimed && first?[1].hasPrefix("0/") != true ? "\(rows)" : nil
        }
        let report = try json([UInt8](try Data(contentsOf: stats)))
        #expect(try #require(report["decoding_errors"] as? Int) > 0)
        #expect(report["file"] as? String == film)
        #expect(report["files"] as? [String] == [damaged.path, film])
        if !isTimed { #expect(report["first_frame_ms"] is NSNull) }
        #expect(rows[0].last == "film")
        #expect(places == places.sorted() && Set(places) == [0, 1])
        let first = try #require(rows.dropFirst().first { $0.last == "1" })
        #expect(first[1].hasPrefix("0/"), "the second video's first frame is at \(first[1])")
        if !isTimed { #expect(places.count { $0 == 1 } == 60) }
    }

    @Test func `a dash names standard input and standard output`() throws {
        let film = try Films.silent(seconds: 2)
        func run(_ line: String) throws -> ProcessRunner.Result {
            try ProcessRunner.run(
                ["sh", "-c", "exec \"$0\" \(line)", Tool.path, film], environment: Tool.bare,
                directory: folder.url)
        }
        let page = try run("inspect - < \"$1\"")
        page.expectSuccess()
        #expect(page.text.contains("320 x 180, 30 fps"))
        #expect(try run("frames - < \"$1\"").text.split(separator: "\n").count == 60)
        try run("render - --to 0.5 -o out.mkv < \"$1\"").expectSuccess()
        try run("snapshot \"$1\" --at 1 -o file.png").expectSuccess()
        let picture = try run("snapshot - --at 1 -o - < \"$1\"")
        picture.expectSuccess()
        #expect(
            Data(picture.standardOutput) == (try Data(contentsOf: folder.appending("file.png"))))
        let substituted = try ProcessRunner.run(
            ["bash", "-c", "\"$0\" inspect <(cat \"$1\")", Tool.path, film],
            environment: Tool.bare, directory: folder.url)
        substituted.expectSuccess()
        #expect(substituted.text.contains("320 x 180, 30 fps"))
        try run("inspect /dev/stdin < \"$1\"").expectSuccess()
        let stats = try run("play \"$1\" --headless --untimed --frames 2 --stats-json -")
        #expect(try json(stats.standardOutput)["presented"] as? Int == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["file.png", "out.mkv"])
    }

    @Test(arguments: ["--loop", "--loop-playlist"])
    func `a pipe plays once, however it is to loop`(option: String) throws {
        let film = try Films.silent(seconds: 1)
        let result = try ProcessRunner.run(
            ["sh", "-c", "cat \"$1\" | \"$0\" play - --headless \(option)", Tool.path, film],
            environment: Tool.bare, deadline: patience)
        result.expectSuccess()
        #expect(
            result.standardError.contains(
                "-: --loop needs a file, and a pipe can be read only once")
                == (option == "--loop"), "\(result.standardError)")
        #expect(result.errorLines.last?.contains("frames shown") == true)
    }

    @Test(.enabled(if: ProcessRunner.has("script"), "needs script"))
    func `images are not written to a terminal`() throws {
        let film = try Films.silent(seconds: 2)
        let result = try ProcessRunner.run(
            ["script", "-qfec", "'\(Tool.path)' snapshot '\(film)' -o -", "/dev/null"],
            environment: Tool.bare, directory: folder.url)
        #expect(result.status == 1)
        #expect(result.text.contains("a terminal cannot show images; name a file"))
        #expect(!result.text.contains("PNG"))
    }

    @Test func `untimed playback shows every frame in order`() throws {
        let picture = folder.appending("last.png")
        let stats = folder.appending("stats.json")
        let result = try Tool.run(
            "play", try Films.film(seconds: 2), "--headless", "--untimed", "--screenshot",
            picture.path, "--stats-json", stats.path)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(try TestImage(contentsOf: picture).frameNumber() == 59)
        let report = try json([UInt8](try Data(contentsOf: stats)))
        #expect(report["presented"] as? Int == 60)
        #expect(report["dropped"] as? Int == 0)
    }

    @Test(arguments: [("--frames", "7", 6), ("--duration", "0.5", 14)])
    func `limits end untimed playback`(option: String, value: String, last: Int) throws {
        let picture = folder.appending("last.png")
        let result = try Tool.run(
            "play", try Films.film(seconds: 2), "--headless", "--untimed", option, value,
            "--screenshot", picture.path)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(try TestImage(contentsOf: picture).frameNumber() == last)
    }

    @Test func `a playlist repeats, unless none of its files can be played`() throws {
        let (films, stats) = (try Films.silent(seconds: 1), folder.appending("stats.json"))
        try Tool.run(
            "play", films, films, "--headless", "--loop-playlist", "--frames", "100",
            "--stats-json", stats.path
        ).expectSuccess()
        let numbers = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: stats)) as? [String: Any])
        let count = (numbers["files"] as? [Any])?.count ?? 0
        #expect(count >= 3)
        for arguments in [["gone.mp4", "lost.mp4"], [films, films, "--start", "1:00"]] {
            let result = try Tool.run(["play"] + arguments + ["--headless", "--loop-playlist"])
            #expect(result.status == 2, "\(result.standardError)")
        }
    }

    @Test(arguments: [([], 2.0), (["--frames", "15"], 0.5), (["--start", "1.5"], 0.5)])
    func `untimed playback reports the duration that it has shown`(
        options: [String], seconds: Double
    )
        throws
    {
        let result = try Tool.run(
            ["play", try Films.silent(seconds: 2), "--headless", "--untimed", "--stats-json", "-"]
                + options)
        result.expectSuccess()
        #expect(try json(result.standardOutput)["duration_s"] as? Double == seconds)
    }

    @Test func `play starts at --start, and a loop ends after --duration`() throws {
        let picture = folder.appending("last.png")
        try undisturbed {
            let result = try Tool.run(
                "play", try Films.film(seconds: 2), "--mute", "--headless", "--start", "1.5",
                "--loop", "--duration", "0.7", "--screenshot", picture.path)
            #expect(result.status == 0, "\(result.standardError)")
            // Half a second to the end, and 0.2 seconds, 6 frames, of the second round; more if the
            // machine is late to end it. Without a second round it would be the last frame, 59.
            let number = try #require(try TestImage(contentsOf: picture).frameNumber())
            #expect((45...59).contains(number), "\(number)")
            return (50...58).contains(number) ? nil : "\(number)"
        }
    }

    /// They end at once, perhaps before the end can be observed.
    @Test func `files shorter than the start time are skipped`() throws {
        let stats = folder.appending("stats.json")
        let (film, short) = (try Films.film(seconds: 3), try Films.silent(seconds: 1))
        let result = try Tool.run(
            "play", film, short, short, film, "--mute", "--headless", "--start", "2.5",
            "--stats-json",
            stats.path)
        #expect(result.status == 2, "\(result.standardError)")
        let report = try json([UInt8](try Data(contentsOf: stats)))
        #expect((report["files"] as? [String])?.filter { $0 == film }.count == 2, "\(report)")
    }

    @Test(arguments: [
        (SIGINT, ["--loop"]), (SIGTERM, ["--loop"]), (SIGHUP, ["--loop"]),
        (SIGINT, ["--untimed", "--size", "1920x1080"]),
        (SIGTERM, ["--untimed", "--size", "1920x1080"]),
    ])
    func `an interrupted run without a window writes its results`(
        signal: Int32, options: [String]
    ) throws {
        let stats = folder.appending("stats.json")
        let program = try Tool.start(
            [
                "play", try Films.silent(seconds: 2), "--headless", "--subtitle-track", "7",
                "--stats-json", stats.path,
            ] + options)
        // The messages about a file that is about to play.
        try eventually("a remark") {
            program.standardError.contains("no subtitle track")
        }
        program.signal(signal)
        #expect(program.wait(patience) == 0)
        #expect(try json([UInt8](try Data(contentsOf: stats)))["presented"] is Int)
        #expect(program.standardError.contains(" shown"))
    }

    @Test func `a shader that holds the renderer does not delay the program's end`() throws {
        let effect = folder.appending("slow.fs")
        // Some 10^11 operations in a frame: minutes on a processor.
        try Data(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
            void main() {
                vec4 color = IMG_THIS_PIXEL(inputImage);
                for (int i = 0; i < 12000; i++) color = sin(color * 1.1 + float(i) + TIME);
                gl_FragColor = color;
            }

            """.utf8
        ).write(to: effect)
        let program = try Tool.start([
            "play", try Films.silent(seconds: 2), "--headless", "--untimed", "--effect",
            effect.path, "--size", "3840x2160",
        ])
        // More processor time than opening, compiling and decoding take.
        try eventually("drawing") {
            let status = try? String(
                contentsOfFile: "/proc/\(program.identifier)/stat", encoding: .utf8)
            let fields = status?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 12 && (Int(fields[11]) ?? 0) > 300
        }
        program.signal(SIGTERM)
        // Ended by the signal, or by itself if a frame was drawn in time.
        #expect([-SIGTERM, 0].contains(program.wait(.seconds(60))))
    }

    @Test func `output that cannot be written is reported, including standard output`() throws {
        let film = try Films.film(seconds: 2)
        try ProcessRunner.run(
            ["sh", "-c", "exec \"$0\" frames \"$1\" > /dev/full", Tool.path, film],
            environment: Tool.bare
        ).expectError(2, saying: ["standard output", "space"])
    }

    @Test func `an image is moved into place when it is complete`() throws {
        let picture = folder.appending("kept.png")
        try Data("the one before".utf8).write(to: picture)
        // No file may be longer than 1 KiB, as on a full disk.
        try ProcessRunner.run(
            ["bash", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "bash", Tool.path]
                + ["snapshot", try Films.silent(seconds: 1), "-o", picture.path],
            environment: Tool.bare
        ).expectError(2, saying: [picture.path, "it cannot be written", "has space"])
        #expect(try String(contentsOf: picture, encoding: .utf8) == "the one before")
        #expect(!FileManager.default.fileExists(atPath: picture.path + ".part"))
        try Tool.run("snapshot", try Films.silent(seconds: 1), "-o", picture.path).expectSuccess()
        #expect(try TestImage(contentsOf: picture).width == Films.width)
    }

    @Test func `reports are written to pipes and through links without replacing them`() throws {
        let film = try Films.silent(seconds: 2)
        let (link, target) = (folder.appending("link"), folder.appending("target"))
        try Data("old".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        try Tool.run(
            "play", film, "--headless", "--untimed", "--frames", "2", "--stats-json", link.path
        ).expectSuccess()
        #expect(try json([UInt8](try Data(contentsOf: target)))["presented"] as? Int == 2)
        let result = try ProcessRunner.run(
            [
                "sh", "-c",
                "exec \"$0\" play \"$1\" --headless --untimed --frames 2 --stats-json /dev/stdout"
                    + " | cat", Tool.path, film,
            ], environment: Tool.bare)
        #expect(try json(result.standardOutput)["presented"] as? Int == 2)
    }

    @Test(arguments: [
        ["--speed", "-1", "--start", "1"], ["--subtitle-track", "-1"], ["--sub-delay", "-2"],
        ["--audio-offset", "-100"],
    ])
    func `negative numbers are accepted as values`(options: [String]) throws {
        let stats = folder.appending("stats.json")
        try ProcessRunner.run(
            [
                Tool.path, "play", try Films.silent(seconds: 2), "--headless", "--mute",
                "--duration", "0.3", "--stats-json", stats.path,
            ] + options, environment: Tool.bare
        ).expectSuccess()
        let report = try json([UInt8](try Data(contentsOf: stats)))
        #expect(try #require(report["presented"] as? Int) > 0)
    }

    @Test(arguments: [
        "1.123456789zzz", "1.½", "1:-5", "1:+5", "+5", "1e3", ".", ":", "1/0", "1/-2", "-1/2",
        "1.-5", "٣", "99999999999999999999", "1:2:3:4",
    ])
    func `an invalid time is refused with the notation of times`(time: String) throws {
        try Tool.run("snapshot", "film.mp4", "-o", "frame.png", "--at=\(time)")
            .expectError(1, saying: ["<time>", "12.5, 1:02:03.25 or 1001/30000"])
    }

    @Test(arguments: [
        ["snapshot", "-o", "frame.png", "--at=-1"],
        ["play", "--duration=-1"], ["render", "-o", "out.mp4", "--from=-1"], ["frames", "--to=-1"],
        ["snapshot", "-o", "frame.png", "--at", "-1"],
        ["frames", "--to", "-1"],
    ])
    func `negative times are refused`(command: [String]) throws {
        try ProcessRunner.run([Tool.path] + command + ["film.mp4"], environment: Tool.bare)
            .expectError(1, saying: ["'-1'", "<time>", "at least 0"])
    }

    @Test(arguments: [
        ("0.5", 15), (".5", 15), ("1.", 30), ("0:01", 30), ("0:00:01.1234567899", 34),
        ("1001/1001", 30),
    ])
    func `times are accepted in all documented forms`(time: String, first: Int) throws {
        let result = try Tool.run("frames", try Films.silent(seconds: 2), "--from", time)
        let line = try #require(result.text.split(separator: "\n").first)
        #expect(try json(Array(line.utf8))["pts_exact"] as? String == "\(first)/30")
    }

    @Test(arguments: ["frames", "render"])
    func `a range whose end precedes its start is refused`(command: String) throws {
        let output = command == "render" ? ["-o", "out.mp4"] : []
        try ProcessRunner.run(
            [Tool.path, command, "film.mp4", "--from", "5", "--to", "3"] + output,
            environment: Tool.bare
        ).expectError(1, saying: ["--to", "after --from"])
    }

    @Test func `options that need a window are refused without one`() throws {
        try Tool.run("play", "film.mp4", "--headless", "--ab-loop", "0-1")
            .expectError(1, saying: ["--ab-loop"])
        for option in [
            ["--ipc", "socket"], ["--monitor", "0"], ["--output-monitor", "0"], ["--fullscreen"],
            ["--save-position"],
        ] {
            for way in ["--headless", "--untimed"] {
                try ProcessRunner.run(
                    [Tool.path, "play", "film.mp4", way] + option, environment: Tool.bare
                ).expectError(1, saying: [option[0], "needs a window", way])
            }
        }
        try Tool.run("play", "film.mp4", "--duration", "3", "--ab-loop", "0-1")
            .expectError(1, saying: ["--duration", "--ab-loop", "remove one of them"])
        try Tool.run("snapshot", "film.mp4", "--at=9223372036854775807.5", "-o", "frame.png")
            .expectError(1, saying: ["--at"])
    }

    @Test func `frames lists every frame with the same hashes in each run`() throws {
        let film = try Films.film(seconds: 2)
        let first = try Tool.run("frames", film, "--hash")
        let second = try Tool.run("frames", film, "--hash")
        #expect(first.status == 0, "\(first.standardError)")
        #expect(first.standardOutput == second.standardOutput)
        let lines = try first.text.split(separator: "\n").map { try json(Array($0.utf8)) }
        #expect(lines.count == 60)
        for (index, line) in lines.enumerated() {
            #expect(line["index"] as? Int == index)
            #expect(line["pts_exact"] as? String == "\(index)/30")
            #expect(line["time_exact"] as? String == "\(index)/30")
            let (pts, duration) = (line["pts"] as? Double, line["duration"] as? Double)
            #expect(abs(try #require(pts) - Double(index) / 30) < 1e-9)
            #expect(abs(try #require(duration) - 1.0 / 30) < 1e-9)
            #expect(line["keyframe"] as? Bool == index.isMultiple(of: 30))
            #expect((line["sha256"] as? String)?.count == 64)
        }
        // Each frame has its own number.
        #expect(Set(lines.compactMap { $0["sha256"] as? String }).count == 60)
    }

    @Test func `frames lists the frames of a range`() throws {
        let result = try Tool.run(
            "frames", try Films.film(seconds: 2), "--from", "0.5", "--to", "0.7")
        let times = try result.text.split(separator: "\n").map {
            try json(Array($0.utf8))["pts_exact"] as? String
        }
        #expect(times == (15..<21).map { "\($0)/30" })
    }

    @Test(arguments: [0.0, 0.0333, 0.0333333, 0.034, 0.49, 0.99, 1.0, 1.2345, 1.9666, 1.9999])
    func `a snapshot has the exact frame`(time: Double) throws {
        let picture = folder.appending("frame.png")
        let result = try Tool.run(
            "snapshot", try Films.film(seconds: 2), "--at", "\(time)", "-o", picture.path)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(try TestImage(contentsOf: picture).frameNumber() == Int(time * 30 + 1e-5))
    }

    @Test func `all commands count time from the start of the file, whatever its timestamps`()
        throws
    {
        let film = try Films.broadcast(seconds: 2)
        let listed = try Tool.run("frames", film, "--from", "1", "--to", "1.1")
        let lines = try listed.text.split(separator: "\n").map { try json(Array($0.utf8)) }
        let first = try #require(lines.first)
        let time = try #require(first["time_exact"] as? String)
        let (seconds, pts) = (try #require(first["time"] as? Double), first["pts"] as? Double)
        #expect((1..<1.04).contains(seconds))
        #expect(try #require(pts) > seconds + 1)

        let still = folder.appending("still.png")
        try Tool.run("snapshot", film, "--at", time, "-o", still.path).expectSuccess()
        let played = folder.appending("played.png")
        try Tool.run(
            "play", film, "--headless", "--untimed", "--start", time, "--frames", "1",
            "--screenshot", played.path
        ).expectSuccess()
        let number = try #require(try TestImage(contentsOf: still).frameNumber())
        #expect((29...30).contains(number))
        #expect(try TestImage(contentsOf: played).frameNumber() == number)
        #expect(lines.count == 3)
    }

    @Test func `a snapshot has the requested size and effect`() throws {
        let picture = folder.appending("frame.png")
        let film = try Films.film(seconds: 2)
        try Tool.run("snapshot", film, "--at", "1", "--size", "640x360", "-o", picture.path)
            .expectSuccess()
        let plain = try TestImage(contentsOf: picture)
        #expect((plain.width, plain.height) == (640, 360))
        #expect(plain.frameNumber(sourceWidth: 320, sourceHeight: 180) == 30)
        try Tool.run(
            "snapshot", film, "--at", "1", "--effect", "checkerboard", "-o", picture.path
        ).expectSuccess()
        #expect(try TestImage(contentsOf: picture).frameNumber() == nil)
    }

    @Test func `inspect describes a file as text and as JSON`() throws {
        let film = try Films.film(seconds: 2)
        let page = try Tool.run("inspect", film)
        page.expectSuccess()
        #expect(page.text.contains("320 x 180, 30 fps, 4:2:0 (yuv420p)"))
        #expect(page.text.contains("48 kHz, stereo"))
        let report = try json(try Tool.run("inspect", film, "--json").standardOutput)
        // The last audio packet is slightly longer than the video.
        let duration = try #require(report["duration"] as? Double)
        #expect((2.0...2.05).contains(duration))
        let tracks = try #require(report["tracks"] as? [[String: Any]])
        #expect(tracks.compactMap { $0["type"] as? String } == ["video", "audio"])
        #expect(tracks[0]["codec_name"] as? String == "h264")
        #expect(tracks[0]["width"] as? Int == 320)
        #expect(tracks[0]["color_space"] as? String == "bt709")
        #expect(tracks[1]["sample_rate"] as? Int == 48000)
    }

    @Test(arguments: [[], ["play"], ["inspect"], ["snapshot"], ["frames"], ["effect"], ["doctor"]])
    func `every command has help`(verb: [String]) throws {
        let result = try ProcessRunner.run([Tool.path] + verb + ["--help"])
        result.expectSuccess()
        #expect(result.text.contains("USAGE: playhead"))
    }

    @Test func `doctor reports the capabilities of the machine`() throws {
        let result = try Tool.run("doctor")
        result.expectSuccess()
        for word in ["OpenGL", "display", "audio", "FFmpeg", "codecs", "h264"] {
            #expect(result.text.contains(word))
        }
    }
}
