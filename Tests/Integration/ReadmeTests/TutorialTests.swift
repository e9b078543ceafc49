// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import Testing

/// The tutorials of the DocC catalog, and the programs that their steps build.
@Suite struct TutorialTests {
    static let names = ["OwnContext", "EffectToPreset", "SoundShader", "WallInStep"]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
    }

    /// Runs a program in a folder with the effects of the tutorials.
    private func run(_ name: String, _ files: [URL], in folder: TemporaryFolder) throws -> String {
        let manager = FileManager.default
        let source = Checkout.root.appending(path: "Demos/Tutorials/\(name)")
        for file in try manager.contentsOfDirectory(atPath: source.path)
        where file.hasSuffix(".fs") {
            try manager.copyItem(
                at: source.appending(path: file), to: folder.appending(file))
        }
        let tests = try manager.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: tests).deletingLastPathComponent().appending(path: name)
        return try ProcessRunner.check(
            [program.path] + files.map(\.path),
            environment: [
                "DISPLAY": nil, "WAYLAND_DISPLAY": nil, "PULSE_SERVER": "unix:/nonexistent/pulse",
            ], directory: folder.url
        ).text
    }

    private func image(_ name: String, in folder: TemporaryFolder) throws -> TestImage {
        try TestImage(contentsOf: folder.appending(name))
    }

    private let greenScreen = Checkout.root.appending(path: "Media/greenscreen.mp4")

    /// Returns a second of video, with a low tone.
    private func shortClip() throws -> URL {
        let second = MediaTime(value: 1, timescale: 1)
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: second),
            sounds: [SyntheticSound(.tone(220), duration: second)])
        return try SyntheticClip(media).url()
    }

    @Test(.enabled(if: ProcessRunner.has("python3"), "needs python3"), arguments: names)
    func `the steps of a tutorial lead to the program that is built`(name: String) throws {
        let folder = TemporaryFolder()
        try ProcessRunner.check([
            Checkout.root.appending(path: "Scripts/build-docs").path, "--steps", folder.url.path,
        ])
        let tutorial = try text("Sources/Playhead/Playhead.docc/Tutorials/\(name).tutorial")
        let shown = tutorial.matches(of: /file: ([^)]+)\)/).map { String($0.1) }
        let codes = try shown.map {
            try String(contentsOf: folder.appending($0), encoding: .utf8)
        }
        let program = zip(shown, codes).filter { $0.0.hasPrefix("\(name)-") }
        #expect(program.map(\.0) == (1...program.count).map { "\(name)-\($0).swift" })
        for (step, next) in zip(program, program.dropFirst()) {
            #expect(next.1.hasPrefix(step.1), "\(next.0) does not continue \(step.0)")
        }
        let source = try text("Demos/Tutorials/\(name)/main.swift")
        let license = "// SPDX-License-Identifier: Apache-2.0\n\n"
        #expect(program.last.map { license + $0.1 } == source)
        for (file, code) in zip(shown, codes) where file.hasSuffix(".fs") {
            #expect(try code == text("Demos/Tutorials/\(name)/\(file)"))
            #expect(throws: Never.self) { try Effect(isf: code, path: file) }
        }
    }

    @Test func `the table of contents lists the tutorials`() throws {
        let contents = try text("Sources/Playhead/Playhead.docc/Tutorials/Tutorials.tutorial")
        let listed = contents.matches(of: /tutorial: "doc:(\w+)"/).map { String($0.1) }
        #expect(listed == Self.names)
    }

    @Test func `a program draws frames in an EGL context of its own`() throws {
        let folder = TemporaryFolder()
        let lines = try run("OwnContext", [greenScreen], in: folder).split(separator: "\n")
        let times = lines.compactMap { $0.wholeMatch(of: /frame at ([\d.]+) s/) }
            .compactMap { Double($0.1) }
        #expect(times.count == lines.count && !times.isEmpty)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let corner = try image("frame.png", in: folder)[20, 20]
        #expect(corner.y > corner.x && corner.y > corner.z, "\(corner) is not green")
    }

    @Test func `a preset of a program animates the effect over the video's time`() throws {
        let folder = TemporaryFolder()
        #expect(try run("EffectToPreset", [greenScreen], in: folder).isEmpty)
        let corners = try (0...2).map { try image("dusk-\($0).png", in: folder)[20, 20] }
        // From the green of the screen to a mixture of violet and sand, which has more red.
        #expect(corners[0].y > corners[0].x, "\(corners)")
        #expect(corners[1].x > corners[0].x && corners[2].x > corners[1].x, "\(corners)")
        #expect(corners[2].x > corners[2].y, "\(corners)")
        let preset = try EffectPreset(path: folder.appending("dusk.json").path)
        #expect(preset.name == "Dusk" && preset.entries.map(\.effect) == ["duotone.fs"])
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a tone draws the ring of the shader that it moves`() throws {
        let folder = TemporaryFolder()
        #expect(try run("SoundShader", [shortClip()], in: folder).contains("bass"))
        let pixels = try image("pulse.png", in: folder).pixels
        let ring = stride(from: 0, to: pixels.count, by: 4).filter {
            pixels[$0] > 240 && abs(Int(pixels[$0 + 1]) - 178) < 12 && pixels[$0 + 2] < 70
        }
        #expect(ring.count > 100)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `the timelines of nine players agree`() throws {
        let folder = TemporaryFolder()
        let text = try run("WallInStep", [shortClip()], in: folder)
        #expect(text == "largest difference between two timelines: 0.0 s\n")
        let wall = try image("wall.png", in: folder)
        for row in 0..<3 {
            for column in 0..<3 {
                let tile = (0..<180).flatMap { y in
                    (0..<320).map { wall[column * 320 + $0, row * 180 + y] }
                }
                #expect(Set(tile).count > 1, "nothing at column \(column), row \(row)")
            }
        }
    }
}
