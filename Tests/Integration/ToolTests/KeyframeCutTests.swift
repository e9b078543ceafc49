// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `cut --keyframes`: parts that are copied without encoding.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct KeyframeCutTests {
    private let folder = TemporaryFolder()

    /// Makes a video of 8 s with a keyframe each second, frames that are reordered, and audio.
    private func film(_ name: String, encoder: [String] = []) throws -> String {
        let path = folder.appending(name).path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=8", "-f",
                "lavfi", "-i", "sine=d=8:r=48000", "-c:v", "libx264", "-g", "25", "-bf", "2",
                "-sc_threshold", "0", "-pix_fmt", "yuv420p", "-c:a", "aac",
            ] + encoder + [path])
        return path
    }

    private struct Packet: Equatable {
        var time: Double
        var hash: Substring
    }

    /// Returns the packets of a track in the order of the file.
    private func packets(_ file: String, _ stream: String) throws -> [Packet] {
        try ProcessRunner.run([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries",
            "packet=pts_time,data_hash", "-show_data_hash", "md5", "-of", "csv=p=0", file,
        ]).text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count >= 2, let time = Double(fields[0]) else { return nil }
            return Packet(time: time, hash: fields[1])
        }
    }

    /// Returns the ranges that the command printed.
    private func ranges(_ result: ProcessRunner.Result) -> [ClosedRange<Double>] {
        result.text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 4, let start = Double(words[1]), let end = Double(words[3]) else {
                return nil
            }
            return start...end
        }
    }

    @Test(arguments: ["mp4", "mkv", "mov"])
    func `samples are those of the source between the keyframes that are printed`(
        ending: String
    ) throws {
        let source = try film("film.\(ending)")
        let output = folder.appending("out.\(ending)").path
        let result = try Tool.run(
            "cut", "--keyframes", "\(source)[1.5-2.5]", "\(source)[5.5-6]", "-o", output)
        result.expectSuccess()
        let ranges = ranges(result)
        // In Matroska the video begins after the encoder's delay of the audio.
        #expect(ranges.map { $0.lowerBound.rounded(.down) } == [1, 5])
        #expect(ranges.map { $0.upperBound.rounded(.down) } == [3, 6])
        let all = try packets(source, "v:0")
        let copied = try packets(output, "v:0")
        let expected = ranges.flatMap { range in
            all.filter { $0.time >= range.lowerBound - 0.001 && $0.time < range.upperBound - 0.001 }
        }
        #expect(expected.count == 75)
        #expect(copied.map(\.hash) == expected.map(\.hash))
        // The frames follow one another without a gap.
        let frames = try Tool.frames(of: output)
        #expect(frames.count == 75)
        for (index, frame) in frames.enumerated() {
            #expect(abs(frame.time - Double(index) / 25) < 0.0015)
        }
        let sounds = try packets(source, "a:0")
        let heard = try packets(output, "a:0")
        let expectedSounds = ranges.flatMap { range in
            sounds.filter {
                $0.time >= range.lowerBound - 0.0001 && $0.time < range.upperBound - 0.0001
            }
        }
        #expect(heard.map(\.hash) == expectedSounds.map(\.hash))
    }

    @Test func `parts up to the ends of files, and of files with one format, follow one another`()
        throws
    {
        let first = try film("first.mp4")
        let second = try film("second.mp4")
        let output = folder.appending("out.mp4").path
        let result = try Tool.run(
            "cut", "--keyframes", "\(first)[6.2-]", "\(second)[-0.5]", "--mute", "-o", output)
        result.expectSuccess()
        #expect(ranges(result) == [6...8, 0...1])
        #expect(try Tool.frames(of: output).count == 75)
    }

    @Test func `an exact part beyond the end of its file is shorter, and a note says so`() throws {
        let source = try film("film.mp4")
        let output = folder.appending("out.mp4").path
        let result = try Tool.run("cut", "\(source)[7-20]", "--mute", "-o", output)
        result.expectSuccess()
        #expect(result.standardError.contains("the file ends at"), "\(result.standardError)")
        #expect(result.standardError.contains("0:20.000"), "\(result.standardError)")
        #expect(try Tool.frames(of: output).count == 25)
        let within = try Tool.run("cut", "\(source)[7-7.5]", "--mute", "-o", output)
        #expect(!within.standardError.contains("the file ends at"))
    }

    @Test func `what cannot be joined without encoding is refused`() throws {
        let first = try film("first.mp4")
        let other = try film("other.mp4", encoder: ["-crf", "40", "-refs", "1", "-bf", "0"])
        let output = folder.appending("out.mp4").path
        try Tool.run("cut", "--keyframes", first, other, "-o", output)
            .expectError(2, saying: [other, "a different format", "remove --keyframes"])
        try Tool.run("cut", "--keyframes", first, "--size", "32x32", "-o", output)
            .expectError(1, saying: ["--keyframes", "--size"])
        try Tool.run("cut", "--keyframes", "\(first)[20-30]", "-o", output)
            .expectError(1, saying: [first, "use an earlier start"])
        let sound = try Films.sound(seconds: 1)
        try Tool.run("cut", "--keyframes", sound, "-o", output)
            .expectError(2, saying: ["no video"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["first.mp4", "other.mp4"])
    }
}
