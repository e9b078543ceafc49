// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// The program with the screens and windows of a private X server.
@Suite("Screens", .enabled(if: XServer.isAvailable, "needs Xvfb and xdotool"))
struct ScreenToolTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.appending(name).path }

    /// Starts a client whose window shows a number until the input is closed.
    private func client(
        _ server: XServer, _ number: Int, title: String, _ x: Int, _ y: Int
    ) throws -> ChildProcess {
        let program = URL(filePath: Tool.path).deletingLastPathComponent()
            .appending(path: "XClient")
        let process = try ChildProcess(
            [program.path, "numbers", title, "\(x)", "\(y)", "320", "180"],
            environment: ["DISPLAY": server.name]
        ) { write in
            guard Array("\(number)\n".utf8).withUnsafeBytes(write) else { return }
            // Writing fails when the client has ended.
            while Array("\(number)\n".utf8).withUnsafeBytes(write) { usleep(50_000) }
        }
        try eventually("the window") { process.standardOutput.last == UInt8(ascii: "\n") }
        return process
    }

    @Test func `screens and windows are listed, shown and recorded`() throws {
        let server = try XServer()
        let client = try client(server, 77, title: "Numbers", 100, 50)
        let environment = ["DISPLAY": server.name]
        let list = try Tool.run(["devices"], environment: environment)
        #expect(list.text.contains("    1280 x 720 BGR0, 60 fps\n"), "\(list.text)")
        #expect(list.text.contains("window:0  Numbers\n    x11-window:0x"))
        for (index, device) in ["screen:0+100,50,320x180?cursor=0", "window:Numbers"].enumerated() {
            let result = try Tool.run(
                [
                    "play", device, "--headless", "--duration", "0.5", "--screenshot",
                    path("\(index).png"), "--record", path("\(index).mkv"),
                ], environment: environment)
            result.expectSuccess()
            let shot = try TestImage(contentsOf: folder.appending("\(index).png"))
            #expect((shot.width, shot.height) == (320, 180))
            #expect(shot.frameNumber() == 77)
            try Tool.run("frames", path("\(index).mkv")).expectSuccess()
        }
        client.kill()
    }

    @Test(.enabled(if: ProcessRunner.has("xrandr"), "needs xrandr"))
    func `a recording goes on when the screen changes its size`() throws {
        let server = try XServer()
        let client = try client(server, 77, title: "Numbers", 0, 0)
        let program = try Tool.start(
            ["play", "screen:0", "--headless", "--no-config", "--record", path("out.mkv")],
            environment: ["DISPLAY": server.name])
        /// Waits until more frames are in the temporary file.
        func record() throws {
            func size() throws -> Int {
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                guard let part = files.first(where: { $0.hasSuffix(".part") }) else { return 0 }
                return try Data(contentsOf: folder.appending(part)).count
            }
            let before = try size()
            try eventually("more frames") { try size() > before }
        }
        try record()
        for size in [(800, 600), (1280, 720)] {
            try server.resize(width: size.0, height: size.1)
            try record()
            try record()
        }
        program.signal(SIGINT)
        #expect(program.wait(patience) == 0, "\(program.standardError)")
        let frames = try Tool.run("frames", path("out.mkv"))
        frames.expectSuccess()
        // Clusters begin every two seconds.
        #expect(frames.text.split(separator: "\n").count > 60)
        let info = try Tool.run("inspect", path("out.mkv"))
        #expect(info.text.contains("1280 x 720, "), "\(info.text)")
        client.kill()
    }

    @Test(.enabled(if: ProcessRunner.has("xrandr"), "needs xrandr"))
    func `a recording is complete when what is recorded is gone`() throws {
        let server = try XServer()
        let client = try client(server, 77, title: "Numbers", 900, 50)
        let program = try Tool.start(
            [
                "play", "screen:0+900,50,320x180", "--headless", "--no-config", "--record",
                path("out.mp4"),
            ], environment: ["DISPLAY": server.name])
        try eventually("frames in the temporary file") {
            (try? Data(contentsOf: folder.appending("out.mp4.part")).count) ?? 0 > 0
        }
        try server.resize(width: 800, height: 600)
        #expect(program.wait(patience) == 2, "\(program.standardError)")
        #expect(program.standardError.contains("the part is not within its 800 x 600 pixels"))
        try Tool.run("frames", path("out.mp4")).expectSuccess()
        client.kill()
    }

    @Test func `a screen that cannot be captured is an error with a remedy`() throws {
        let server = try XServer()
        let environment = ["DISPLAY": server.name]
        func run(_ device: String, _ status: Int32, _ words: String) throws {
            try Tool.run(["play", device, "--headless"], environment: environment)
                .expectError(status, saying: [words])
        }
        try run("screen:7", 2, "screen:7: there is no such screen; use screen:0")
        try run("window:None", 2, "window:None: there is no window")
        try run("screen:0+1000,0,640x360", 2, "the part is not within its 1280 x 720 pixels")
        try run("screen:0+1,2", 1, "expected +X,Y,WxH, rate=N up to 60 or cursor=0, found '+1,2'")
        try run("screen:0?rate=500", 1, "found 'rate=500'")
        try Tool.run(
            ["play", "screen:0", "--headless", "--speed", "2"], environment: environment
        ).expectError(1, saying: ["--speed cannot be combined with a screen; remove --speed"])
        try Tool.run(
            ["play", "screen:0", "--headless"], environment: ["DISPLAY": ":987"]
        ).expectError(2, saying: ["screen:0: there is no screen"])
    }
}
