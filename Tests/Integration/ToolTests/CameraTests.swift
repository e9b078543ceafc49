// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// The program with cameras whose driver is played by a preloaded library.
@Suite("Cameras", .enabled(if: FakeCamera.isAvailable, "\(FakeCamera.absence)"))
struct CameraTests {
    private let folder = TemporaryFolder()
    private static let yuyv = "format=YUYV 640x480 30"

    private func path(_ name: String) -> String { folder.appending(name).path }

    private func run(
        _ camera: FakeCamera, _ arguments: String..., at location: SourceLocation = #_sourceLocation
    ) throws -> ProcessRunner.Result {
        try Tool.run(arguments, environment: camera.environment)
    }

    private func image(_ name: String) throws -> TestImage {
        try TestImage(contentsOf: folder.appending(name))
    }

    @Test func `a camera is shown with its frames upright`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let result = try run(
            camera, "play", "camera:0", "--headless", "--frames", "5", "--screenshot",
            path("shot.png"))
        result.expectSuccess()
        let shot = try image("shot.png")
        #expect((shot.width, shot.height) == (640, 480))
        #expect(shot.frameNumber() != nil)
        #expect(result.standardError.contains("0 damaged"))
    }

    @Test func `a mirrored camera is shown mirrored and recorded as it is`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let result = try run(
            camera, "play", "camera:", "--headless", "--mirror", "--duration", "1", "--screenshot",
            path("shot.png"), "--record", path("out.mkv"))
        result.expectSuccess()
        let shot = try image("shot.png")
        #expect(shot.frameNumber() == nil)
        #expect(shot.mirrored.frameNumber() != nil)
        let frames = try Tool.run("frames", path("out.mkv"), "--hash")
        frames.expectSuccess()
        let still = try Tool.run("snapshot", path("out.mkv"), "--at", "0", "-o", path("first.png"))
        still.expectSuccess()
        #expect(try image("first.png").frameNumber() != nil)
    }

    @Test func `effects apply to a camera`() throws {
        let camera = try FakeCamera(Self.yuyv)
        try Data(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
            void main() { gl_FragColor = vec4(1.0 - IMG_THIS_PIXEL(inputImage).rgb, 1.0); }
            """.utf8
        ).write(to: folder.appending("negative.fs"))
        try run(
            camera, "play", "camera:0", "--headless", "--frames", "3", "--effect",
            path("negative.fs"), "--screenshot", path("shot.png")
        ).expectSuccess()
        let shot = try image("shot.png")
        #expect(shot.frameNumber() == nil)
        #expect(shot.inverted.frameNumber() != nil)
    }

    @Test func `wishes select the format, and the driver is asked for it`() throws {
        let camera = try FakeCamera(
            "format=YUYV 640x480 30 15", "format=YUYV 320x240 30", "format=NV12 1280x720 10")
        try run(
            camera, "play", "camera:0?size=320x240", "--headless", "--frames", "2", "--screenshot",
            path("shot.png")
        ).expectSuccess()
        #expect(try image("shot.png").width == 320)
        try run(
            camera, "play", "camera:Fake Camera?format=nv12&rate=10", "--headless", "--frames", "2",
            "--screenshot", path("shot.png")
        ).expectSuccess()
        #expect(try image("shot.png").width == 1280)
        try run(camera, "play", "camera:0?size=640x480&rate=60", "--headless").expectError(
            2, saying: ["Fake Camera: it does not offer rate=60; use 30, 15"])
        try run(camera, "play", "camera:0?format=h264", "--headless").expectError(
            2, saying: ["it does not offer format=h264; use NV12, YUYV"])
        try run(camera, "play", "camera:0?size=1x1", "--headless").expectError(
            2, saying: ["it does not offer size=1x1; use 640x480, 320x240, 1280x720"])
        try run(camera, "play", "camera:0?speed=2", "--headless").expectError(
            2, saying: ["it has no control speed; use brightness"])
        try run(camera, "play", "camera:0?speed=fast", "--headless").expectError(
            1,
            saying: [
                "expected size=WxH, rate=N, format=NAME, range=full or CONTROL=N", "'speed=fast'",
            ])
    }

    @Test func `a size that the driver changes is reported`() throws {
        let camera = try FakeCamera(Self.yuyv, "actual=320x240")
        let result = try run(
            camera, "play", "camera:0?size=640x480", "--headless", "--frames", "2", "--screenshot",
            path("shot.png"))
        result.expectSuccess()
        #expect(result.standardError.contains("the driver delivers 320x240 instead of 640x480"))
        #expect(try image("shot.png").width == 320)
    }

    @Test(arguments: [
        ("busy=1", "another program uses it; find that program"),
        ("denied=1", "you may not use"),
        ("bandwidth=1", "the USB bus does not have enough bandwidth"),
    ])
    func `a camera that cannot be used is an error with a remedy`(
        line: String, words: String
    ) throws {
        let camera = try FakeCamera(Self.yuyv, line)
        try run(camera, "play", "camera:0", "--headless").expectError(2, saying: [words])
    }

    @Test func `a camera that is not there is an error, and a file of its name is a file`() throws {
        let camera = try FakeCamera(Self.yuyv)
        try run(camera, "play", "camera:7", "--headless").expectError(
            2, saying: ["camera:7: there is no such camera; use camera:0"])
        try camera.unplug()
        try run(camera, "play", "camera:0", "--headless").expectError(
            2, saying: ["camera:0: there is no camera; plug one in"])
        try FileManager.default.copyItem(
            atPath: Films.silent(seconds: 1), toPath: path("camera:0"))
        try Tool.run(
            ["play", "./camera:0", "--headless", "--frames", "2", "--mute"],
            environment: camera.environment, in: folder.url
        ).expectSuccess()
    }

    @Test func `options that a camera cannot follow are refused`() throws {
        let camera = try FakeCamera(Self.yuyv)
        try run(camera, "play", "camera:0", "--headless", "--speed", "2").expectError(
            1, saying: ["--speed cannot be combined with a camera; remove --speed"])
        try run(camera, "play", "camera:0", "film.mp4", "--headless").expectError(
            1, saying: ["a camera can be combined only with one microphone"])
        try Tool.run("play", "film.mp4", "--mirror").expectError(
            1, saying: ["--mirror needs a camera"])
    }

    @Test func `a recording has every frame in order, and is refused over a file`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let result = try run(
            camera, "play", "camera:0", "--headless", "--duration", "2", "--record",
            path("out.mkv"))
        result.expectSuccess()
        #expect(result.standardError.contains("out.mkv: recorded "))
        let inspect = try Tool.run("inspect", path("out.mkv"))
        inspect.expectSuccess()
        #expect(inspect.text.contains("640 x 480"))
        try run(
            camera, "play", "camera:0", "--headless", "--record", path("out.mkv")
        ).expectError(2, saying: ["out.mkv", "already exists"])
        try run(
            camera, "play", "camera:0", "--headless", "--record", path("out.txt")
        ).expectError(2, saying: ["no container for recordings has this extension; use .mkv"])
    }

    @Test(arguments: ["out.mkv", "out.mp4"])
    func `a recording that is killed plays`(name: String) throws {
        let camera = try FakeCamera(Self.yuyv)
        let process = try Tool.start(
            ["play", "camera:0", "--headless", "--record", path(name)],
            environment: camera.environment)
        let part = path(name) + ".part"
        // Two fragments, of two seconds each.
        try eventually("two fragments") {
            guard FileManager.default.fileExists(atPath: part) else { return false }
            let result = try Tool.run("frames", part)
            return result.status == 0 && result.text.split(separator: "\n").count >= 90
        }
        process.kill()
        _ = process.wait(patience)
        #expect(!FileManager.default.fileExists(atPath: path(name)))
        let played = try Tool.run("play", part, "--headless", "--untimed")
        played.expectSuccess()
    }

    @Test func `cameras are listed with their formats and controls`() throws {
        let camera = try FakeCamera("card=Desk Camera", "bus=usb-7", Self.yuyv)
        let result = try run(camera, "devices")
        result.expectSuccess()
        #expect(result.text.hasPrefix("camera:0  Desk Camera\n    v4l2:usb-7\n"))
        #expect(result.text.contains("    640 x 480 YUYV, 30 fps\n"))
        #expect(result.text.contains("brightness 128 (0 to 255)"))
    }

    @Test func `a control is set by its name`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let calls = path("calls")
        try Tool.run(
            [
                "play", "camera:0?brightness=200&exposure_dynamic_framerate=0", "--headless",
                "--frames", "1",
            ], environment: camera.environment.merging(["FAKE_CAMERA_CALLS": calls]) { $1 }
        ).expectSuccess()
        // V4L2_CID_BRIGHTNESS and V4L2_CID_EXPOSURE_AUTO_PRIORITY of v4l2-controls.h.
        let lines = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
        #expect(
            lines.filter { $0.hasPrefix("control") }.sorted()
                == ["control 0x980900 200", "control 0x9a0903 0"])
        try run(camera, "play", "camera:0?brightness=300", "--headless").expectError(
            2, saying: ["brightness=300", "use 0 to 255"])
    }

    @Test func `doctor names the programs that have a camera open, and missing rights`() throws {
        let camera = try FakeCamera(Self.yuyv)
        try camera.set(["denied=1"], node: 1)
        let holder = try ChildProcess(
            ["sh", "-c", "exec sleep 1000 9<\(camera.folder.appending("video0").path)"])
        try eventually("the holder to have it open") {
            (try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(holder.identifier)/fd/9")) != nil
        }
        let result = try run(camera, "doctor")
        #expect(result.text.contains("camera    Fake Camera, "))
        #expect(result.text.contains("also open in sleep (\(holder.identifier))"))
        #expect(result.text.contains("add yourself to the device's group"))
        holder.kill()
    }

    @Test(.enabled(if: XServer.isAvailable, "needs Xvfb and xdotool"))
    func `the panel of a window sets the controls, and copies them`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let display = try XServer()
        let program = try Tool.start(
            ["play", "camera:0", "--size", "640x480"],
            environment: camera.environment.merging(["DISPLAY": display.name]) { $1 })
        _ = try eventually("a frame") {
            try display.picture().frameNumber(
                sourceWidth: 640, sourceHeight: 480,
                in: FrameNumberStrip.Area(x: 0, y: 0, width: 640, height: 480))
        }
        try display.xdotool("mousemove", "100", "60")
        // The first control is the brightness, the last row copies.
        try display.xdotool("key", "Tab", "Down", "2", "0", "0", "Return")
        try display.xdotool("key", "Down", "Down", "Down", "Down", "Return")
        try eventually("the copy") {
            program.standardError.contains(
                "copied: 'camera:0?brightness=200&exposure_dynamic_framerate=1'")
        }
        try display.xdotool("key", "Escape", "q")
        #expect(program.wait(patience) == 0)
    }

    @Test(.enabled(if: XServer.isAvailable, "needs Xvfb and xdotool"))
    func `a window shows the frames as they come, dim while the camera is unplugged`() throws {
        let camera = try FakeCamera(Self.yuyv)
        let display = try XServer()
        let program = try Tool.start(
            ["play", "camera:0", "--size", "1280x720"],
            environment: camera.environment.merging(["DISPLAY": display.name]) { $1 })
        // 640 x 480 in a window of 1280 x 720.
        let area = FrameNumberStrip.Area(x: 160, y: 0, width: 960, height: 720)
        func number() throws -> Int? {
            try display.picture().frameNumber(sourceWidth: 640, sourceHeight: 480, in: area)
        }
        let first = try eventually("a frame") { try number() }
        _ = try eventually("a later frame") { try (number() ?? 0) > first + 10 ? true : nil }
        try camera.unplug()
        try eventually("a note") { program.standardError.contains("the device was unplugged") }
        try camera.plug()
        try eventually("its end") { program.standardError.contains("delivers frames again") }
        // A new start counts from 0.
        _ = try eventually("frames") { try number() }
        try display.xdotool("mousemove", "100", "60")
        try display.xdotool("key", "q")
        #expect(program.wait(patience) == 0)
    }
}

extension TestImage {
    /// The image with left and right exchanged.
    fileprivate var mirrored: TestImage {
        var image = self
        for y in 0..<height {
            for x in 0..<width {
                for part in 0..<4 {
                    image.pixels[(y * width + x) * 4 + part] =
                        pixels[(y * width + width - 1 - x) * 4 + part]
                }
            }
        }
        return image
    }

    /// The negative of the image.
    fileprivate var inverted: TestImage {
        TestImage(width: width, height: height, pixels: pixels.map { 255 - $0 })
    }
}
