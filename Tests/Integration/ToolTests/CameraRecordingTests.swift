// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Recordings of cameras that do not end as planned.
@Suite("Camera recordings", .enabled(if: FakeCamera.isAvailable, "\(FakeCamera.absence)"))
struct CameraRecordingTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.appending(name).path }

    /// Returns the number of frames that a file shows.
    private func frameCount(_ path: String) throws -> Int {
        let frames = try Tool.run("frames", path)
        frames.expectSuccess()
        return frames.text.split(separator: "\n").count
    }

    @Test(
        .enabled(if: Mounting.isAllowed, "\(Mounting.absence)"), arguments: ["out.mkv", "out.mp4"])
    func `on a full disk the recording ends with an error, and what is written plays`(
        name: String
    ) throws {
        let camera = try FakeCamera("format=YUYV 640x480 30")
        for folder in ["disk", "copy"] {
            try FileManager.default.createDirectory(
                atPath: path(folder), withIntermediateDirectories: false)
        }
        let file = path("disk/\(name)")
        let process = try Tool.start(
            ["play", "camera:0", "--headless", "--record", file], environment: camera.environment,
            by: Mounting.disk(kibibytes: 48, at: path("disk"), copiedTo: path("copy")))
        #expect(process.wait(patience) == 2, "\(process.standardError)")
        let words = process.standardError
        #expect(words.contains("\(file): the disk is full; delete some files"), "\(words)")
        #expect(words.contains("what was recorded is in \(file).part"), "\(words)")
        let part = path("copy/\(name).part")
        try Tool.run("play", part, "--headless", "--untimed").expectSuccess()
        #expect(try frameCount(part) >= 60)
    }

    /// Returns a library with which it takes three seconds to store a file on the disk, which is
    /// longer than a program usually has after a signal.
    private func slowDisk() throws -> String {
        let (source, library) = (path("slow.c"), path("slow.so"))
        let text = """
            #include <sys/syscall.h>
            #include <unistd.h>
            int fsync(int file) {
                for (unsigned seconds = 3; seconds; seconds = sleep(seconds)) {}
                return (int)syscall(SYS_fsync, file);
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
        try ProcessRunner.check([
            ProcessRunner.has("clang") ? "clang" : "cc", "-shared", "-fPIC", "-o", library, source,
        ])
        return library
    }

    @Test func `a recording that a signal ends is complete, however slow the disk is`() throws {
        let camera = try FakeCamera("format=YUYV 640x480 30")
        var environment = try camera.environment
        let libraries = [environment["LD_PRELOAD"] ?? "", try slowDisk()].compactMap { $0 }
        environment["LD_PRELOAD"] = libraries.joined(separator: ":")
        let process = try Tool.start(
            ["play", "camera:0", "--headless", "--record", path("out.mkv")],
            environment: environment)
        try eventually("frames in the temporary file") {
            (try? Data(contentsOf: folder.appending("out.mkv.part")).count) ?? 0 > 0
        }
        process.signal(SIGINT)
        #expect(process.wait(patience) == 0, "\(process.standardError)")
        #expect(try frameCount(path("out.mkv")) > 0)
    }

    @Test(.enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make images"))
    func `a camera whose images change their size is shown and recorded`() throws {
        let camera = try FakeCamera("nothing")
        var images = Data()
        for size in ["320x240", "160x120"] {
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0xC86432:s=\(size):r=30:d=0.5",
                "-pix_fmt", "yuvj422p", "-f", "mjpeg", path(size),
            ])
            images += try Data(contentsOf: folder.appending(size))
        }
        try images.write(to: folder.appending("frames.mjpeg"))
        try camera.set(["format=MJPG 320x240 30", "mjpeg=\(path("frames.mjpeg"))"])
        let result = try Tool.run(
            ["play", "camera:0", "--headless", "--duration", "2", "--record", path("out.mkv")],
            environment: camera.environment)
        result.expectSuccess()
        #expect(result.standardError.contains(", 0 damaged"), "\(result.standardError)")
        let inspect = try Tool.run("inspect", path("out.mkv"))
        #expect(inspect.text.contains("320 x 240"), "\(inspect.text)")
        #expect(try frameCount(path("out.mkv")) > 15)
    }
}
