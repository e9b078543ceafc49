// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

/// `play --transition`.
struct TransitionTests {
    private let folder = TemporaryFolder()

    private func transition() throws -> String {
        // As blue as the outgoing video, as green as the incoming one, and red during the
        // transition.
        let url = folder.appending("red.fs")
        let text = """
            /*{ "INPUTS": [
                { "NAME": "startImage", "TYPE": "image" }, { "NAME": "endImage", "TYPE": "image" },
                { "NAME": "progress", "TYPE": "float" },
                { "NAME": "red", "TYPE": "float", "DEFAULT": 1.0 } ] }*/
            void main() {
                gl_FragColor = vec4(red, IMG_THIS_PIXEL(endImage).g, IMG_THIS_PIXEL(startImage).b, 1.0);
            }
            """
        try Data(text.utf8).write(to: url)
        return url.path
    }

    private func color(_ name: String) throws -> String {
        let path = folder.appending("\(name).mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
            "color=\(name):size=64x36:rate=30:duration=2", "-c:v", "ffv1", "-pix_fmt", "bgr0", path,
        ])
        return path
    }

    /// Returns whether there is red, green and blue.
    private func channels(of picture: URL) throws -> [Bool] {
        try TestImage(contentsOf: picture).pixels.prefix(3).map { $0 > 128 }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `a transition goes from the last frame of a file to the next file`() throws {
        let picture = folder.appending("last.png")
        try Tool.run(
            "play", try color("blue"), try color("lime"), "--transition", try transition(),
            "--transition-duration", "60", "--headless", "--screenshot", picture.path
        ).expectSuccess()
        #expect(try channels(of: picture) == [true, true, true])
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `inputs of a transition are set like those of an effect`() throws {
        let picture = folder.appending("last.png")
        try Tool.run(
            "play", try color("blue"), try color("lime"), "--transition", try transition(),
            "--transition-duration", "60", "--set", "red=0", "--headless", "--screenshot",
            picture.path
        ).expectSuccess()
        #expect(try channels(of: picture) == [false, true, true])
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `after the transition only the new file is drawn`() throws {
        let picture = folder.appending("last.png")
        try Tool.run(
            "play", try color("blue"), try color("lime"), "--transition", try transition(),
            "--transition-duration", "0.1", "--headless", "--screenshot", picture.path
        ).expectSuccess()
        #expect(try channels(of: picture) == [false, true, false])
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `both files run during a transition`() throws {
        // The outgoing video is above, the incoming one below.
        let halves = folder.appending("halves.fs")
        let text = """
            /*{ "INPUTS": [
                { "NAME": "startImage", "TYPE": "image" }, { "NAME": "endImage", "TYPE": "image" },
                { "NAME": "progress", "TYPE": "float" } ] }*/
            void main() {
                vec2 place = isf_FragNormCoord;
                gl_FragColor = place.y > 0.5
                    ? IMG_NORM_PIXEL(startImage, place)
                    : IMG_NORM_PIXEL(endImage, place + vec2(0.0, 0.5));
            }
            """
        try Data(text.utf8).write(to: halves)
        // The incoming video ends before the transition: frame 29 is its last one.
        let picture = folder.appending("both.png")
        let below = FrameNumberStrip.Area(
            x: 0, y: Double(Films.height / 2), width: Double(Films.width),
            height: Double(Films.height))
        // At the cut, frame 93 of the outgoing video is shown. While the processors are so busy that
        // its rest is not prepared within a second of the cut, that frame stands.
        let cut = 93
        var outgoing = 0
        for _ in 0..<8 where outgoing <= cut {
            try Tool.run(
                "play", try Films.silent(seconds: 5), try Films.silent(seconds: 1), "--transition",
                "\(halves.path):1.9", "--headless", "--screenshot", picture.path
            ).expectSuccess()
            let image = try TestImage(contentsOf: picture)
            #expect(image.height == Films.height)
            #expect(image.frameNumber(in: below) == 29)
            outgoing = try #require(image.frameNumber())
        }
        #expect((cut + 1..<150).contains(outgoing))
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing"))
    func `an effect that is not a transition is refused`() throws {
        let film = try color("blue")
        try Tool.run("play", film, "--transition", "exposure", "--headless")
            .expectError(1, saying: ["exposure", "--effect"])
        try Tool.run("play", film, "--transition", "fade.glsl", "--headless", "--untimed")
            .expectError(1, saying: ["--untimed"])
    }
}
