// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render`: the written audio is the audio that plays.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderSoundTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [(192_000, 96_000), (5_000, 7_350), (44_100, 44_100)])
    func `audio at a rate that AAC lacks is written at the nearest rate`(of rate: Int, written: Int)
        throws
    {
        let film = folder.appending("film.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=\(rate)", "-c:v", "copy", "-c:a", "pcm_s16le", film,
        ])
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "--to", "0.5", "-o", output).expectSuccess()
        let report = try Tool.run("inspect", output, "--json")
        #expect(report.text.contains("\"sample_rate\" : \(written)"))
    }

    @Test func `effects receive the same audio as during playback`() throws {
        let film = folder.appending("tone.mkv").path
        // A tone from 1 s on, of half of full scale on the left, of a quarter on the right.
        let tone = "sin(2*PI*7500*t)*gte(t,1)"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 2), "-f", "lavfi", "-i",
            "aevalsrc='0.5*\(tone)|0.25*\(tone)':s=48000:d=2", "-c:v", "copy", "-c:a", "pcm_s16le",
            film,
        ])
        let effect = folder.appending("meter.fs")
        try Data(
            """
            /*{ "INPUTS": [ { "NAME": "fft", "TYPE": "audioFFT", "MAX": 8 },
                            { "NAME": "wave", "TYPE": "audio", "MAX": 64 } ] }*/
            void main() {
                float most = 0.0;
                for (int i = 0; i < 64; i++)
                    most = max(most, IMG_PIXEL(wave, vec2(float(i) + 0.5, 0.5)).r);
                gl_FragColor = vec4(
                    IMG_PIXEL(fft, vec2(2.5, 0.5)).r, IMG_PIXEL(fft, vec2(2.5, 1.5)).r,
                    IMG_SIZE(fft).y > 1.5 ? most : 0.0, 1.0);
            }
            """.utf8
        ).write(to: effect)
        let picture = folder.appending("out.png")
        let clip = folder.appending("out.mkv").path
        func expect(_ expected: [Int], _ what: String) throws {
            let image = try TestImage(contentsOf: picture)
            let seen = image.pixels.prefix(3).map { Int($0) }
            #expect(zip(seen, expected).allSatisfy { abs($0 - $1) <= 4 }, "\(what): \(seen)")
        }
        for (time, expected) in [("0.5", [0, 0, 128]), ("1.5", [128, 64, 191])] {
            try Tool.run(
                "snapshot", film, "--at", time, "--effect", effect.path, "-o", picture.path
            ).expectSuccess()
            try expect(expected, "snapshot at \(time)")
        }
        try Tool.run(
            "render", film, "--effect", effect.path, "--mute", "--from", "0.8", "--to", "1.2",
            "-o", clip
        ).expectSuccess()
        for (time, expected) in [("0", [0, 0, 128]), ("0.35", [128, 64, 191])] {
            try Tool.run("snapshot", clip, "--at", time, "-o", picture.path).expectSuccess()
            try expect(expected, "rendered at \(time)")
        }
        try Tool.run(
            "play", film, "--untimed", "--headless", "--start", "1", "--frames", "10", "--effect",
            effect.path, "--screenshot", picture.path
        ).expectSuccess()
        try expect([128, 64, 191], "untimed")
        try Tool.run(
            "play", film, "--headless", "--start", "1", "--frames", "10", "--effect", effect.path,
            "--screenshot", picture.path
        ).expectSuccess()
        try expect([128, 64, 191], "without an audio device")
    }

    /// Returns the time at which the last audio packet of a file begins, in seconds.
    private func soundEnd(_ file: String) throws -> Double {
        let packets = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries",
            "packet=pts_time", "-of", "csv=p=0", file,
        ])
        return packets.text.split(whereSeparator: { $0.isNewline || $0 == "," }).compactMap {
            Double($0)
        }.max() ?? 0
    }

    @Test func `a gap in the audio is written as silence`() throws {
        let film = folder.appending("gap.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 3), "-f", "lavfi", "-i",
            "sine=d=3:r=48000,aselect='not(between(t,1,2))'", "-c:v", "copy", "-c:a",
            "pcm_s16le", film,
        ])
        #expect(abs(try soundEnd(film) - 3) < 0.1)
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        #expect(abs(try soundEnd(output) - 3) < 0.1)
    }

    @Test func `the default audio track is written, to its own end`() throws {
        let film = folder.appending("two.mp4").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 3), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-f", "lavfi", "-i", "sine=d=3:r=48000", "-map", "0:v", "-map",
            "1:a", "-map", "2:a", "-disposition:a:0", "0", "-disposition:a:1", "default", "-c:v",
            "copy", "-c:a", "aac", film,
        ])
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        #expect(abs(try soundEnd(output) - 3) < 0.1)
    }

    /// Returns the level of a channel of a file's audio, in dB.
    private func level(_ channel: String, of file: String) throws -> Double {
        let result = try ProcessRunner.run([
            "ffmpeg", "-hide_banner", "-nostats", "-i", file, "-af",
            "pan=mono|c0=\(channel),volumedetect", "-f", "null", "-",
        ])
        let words = result.standardError.components(separatedBy: "mean_volume: ").last ?? ""
        return Double(words.split(separator: " ").first ?? "") ?? -100
    }

    @Test(arguments: [
        ("5.1", "mkv"), ("5.1(side)", "mkv"), ("5.1(side)", "mp4"), ("5.1", "webm"),
        ("quad", "mkv"),
    ])
    func `5.1 audio is written unchanged, and a downmix of other layouts is reported`(
        layout: String, ending: String
    ) throws {
        let film = folder.appending("film.mka.mkv").path
        let back = layout == "5.1(side)" ? "SL" : "BL"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000,pan=\(layout)|\(back)=c0", "-c:v", "copy", "-c:a", "flac", film,
        ])
        let output = folder.appending("out.\(ending)").path
        // Small frames: VP9 takes minutes for larger ones on a busy machine.
        let result = try Tool.run("render", film, "--size", "64x36", "-o", output)
        result.expectSuccess()
        let report = try Tool.run("inspect", output, "--json").text
        guard layout != "quad" else {
            #expect(result.standardError.contains("audio downmixed from 4 channels to 2"))
            #expect(report.contains("\"channels\" : 2"))
            return
        }
        #expect(report.contains("\"channels\" : 6"))
        #expect(try level("BL", of: output) > -30)
        #expect(try level("FC", of: output) < -50)
    }

    @Test func `--audio-track selects the audio that is written`() throws {
        let film = folder.appending("two.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-f", "lavfi", "-i", "sine=d=1:r=32000", "-map", "0:v", "-map",
            "1:a", "-map", "2:a", "-c:v", "copy", "-c:a", "pcm_s16le", film,
        ])
        for (track, rate) in [("0", 48000), ("1", 32000)] {
            let output = folder.appending("out.mkv").path
            try Tool.run("render", film, "--audio-track", track, "-o", output).expectSuccess()
            let report = try Tool.run("inspect", output, "--json").text
            #expect(report.contains("\"sample_rate\" : \(rate)"))
        }
        try Tool.run("render", film, "--audio-track", "2", "-o", folder.appending("x.mkv").path)
            .expectError(1, saying: ["no audio track 2; the file has 2"])
    }

    @Test func `audio of an unknown format is left out and reported`() throws {
        // A stream with video only, whose tables declare audio, too.
        let film = folder.appending("promise.ts").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac",
            "-streamid", "0:256", "-streamid", "1:257", film,
        ])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: film))
        for packet in stride(from: 0, to: bytes.count - 187, by: 188)
        where (Int(bytes[packet + 1] & 0x1F) << 8 | Int(bytes[packet + 2])) == 257 {
            // Null packets: H.222.0's PID 0x1FFF.
            bytes[packet + 1] |= 0x1F
            bytes[packet + 2] = 0xFF
        }
        try bytes.write(to: URL(fileURLWithPath: film))
        let output = folder.appending("out.mkv").path
        let result = try Tool.run("render", film, "-o", output)
        result.expectSuccess()
        #expect(
            result.standardError.contains("without audio, whose format the file does not declare"))
    }

    @Test(arguments: ["quad", "5.0"])
    func `downmixed channels do not exceed full scale`(layout: String) throws {
        let film = folder.appending("loud.mkv").path
        let count = layout == "quad" ? 4 : 5
        let loud = Array(repeating: "0.9*sin(880*t)", count: count).joined(separator: "|")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "aevalsrc=\(loud):c=\(layout):d=1:s=48000", "-c:v", "copy", "-c:a", "flac", film,
        ])
        let output = folder.appending("out.mkv").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        let result = try ProcessRunner.run([
            "ffmpeg", "-hide_banner", "-nostats", "-i", output, "-af",
            "astats=measure_perchannel=none", "-f", "null", "-",
        ])
        let peak = result.standardError.components(separatedBy: "Peak level dB: ").last ?? ""
        #expect(try #require(Double(peak.prefix { !$0.isNewline })) <= 0)
    }

    @Test func `eight channels stay eight, and one unnamed channel stays one`() throws {
        let film = folder.appending("eight.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "anullsrc=r=48000:cl=7.1", "-t", "1", "-c:v", "copy", "-c:a", "flac", film,
        ])
        let mono = folder.appending("one.nut").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-c:v", "copy", "-c:a", "pcm_s16le", mono,
        ])
        for (file, count) in [(film, 8), (mono, 1)] {
            for ending in ["mp4", "mkv"] {
                let output = folder.appending("out.\(ending)").path
                try Tool.run("render", file, "-o", output).expectSuccess()
                let report = try Tool.run("inspect", output, "--json").text
                #expect(report.contains("\"channels\" : \(count)"), "\(file) as \(ending)")
            }
        }
    }

    @Test func `a cover is shown for as long as its audio, or as the rendered part of it`() throws {
        let picture = folder.appending("cover.png").path
        let album = folder.appending("album.mp3").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-frames:v", "1",
            picture,
        ])
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=3:r=44100", "-i", picture, "-map",
            "0", "-map", "1", "-c:a", "libmp3lame", "-c:v", "copy", "-disposition:v",
            "attached_pic", album,
        ])
        func duration(_ file: String) throws -> Double {
            let result = try ProcessRunner.run([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                "stream=duration", "-of", "csv=p=0", file,
            ])
            return Double(result.text.filter { $0.isNumber || $0 == "." }) ?? 0
        }
        let output = folder.appending("out.mp4").path
        try Tool.run("render", album, "-o", output).expectSuccess()
        #expect(abs(try duration(output) - 3) < 0.1)
        let part = ["--from", "1", "--to", "2"]
        try Tool.run(["render", album, "-o", output] + part).expectSuccess()
        #expect(abs(try duration(output) - 1) < 0.01)
        try Tool.run(["render", album, "-o", output, "--fps", "10"] + part).expectSuccess()
        #expect(abs(try duration(output) - 1) < 0.01)
    }
}
