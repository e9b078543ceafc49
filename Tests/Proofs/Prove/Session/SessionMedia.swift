// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// The files of a session: videos of several kinds, subtitles, effects, and faulty files, all made
/// here.
struct SessionMedia {
    static let width = 640
    static let height = 360
    static let framesPerSecond = 30

    /// H.264 at 30 frames a second with frame numbers in its pixels, and two audio tracks.
    let film: String
    /// Videos of other sizes, rates and formats, with and without audio; an image, and audio alone.
    let others: [String]
    /// Files that cannot be played at all.
    let broken: [String]
    /// Files that can be played in part.
    let damaged: [String]
    let subtitles: [String]
    let effects: [String]
    /// An effect that does not compile.
    let brokenEffect: String
    /// A folder with two videos.
    let filmFolder: String
    private let folder = TemporaryFolder()

    init() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("session: ffmpeg is missing; apt-get install ffmpeg")
        }
        let folder = folder
        func path(_ name: String) -> String { folder.appending(name).path }
        func encode(_ name: String, _ arguments: [String]) throws -> String {
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments + [path(name)],
                deadline: .seconds(120))
            return path(name)
        }
        film = try Self.clip(seconds: 60).url().path
        let small = "testsrc2=size=320x240:rate=25:duration=20"
        let tone = "sine=frequency=330:sample_rate=44100:duration=20"
        others = [
            try encode(
                "ten-bit.mkv",
                ["-f", "lavfi", "-i", small, "-pix_fmt", "yuv422p10le", "-c:v", "ffv1"]),
            try encode(
                "broadcast.ts",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=720x576:rate=25:duration=20", "-f", "lavfi",
                    "-i", tone, "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-c:a", "mp2",
                ]),
            try encode(
                "large.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30:duration=6", "-c:v",
                    "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
                ]),
            try encode(
                "sound.m4a",
                ["-f", "lavfi", "-i", tone, "-c:a", "aac", "-metadata", "title=A tone"]),
            try encode("picture.png", ["-f", "lavfi", "-i", small, "-frames:v", "1"]),
        ]
        try FileManager.default.createDirectory(
            atPath: path("broken"), withIntermediateDirectories: true)
        let bytes = try Data(contentsOf: URL(filePath: film))
        func write(_ name: String, _ data: Data) throws -> String {
            try data.write(to: folder.appending(name))
            return path(name)
        }
        broken = [
            path("broken/missing.mp4"),
            try write("broken/empty.mp4", Data()),
            try write("broken/words.mp4", Data("This is not a video.\n".utf8)),
            try write("broken/cut.mp4", bytes.prefix(bytes.count / 3)),
        ]
        damaged = [try write("broken/scratched.ts", try Self.scratched(others[1]))]
        filmFolder = path("films")
        try FileManager.default.createDirectory(
            atPath: filmFolder, withIntermediateDirectories: true)
        for name in ["one.mp4", "two.mp4"] { _ = try write("films/\(name)", bytes) }
        subtitles = try Self.subtitles(write)
        effects = [
            try write("invert.fs", Data(Self.effect("vec4(1.0 - c.rgb, c.a)").utf8)),
            try write("warm.cube", Data(Self.cube.utf8)),
        ]
        brokenEffect = try write("broken/wrong.fs", Data(Self.effect("nothing(c)").utf8))
    }

    private static func clip(seconds: Int64) -> SyntheticClip {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: Int32(framesPerSecond), duration: duration))
        (media.width, media.height) = (width, height)
        media.keyframeInterval = 45
        media.bidirectionalFrames = 2
        media.sounds = ["en", "de"].map { SyntheticSound(duration: duration, languageTag: $0) }
        return SyntheticClip(media)
    }

    /// A transport stream with noise in the middle.
    private static func scratched(_ file: String) throws -> Data {
        var data = try Data(contentsOf: URL(filePath: file))
        var generator = SplitMix64(seed: 7)
        for start in stride(from: data.count / 3, to: data.count / 2, by: 9_000) {
            for index in start..<min(start + 700, data.count) {
                data[index] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return data
    }

    private static func subtitles(
        _ write: (String, Data) throws -> String
    ) throws -> [String] {
        func time(_ seconds: Int) -> String { seconds < 10 ? "0\(seconds)" : "\(seconds)" }
        let cues = (0..<30).map { index in
            "\(index + 1)\n00:00:\(time(index * 2)),000 --> 00:00:\(time(index * 2 + 1)),500\n"
                + "Line \(index + 1)\n\n"
        }
        let script = """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 640
            PlayResY: 360

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, Outline, Alignment
            Style: Default,DejaVu Sans,28,&H0000FFFF,&H00000000,2,8

            [Events]
            Format: Start, End, Style, Text
            Dialogue: 0:00:00.00,0:01:00.00,Default,{\\move(100,40,540,40)}On its way

            """
        return [
            try write("words.srt", Data(cues.joined().utf8)),
            try write("moving.ass", Data(script.utf8)),
        ]
    }

    private static func effect(_ expression: String) -> String {
        """
        /*{ "ISFVSN": "2", "INPUTS": [
            { "NAME": "inputImage", "TYPE": "image" },
            { "NAME": "amount", "TYPE": "float", "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0 } ] }*/
        void main() {
            vec4 c = IMG_THIS_PIXEL(inputImage);
            gl_FragColor = mix(c, \(expression), amount);
        }
        """
    }

    /// The smallest LUT possible, slightly warmer than neutral.
    private static let cube: String = {
        let lines = (0..<8).map { index in
            "\(index & 1) \(Double(index >> 1 & 1) * 0.95) \(Double(index >> 2) * 0.85)"
        }
        return "LUT_3D_SIZE 2\n" + lines.joined(separator: "\n") + "\n"
    }()
}
