// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Every command of the README, run in a shell as by a reader, with files of the names used there.
/// Commands that would open a window play three frames, without a window if possible.
@Suite(
    .serialized, .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .timeLimit(.minutes(20)))
struct ReadmeCommandsTests {
    /// The lines of its code blocks that call the program, without comments.
    static let commands: [String] = {
        let readme = try? String(
            contentsOf: Checkout.root.appendingPathComponent("Documentation/Player.md"),
            encoding: .utf8)
        let blocks = (readme ?? "").components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.flatMap { $0.split(separator: "\n") }
            .filter { $0.hasPrefix("playhead ") }
            .map { line in
                let command = line.range(of: "  #").map { line[..<$0.lowerBound] } ?? line
                return command.trimmingCharacters(in: .whitespaces)
            }
    }()

    @Test func `there are commands to try`() {
        #expect(Self.commands.count > 10)
    }

    /// Returns a camera without hardware that has the formats of the commands.
    private func camera() throws -> FakeCamera? {
        guard FakeCamera.isAvailable else { return nil }
        let camera = try FakeCamera("nothing")
        let images = camera.folder.appending("frames.mjpeg").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30:d=1",
            "-f", "mjpeg", images,
        ])
        try camera.set(["format=YUYV 640x480 30", "format=MJPG 1280x720 30", "mjpeg=\(images)"])
        return camera
    }

    @Test(.enabled(if: XServer.isAvailable, XServer.absence), arguments: commands)
    func `each command of the README works`(command: String) throws {
        let folder = TemporaryFolder()
        // One command contains a time beyond a minute.
        let film = try Films.film(seconds: command.contains("1:02") ? 64 : 1)
        func put(_ source: String, _ name: String) throws {
            let target = folder.appending(name)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: source, toPath: target.path)
        }
        for name in ["film.mp4", "one.mp4", "two.mkv", "film.mkv", "Films/three.mp4"] {
            try put(film, name)
        }
        try put(
            Checkout.root.appendingPathComponent("Shaders/Effects/bloom.fs").path, "glow.fs")
        try Data("1\n00:00:00,000 --> 00:00:01,000\nWords\n\n".utf8).write(
            to: folder.appending("film.de.srt"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("playhead").path, withDestinationPath: Tool.path)
        var line = command.replacingOccurrences(of: "/tmp/playhead", with: "socket")
        // A folder stays open until it is left, so one of its files is played.
        line = line.replacingOccurrences(
            of: "--browse Films/", with: "--browse Films/three.mp4")
        // Options that control a window are refused without one.
        let hasWindow = line.contains("--ipc") || line.contains("--browse")
        let display = hasWindow ? try XServer() : nil
        if line.hasPrefix("playhead play"), !line.contains("--headless") {
            line += hasWindow ? " --frames 3 --mute" : " --headless --frames 3 --mute"
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let camera = try line.contains("camera:") ? camera() : nil
        let result = try ProcessRunner.run(
            ["sh", "-c", line],
            environment: Tool.bare.merging(
                ["PATH": "\(folder.url.path):\(path)", "DISPLAY": display?.name]
            ) { $1 }.merging(camera?.environment ?? [:]) { $1 },
            directory: folder.url, deadline: patience)
        #expect(result.status == 0, "\(line): \(result.standardError)")
        let words = line.split(separator: " ").map(String.init)
        for (option, name) in zip(words, words.dropFirst())
        where ["-o", "--stats-json", "--stats-csv"].contains(option) {
            let bytes = try Data(contentsOf: folder.appending(name))
            #expect(!bytes.isEmpty, "\(line): \(name)")
        }
    }
}
