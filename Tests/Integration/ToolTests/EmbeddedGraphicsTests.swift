// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The program with a driver that has OpenGL 3.1 and OpenGL ES 3.2, like that of the Raspberry Pi.
@Suite(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
struct EmbeddedGraphicsTests {
    private static let environment = ["MESA_GL_VERSION_OVERRIDE": "3.1"]
    private let folder = TemporaryFolder()

    @Test func `the doctor names OpenGL ES`() throws {
        let result = try Tool.run("doctor", environment: Self.environment)
        result.expectSuccess()
        #expect(result.text.contains("OpenGL    ES 3."), "\(result.text)")
    }

    /// The names of the built-in effects.
    private static let effects: [String] = {
        let folder = Checkout.root.appending(path: "Shaders/Effects")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".fs") }.map { String($0.dropLast(3)) }.sorted()
    }()

    @Test func `the built-in effects are found`() { #expect(Self.effects.count > 30) }

    @Test(arguments: effects)
    func `effects draw the same frame as with OpenGL`(_ effect: String) throws {
        let film = try Films.silent(seconds: 2)
        let images = try [[:], Self.environment].map { environment in
            let picture = folder.appending("\(environment.count).png")
            try Tool.run(
                "snapshot", film, "--at", "1", "--effect", effect, "--background", "checkerboard",
                "--size", "320x180", "-o", picture.path, environment: environment
            ).expectSuccess()
            return try TestImage(contentsOf: picture)
        }
        #expect(try #require(images[1].difference(from: images[0])).maximum <= 1)
    }

    @Test(arguments: [
        ["--effect", "contrast"], ["--effect", "contrast", "--pixel-format", "yuv422p10"],
        ["--transition", "dissolve:0.5"],
    ])
    func `files are rendered as with OpenGL`(_ options: [String]) throws {
        let film = try Films.silent(seconds: 1)
        let frames = try [[:], Self.environment].map { environment in
            let output = folder.appending("\(environment.count).mkv").path
            try Tool.run(
                ["render", film, film, "-o", output, "--codec", "ffv1"] + options,
                environment: environment
            ).expectSuccess()
            return try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-i", output, "-f", "framemd5", "-",
            ]).text
        }
        #expect(frames[0] == frames[1])
    }

    private func computeShader() throws -> URL {
        let shader = folder.appending("compute.hook")
        let text = """
            //!HOOK MAIN
            //!BIND HOOKED
            //!COMPUTE 16 16
            void hook() {
                imageStore(out_image, ivec2(gl_GlobalInvocationID), HOOKED_tex(HOOKED_pos).brga);
            }
            """
        try Data(text.utf8).write(to: shader)
        return shader
    }

    @Test func `compute shaders draw as with OpenGL`() throws {
        let shader = try computeShader()
        let film = try Films.silent(seconds: 1)
        let images = try [[:], Self.environment].map { environment in
            let picture = folder.appending("\(environment.count).png")
            try Tool.run(
                "snapshot", film, "--effect", shader.path, "-o", picture.path,
                environment: environment
            ).expectSuccess()
            return try TestImage(contentsOf: picture)
        }
        #expect(try #require(images[1].difference(from: images[0])).maximum <= 1)
    }

    /// Compute shaders need OpenGL ES 3.1.
    @Test func `an effect that needs more than the driver has says so`() throws {
        let shader = try computeShader()
        try Tool.run(
            "snapshot", try Films.silent(seconds: 1), "--effect", shader.path, "-o",
            folder.appending("none.png").path,
            environment: [
                "MESA_GL_VERSION_OVERRIDE": "3.1", "MESA_GLES_VERSION_OVERRIDE": "3.0",
            ]
        ).expectError(4, saying: ["OpenGL ES 3.1"])
    }

    @Suite(.serialized, .enabled(if: XServer.isAvailable, XServer.absence))
    struct Windows {
        @Test func `a window plays a video`() throws {
            let session = try PlayerSession(
                try Films.silent(seconds: 12), environment: EmbeddedGraphicsTests.environment)
            let early = try session.waitForFrame("the first frames") { $0 > 2 }
            try session.waitForFrame("the video to advance") { $0 > early + 10 }
            try session.press("space")
            _ = try session.standingFrame()
            try session.press("shift+question")
            try session.quit()
        }
    }
}
