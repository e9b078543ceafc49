// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// Windows of cameras that are minimised.
@Suite(
    "Hidden cameras",
    .enabled(
        if: FakeCamera.isAvailable && XServer.isAvailable,
        "needs Xvfb and xdotool; \(FakeCamera.absence)"))
struct HiddenCameraTests {
    private let camera: FakeCamera
    private let display: XServer
    /// The driver's calls, and its frames.
    private let calls, log: String
    private let area = FrameNumberStrip.Area(x: 0, y: 0, width: 640, height: 480)

    init() throws {
        camera = try FakeCamera("format=YUYV 640x480 30")
        display = try XServer()
        calls = camera.folder.appending("calls").path
        log = camera.folder.appending("log").path
    }

    private var environment: [String: String?] {
        get throws {
            try camera.environment.merging([
                "DISPLAY": display.name, "FAKE_CAMERA_CALLS": calls, "FAKE_CAMERA_LOG": log,
            ]) { $1 }
        }
    }

    /// Minimises a window, or restores it.
    private func setMinimised(_ isMinimised: Bool, _ window: String) throws {
        let client = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "XClient")
        try ProcessRunner.check(
            [client.path, isMinimised ? "minimise" : "restore", window],
            environment: ["DISPLAY": display.name], deadline: patience)
    }

    private func lines(_ path: String) -> [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
            .map { $0[...] }
    }

    private func number() throws -> Int? {
        try display.picture().frameNumber(sourceWidth: 640, sourceHeight: 480, in: area)
    }

    /// Returns how often the threads of a process have gone to sleep, or have been interrupted.
    private func sleeps(_ process: ChildProcess) throws -> Int {
        let tasks = "/proc/\(process.identifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
            let status = (try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8))
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Minimises and restores the window of a program whose window shows the camera.
    private func check(_ program: ChildProcess, class name: String) throws {
        try eventually("30 frames") { lines(log).count > 30 }
        let window = try eventually("the window") {
            let found = try display.xdotool("search", "--onlyvisible", "--class", name)
            return found.isEmpty ? nil : found
        }
        try setMinimised(true, window)
        try eventually("the device to be closed") {
            lines(calls).suffix(2) == ["streamoff", "close"]
        }
        try eventually("a second without a wake-up") {
            let before = try sleeps(program)
            sleep(1)
            return try sleeps(program) == before
        }
        let starts = lines(calls).count { $0 == "streamon" }
        try setMinimised(false, window)
        try eventually("the device to be open") {
            lines(calls).count { $0 == "streamon" } == starts + 1
        }
        let count = lines(log).count
        try eventually("frames") { lines(log).count > count + 3 }
    }

    @Test func `a minimised window closes its camera, and shows it again when it is restored`()
        throws
    {
        let program = try Tool.start(
            ["play", "camera:0", "--size", "640x480", "--no-config"], environment: environment)
        let first = try eventually("a later frame") { try number().flatMap { $0 > 60 ? $0 : nil } }
        try check(program, class: "playhead")
        // The driver counts from 0 again.
        _ = try eventually("a new frame") { try number().flatMap { $0 < first ? $0 : nil } }
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0)
    }

    /// Minimises the window of a program, lets another program take the camera, and restores the
    /// window. The camera is free again after `isReported` has returned true.
    private func checkInUse(
        _ program: ChildProcess, class name: String, isReported: () throws -> Bool
    ) throws {
        try eventually("frames") { lines(log).count > 3 }
        let window = try eventually("the window") {
            let found = try display.xdotool("search", "--onlyvisible", "--class", name)
            return found.isEmpty ? nil : found
        }
        try setMinimised(true, window)
        try eventually("the device to be closed") { lines(calls).last == "close" }
        try camera.set(["format=YUYV 640x480 30", "busy=1"])
        try setMinimised(false, window)
        try eventually("the reason") { try isReported() }
        let tries = lines(calls).count { $0 == "open" }
        try eventually("more tries") { lines(calls).count { $0 == "open" } > tries + 2 }
        #expect(!program.hasEnded)
        try camera.set(["format=YUYV 640x480 30"])
        try eventually("the device to be open") { lines(calls).last == "streamon" }
        let count = lines(log).count
        try eventually("frames") { lines(log).count > count + 3 }
    }

    @Test func `a camera that another program has taken meanwhile is shown once it is free`() throws
    {
        let program = try Tool.start(
            ["play", "camera:0", "--size", "640x480", "--no-config"], environment: environment)
        func notes() -> [Substring] { program.standardError.split(separator: "\n") }
        let reason = "Fake Camera: another program uses it; "
        try checkInUse(program, class: "playhead") { notes().contains { $0.contains(reason) } }
        #expect(notes().count { $0.contains(reason) } == 1, "\(notes())")
        #expect(notes().contains { $0.hasSuffix("Fake Camera: delivers frames again") })
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0)
    }

    @Test func `a demo waits for its camera while another program uses it`() throws {
        let demo = URL(filePath: Tool.path).deletingLastPathComponent()
            .appending(path: "PhotoBooth").path
        let program = try ChildProcess(
            [demo], environment: Tool.bare.merging(environment) { $1 })
        func has(title: String) throws -> Bool {
            try !display.xdotool("search", "--name", title).isEmpty
        }
        try checkInUse(program, class: "playhead-demo") {
            try has(title: "Fake Camera: another program uses it")
        }
        try eventually("the title") { try has(title: "Fake Camera, plain") }
        program.kill()
    }

    @Test func `a demo completes its recording before it ends`() throws {
        let demo = URL(filePath: Tool.path).deletingLastPathComponent()
            .appending(path: "PhotoBooth").path
        let folder = TemporaryFolder()
        let program = try ChildProcess(
            [demo], environment: Tool.bare.merging(environment) { $1 }, directory: folder.url)
        let movie = folder.appending("photo-booth-1.mkv")
        try eventually("the title") {
            try !display.xdotool("search", "--name", "Fake Camera, plain").isEmpty
        }
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "r")
        try eventually("frames in the temporary file") {
            (try? Data(contentsOf: folder.appending("photo-booth-1.mkv.part")).count) ?? 0 > 0
        }
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0, "\(program.standardError)")
        try Tool.run("frames", movie.path).expectSuccess()
    }

    @Test func `a camera that is recorded stays open while its window is minimised`() throws {
        let folder = TemporaryFolder()
        let path = folder.appending("out.mkv").path
        let program = try Tool.start(
            ["play", "camera:0", "--size", "640x480", "--no-config", "--record", path],
            environment: environment)
        _ = try eventually("a frame") { try number() }
        let window = try display.xdotool("search", "--onlyvisible", "--class", "playhead")
        try setMinimised(true, window)
        let count = lines(log).count
        try eventually("30 more frames") { lines(log).count > count + 30 }
        #expect(lines(calls).last == "streamon")
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0)
        let frames = try Tool.run("frames", path)
        frames.expectSuccess()
        #expect(frames.text.split(separator: "\n").count >= 30)
    }

    @Test func `a minimised demo closes its camera`() throws {
        let demo = URL(filePath: Tool.path).deletingLastPathComponent()
            .appending(path: "PhotoBooth").path
        let program = try ChildProcess(
            [demo], environment: Tool.bare.merging(environment) { $1 })
        try check(program, class: "playhead-demo")
        program.kill()
    }
}
