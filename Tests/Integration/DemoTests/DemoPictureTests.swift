// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// Runs each demo without a window: on a manual clock every run gives the same image.
@Suite("Demo images") struct DemoPictureTests {
    /// A demo, and its expected output.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: Int
        /// Texts that it prints for its last frame.
        var words: [String] = []

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "AtlasPuzzle", frames: 40),
        Case(name: "BandPass", frames: 40, words: ["800 Hz, 1.5 octaves", "1 kHz"]),
        Case(name: "ChromaKeyStudio", frames: 60, words: ["composite before dusk", "Tolerance"]),
        Case(name: "Compositor", frames: 40, words: ["Four videos, one shader"]),
        Case(name: "HueCurve", frames: 40, words: ["HueCurve", "wheel: darker or lighter"]),
        Case(name: "Loupe", frames: 30),
        Case(name: "MovieLibrary", frames: 12, words: ["greenscreen.mp4", "1:02:05"]),
        Case(name: "OwnSound", frames: 70, words: ["timeline +0.00 ms"]),
        Case(name: "PhotoBooth", frames: 56, words: ["halftone"]),
        Case(name: "PullLoop", frames: 20),
        Case(name: "ScreenLoupe", frames: 30),
        Case(name: "Slideshow", frames: 138, words: ["Noon", "0:02.283"]),
        Case(name: "SpinningCube", frames: 30),
        Case(name: "Timebases", frames: 30, words: ["rate −1", "rate 0.5", "9.5 s"]),
        Case(name: "Titles", frames: 60, words: ["Live", "Burnt in", "lower third"]),
        Case(name: "VideoWall", frames: 30, words: ["23.98 fps", "0 ns   0 late"]),
    ]

    /// Text is left out of images, since it depends on the fonts of a machine, and is printed
    /// instead.
    @Test(arguments: cases)
    func `each demo draws its golden image, and the same with OpenGL ES`(_ demo: Case) throws {
        let picture = try picture(of: demo)
        try GoldenImage("demo-\(demo.name)").compare(picture)
        let embedded = try self.picture(of: demo, environment: Demos.embedded)
        #expect(try #require(embedded.difference(from: picture)).maximum <= 1)
    }

    private func picture(
        of demo: Case, environment: [String: String?] = Demos.environment
    ) throws -> TestImage {
        let folder = TemporaryFolder()
        let output = folder.url.appending(path: "picture.png")
        let result = try ProcessRunner.check(
            [
                Demos.path(of: demo.name), "--headless", "--frames", "\(demo.frames)", "--size",
                "320x200", "--wordless", "-o", output.path,
            ], environment: environment)
        for word in demo.words { #expect(result.text.contains(word), "\(result.text)") }
        return try TestImage(contentsOf: output)
    }

    @Test func `a demo reports a wrong option or video in one line`() throws {
        for (arguments, word) in [
            (["--frames", "none"], "--frames none"),
            (["/nonexistent.mp4", "--headless", "--frames", "1"], "/nonexistent.mp4"),
        ] {
            let result = try ProcessRunner.run(
                [Demos.path(of: "BandPass")] + arguments, environment: Demos.environment)
            #expect(result.status != 0)
            #expect(result.standardError.hasPrefix("BandPass: "), "\(result.standardError)")
            #expect(result.standardError.contains(word), "\(result.standardError)")
        }
    }
}
