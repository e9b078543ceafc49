// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// The program with the microphones of a private audio server.
@Suite(
    "Microphones", .serialized,
    .enabled(if: SoundServer.isAvailable && FakeCamera.isAvailable, SoundServer.absence))
struct MicrophoneToolTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.appending(name).path }

    @Test func `microphones are listed with their formats`() throws {
        let server = try SoundServer()
        let result = try Tool.run(["devices"], environment: ["PULSE_SERVER": server.address])
        result.expectSuccess()
        #expect(result.text.contains("microphone:0  Monitor of Null Output\n"))
        #expect(result.text.contains("    pulse:null.monitor\n    44100 Hz, 2 channels\n"))
    }

    @Test func `a microphone alone is shown as levels and recorded`() throws {
        let server = try SoundServer()
        let result = try Tool.run(
            [
                "play", "microphone:null.monitor", "--headless", "--duration", "1", "--record",
                path("out.flac"), "--screenshot", path("shot.png"),
            ], environment: ["PULSE_SERVER": server.address])
        result.expectSuccess()
        #expect(result.standardError.contains("peak silent"))
        #expect(result.standardError.contains("out.flac: recorded "))
        let shot = try TestImage(contentsOf: folder.appending("shot.png"))
        #expect((shot.width, shot.height) == (480, 140))
        let inspect = try Tool.run("inspect", path("out.flac"))
        inspect.expectSuccess()
        #expect(inspect.text.contains("44.1 kHz") && inspect.text.contains("flac"))
    }

    @Test func `a microphone beside a camera is the audio of the recording`() throws {
        let server = try SoundServer()
        let camera = try FakeCamera("format=YUYV 640x480 30")
        let result = try Tool.run(
            [
                "play", "camera:0", "microphone:0", "--headless", "--duration", "2", "--record",
                path("out.mkv"),
            ], environment: camera.environment.merging(["PULSE_SERVER": server.address]) { $1 })
        result.expectSuccess()
        let inspect = try Tool.run("inspect", path("out.mkv"))
        inspect.expectSuccess()
        #expect(inspect.text.contains("640 x 480"))
        #expect(inspect.text.contains("44.1 kHz") && inspect.text.contains("FLAC"))
    }

    @Test func `options that do not suit a microphone are refused, and no server is an error`()
        throws
    {
        let server = try SoundServer()
        let environment = ["PULSE_SERVER": server.address]
        try Tool.run(
            ["play", "microphone:0", "--headless", "--speed", "2"], environment: environment
        ).expectError(1, saying: ["--speed cannot be combined with a microphone; remove --speed"])
        try Tool.run(
            ["play", "microphone:0", "film.mp4", "--headless"], environment: environment
        ).expectError(1, saying: ["a microphone can be combined only with one camera"])
        try Tool.run(
            ["play", "microphone:0", "--headless", "--record", path("out.txt")],
            environment: environment
        ).expectError(2, saying: ["use .wav, .flac, .m4a, .opus or .mka"])
        try Tool.run(
            ["play", "microphone:desk", "--headless"], environment: environment
        ).expectError(2, saying: ["microphone:desk: there is no such microphone; use microphone:0"])
        try Tool.run(
            ["play", "microphone:0", "--headless"],
            environment: ["PULSE_SERVER": "unix:/nonexistent/native"]
        ).expectError(2, saying: ["microphone:0: PulseAudio: connecting: Connection refused"])
        try Tool.run("play", "film.mp4", "--record", path("out.mkv")).expectError(
            1, saying: ["--record needs a camera or a microphone"])
    }
}
