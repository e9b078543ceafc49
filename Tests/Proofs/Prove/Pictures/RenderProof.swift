// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport

/// `prove render`: rendered files are reproducible, equal to playback, and as long as their source.
///
/// 1. A video is rendered losslessly through every built-in effect, twice: the digests of all
///    frames are equal, and there are as many frames, at the same times, as in the video.
/// 2. The last frame of the rendered file equals, bit for bit, the last frame that `play --headless
///    --untimed` drew through the same effect, wherever it is opaque. (In real time effects get the
///    time of the vsync, which falls between the times of frames, so animated effects differ by
///    that.)
/// 3. Videos with audio are rendered into each container: the declared duration of the audio is
///    that of the source, within a sample or the container's unit of time.
struct RenderProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Rendering is exact, for every built-in effect.")

    @Flag(help: "Checks every fourth effect.")
    var short = false

    private static let frameCount = 8

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("render: ffmpeg is missing; apt-get install ffmpeg")
        }
        let tool = try Tool.path()
        let folder = TemporaryFolder()
        let film = folder.appending("film.mkv").path
        let source = "testsrc2=size=192x108:rate=30:duration=\(Double(Self.frameCount) / 30)"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "ffv1", "-pix_fmt",
            "yuv420p", film,
        ])
        let list = try ProcessRunner.check([tool, "effect", "list", "--json"]).standardOutput
        struct Named: Decodable { let name: String }
        let names = try JSONDecoder().decode([Named].self, from: Data(list)).map(\.name)
        let chosen = names.enumerated().filter { !short || $0.offset % 4 == 0 }.map(\.element)
        var report = Report("render")
        let times = try frames(film, tool).map(\.time)
        var frameCount = 0
        for name in chosen {
            Progress.show("rendering through \(name)")
            let wrong = try check(name, film, times, tool, folder)
            frameCount += times.count
            if let wrong { report.require(false, "\(name): \(wrong)") }
        }
        report.add("effects", "\(chosen.count) of \(names.count), \(frameCount) frames, each twice")
        try checkSound(tool, folder, &report)
        try report.finish()
    }

    private struct Frame: Decodable, Equatable {
        let time: String
        let sha256: String?
        enum CodingKeys: String, CodingKey {
            case time = "pts_exact"
            case sha256
        }
    }

    private func frames(_ file: String, _ tool: String) throws -> [Frame] {
        try ProcessRunner.check([tool, "frames", file, "--hash"], deadline: .seconds(120))
            .standardOutput.split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Frame.self, from: Data($0)) }
    }

    /// Returns the problem with the file rendered through an effect; nil on success.
    private func check(
        _ effect: String, _ film: String, _ times: [String], _ tool: String,
        _ folder: TemporaryFolder
    ) throws -> String? {
        var written: [[Frame]] = []
        let outputs = ["one.mkv", "two.mkv"].map { folder.appending($0).path }
        for output in outputs {
            try ProcessRunner.check(
                [tool, "render", film, "--effect", effect, "-o", output], deadline: .seconds(300))
            written.append(try frames(output, tool))
        }
        if written[0] != written[1] { return "two renderings differ" }
        if written[0].map(\.time) != times {
            return "\(written[0].count) frames, not at the video's \(times.count) times"
        }
        // The last frame that play drew, and the same frame of the rendered file, as images.
        let (shown, stored) = (folder.appending("shown.png"), folder.appending("stored.png"))
        try ProcessRunner.check(
            [
                tool, "play", film, "--headless", "--untimed", "--size", "192x108", "--effect",
                effect, "--screenshot", shown.path,
            ], deadline: .seconds(300))
        let last = Double(times.count) - 0.5
        try ProcessRunner.check(
            [tool, "snapshot", outputs[0], "--at", "\(last / 30)", "-o", stored.path],
            deadline: .seconds(120))
        let (played, rendered) = (
            try TestImage(contentsOf: shown), try TestImage(contentsOf: stored)
        )
        guard played.pixels.count == rendered.pixels.count else {
            return "the played frame has another size"
        }
        // Where an effect is transparent, play shows its checkerboard.
        for pixel in stride(from: 0, to: rendered.pixels.count, by: 4)
        where rendered.pixels[pixel + 3] == 255
            && played.pixels[pixel..<pixel + 3] != rendered.pixels[pixel..<pixel + 3]
        {
            return "the played frame differs from the rendered one at pixel \(pixel / 4)"
        }
        return nil
    }

    private func checkSound(
        _ tool: String, _ folder: TemporaryFolder, _ report: inout Report
    ) throws {
        var figures: [String] = []
        for rate in [44_100, 48_000] {
            let film = folder.appending("sound\(rate).mov").path
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                "testsrc=size=64x36:rate=25:duration=1.48", "-f", "lavfi", "-i",
                "sine=frequency=440:sample_rate=\(rate):duration=1.48", "-c:v", "libx264", "-c:a",
                "pcm_s16le", film,
            ])
            let due = 1.48
            for (ending, unit) in [("mp4", 1.0 / Double(rate)), ("mov", 1.0 / Double(rate))] {
                let output = folder.appending("sound.\(ending)").path
                try ProcessRunner.check(
                    [tool, "render", film, "-o", output], deadline: .seconds(120))
                let text = try ProcessRunner.check([
                    "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries",
                    "stream=start_time,duration", "-of", "csv=p=0", output,
                ]).text
                let numbers = text.split { $0 == "," || $0 == "\n" }.compactMap { Double($0) }
                let isRight =
                    numbers.count == 2 && abs(numbers[0]) < unit
                    && abs(numbers[1] - due) < 1.5 * unit
                figures.append("\(ending) \(numbers.last ?? -1) s")
                report.require(
                    isRight, "audio at \(rate) Hz in .\(ending): \(text), and should be \(due)")
            }
        }
        report.add("audio of 1.48 s", figures.joined(separator: ", "))
    }
}
