// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render` into audio files.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderAudioFileTests {
    private let folder = TemporaryFolder()

    /// Returns noise of 2 s in stereo, with or without video.
    private func source(_ codec: String, ending: String = "mkv") throws -> String {
        let file = folder.appending("source.\(ending)").path
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-y"]
                + (ending == "mkv" ? ["-i", try Films.silent(seconds: 2)] : [])
                + [
                    "-f", "lavfi", "-i",
                    "anoisesrc=d=2:r=48000:a=0.9:seed=1[l];anoisesrc=d=2:r=48000:a=0.9:seed=2[r];"
                        + "[l][r]join=inputs=2:channel_layout=stereo",
                    "-c:v", "copy", "-c:a", codec, file,
                ])
        return file
    }

    private func samples(_ file: String, as format: String) throws -> [UInt8] {
        try ProcessRunner.run([
            "ffmpeg", "-v", "error", "-i", file, "-map", "0:a:0", "-f", format, "-c:a",
            "pcm_\(format)", "-",
        ]).standardOutput
    }

    @Test(arguments: ["wav", "flac"], [("pcm_s16le", "s16le"), ("pcm_s24le", "s24le")])
    func `lossless files hold the samples of the source`(
        ending: String, codec: (encoder: String, format: String)
    ) throws {
        let file = try source(codec.encoder)
        let output = folder.appending("out.\(ending)").path
        let result = try Tool.run("render", file, "-o", output)
        result.expectSuccess()
        #expect(result.standardError.contains("2.00 s of audio to \(output)"))
        let written = try samples(output, as: codec.format)
        #expect(written == (try samples(file, as: codec.format)))
        // Two seconds of two channels.
        #expect(written.count == 96_000 * 2 * (codec.format == "s16le" ? 2 : 3))
    }

    @Test(arguments: ["ogg", "ogv", "mkv"])
    func `blocks of different lengths are rendered without a cut or padding`(
        ending: String
    ) throws {
        let file = folder.appending("bursts.\(ending)").path
        // Attacks make the encoder switch to short blocks, whose timestamps FFmpeg computes as if
        // they were long.
        let noise = "anoisesrc=r=44100:d=4:seed=7:a=0.4"
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin"]
                + (ending == "ogg"
                    ? [] : ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4"])
                + [
                    "-f", "lavfi", "-i",
                    "\(noise),volume='0.1+0.9*lt(mod(t,0.37),0.05)':eval=frame", "-c:v",
                    ending == "ogv" ? "libtheora" : "mpeg4", "-c:a", "libvorbis", file,
                ])
        let output = folder.appending("out.wav").path
        try Tool.run("render", file, "-o", output).expectSuccess()
        let decoded = try numbers(file)
        let written = try numbers(output)
        #expect(written.count == decoded.count)
        #expect(zip(written, decoded).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    /// Returns the samples of a file as FFmpeg decodes them.
    private func numbers(_ file: String) throws -> [Int16] {
        try samples(file, as: "s16le").withUnsafeBytes {
            Array($0.bindMemory(to: Int16.self))
        }
    }

    @Test(arguments: ["m4a", "opus", "wav", "flac"])
    func `each kind of audio file has the length of the range`(ending: String) throws {
        let file = try source("flac", ending: "flac")
        let output = folder.appending("out.\(ending)").path
        try Tool.run("render", file, "--from", "0.5", "--to", "1.25", "-o", output).expectSuccess()
        let format = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,channels", "-of",
            "csv=p=0", output,
        ])
        #expect(format.text == "audio,2\n")
        // FFmpeg skips the delay of AAC, but not the padding in its last frame of 1024 samples.
        let excess = try samples(output, as: "s16le").count / 4 - 36_000
        #expect(ending == "m4a" ? (0..<1024).contains(excess) : excess == 0, "\(excess)")
        try Tool.run("play", output, "--headless", "--duration", "0.1").expectSuccess()
    }

    @Test func `5.1 stays 5.1, and a track can be selected`() throws {
        let file = folder.appending("surround.mka").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1:r=48000", "-f", "lavfi", "-i",
            "sine=d=1:r=44100,pan=5.1|BL=c0", "-map", "0", "-map", "1", "-c:a", "flac", file,
        ])
        for (track, channels) in [("0", 1), ("1", 6)] {
            let output = folder.appending("out.wav").path
            try Tool.run("render", file, "--audio-track", track, "-o", output).expectSuccess()
            let report = try Tool.run("inspect", output, "--json").text
            #expect(report.contains("\"channels\" : \(channels)"))
        }
        try Tool.run("render", file, "--audio-track", "2", "-o", folder.appending("x.wav").path)
            .expectError(1, saying: ["no audio track 2; the file has 2"])
    }

    @Test func `errors are reported before anything is written`() throws {
        let output = folder.appending("out.flac").path
        let silent = try Films.silent(seconds: 1)
        try Tool.run("render", silent, "-o", output)
            .expectError(2, saying: [silent, "no audio", "name a file with audio"])
        let file = try source("flac", ending: "flac")
        for option in [["--fps", "5"], ["--size", "2x2"], ["--effect", "exposure"], ["--mute"]] {
            try Tool.run(["render", file, "-o", output] + option)
                .expectError(1, saying: [option[0], "audio only", "remove the option"])
        }
        try Tool.run("render", file, "--from", "10", "-o", output).expectError(2, saying: [file])
        try Tool.run("render", file, "-o", file).expectError(1, saying: ["also an input"])
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}
