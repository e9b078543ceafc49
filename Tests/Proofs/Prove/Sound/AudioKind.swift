// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// A codec in a container, as ffmpeg encodes it from `AudioMaterial`.
struct AudioKind {
    var name: String
    /// The extension of the file's name, from which ffmpeg selects the container.
    var container: String
    var encoder: [String]
    /// The encoder of the video beside it; nil for audio alone.
    var video: [String]?
    var sampleRate = 44_100
    /// A Boolean value that indicates whether decoding from a packet in the middle gives the same
    /// bits as decoding from the start.
    var isExact = true

    init(
        _ codec: String, _ container: String, _ options: [String] = [], video: [String]? = nil,
        rate: Int = 44_100, isExact: Bool = true
    ) {
        name =
            "\(codec) in \(container)" + (video == nil ? "" : " with video")
            + (options.isEmpty ? "" : " \(options.joined(separator: " "))")
        self.container = container
        encoder = ["-c:a", codec] + options
        self.video = video
        sampleRate = rate
        self.isExact = isExact
    }

    /// Encodes the first seconds of the material.
    func write(to file: URL, material: URL, seconds: Double) throws {
        var arguments = [
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "f32le", "-ar", "\(sampleRate)",
            "-ac", "2", "-t", "\(seconds)", "-i", material.path,
        ]
        if let video {
            arguments += ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=\(seconds)"]
            arguments +=
                ["-map", "0", "-map", "1", "-g", "50", "-pix_fmt", "yuv420p", "-c:v"] + video
        }
        try ProcessRunner.check(
            arguments + ["-fflags", "+bitexact"] + encoder + [file.path], deadline: .seconds(120))
    }

    private static let h264 = ["libx264", "-preset", "ultrafast"]
    private static let aac = ["-aac_pns", "0"]

    /// Every codec with priming, pre-roll, a bit reservoir or block switching, and some without,
    /// in each container that takes it.
    static let matrix: [AudioKind] = [
        AudioKind("aac", "m4a", aac), AudioKind("aac", "mp4", aac, video: h264),
        AudioKind("aac", "mkv", aac), AudioKind("aac", "mkv", aac, video: h264),
        AudioKind("aac", "aac", aac), AudioKind("aac", "ts", aac),
        AudioKind("aac", "ts", aac, video: h264), AudioKind("aac", "flv", aac, video: h264),
        AudioKind("aac", "avi", aac, video: ["mpeg4"]),
        AudioKind("aac", "m4a", aac, rate: 48_000), AudioKind("aac", "mkv", aac, rate: 48_000),
        AudioKind("libmp3lame", "mp3"), AudioKind("libmp3lame", "mp3", ["-q:a", "2"]),
        AudioKind("libmp3lame", "mp3", ["-q:a", "2", "-write_xing", "0"]),
        AudioKind("libmp3lame", "mp4", video: h264), AudioKind("libmp3lame", "mkv"),
        AudioKind("libmp3lame", "mkv", video: h264),
        AudioKind("libmp3lame", "avi", video: ["mpeg4"]),
        AudioKind("libmp3lame", "ts", video: h264),
        AudioKind("libmp3lame", "mp3", ["-b:a", "320k"]),
        AudioKind("libopus", "opus", rate: 48_000, isExact: false),
        AudioKind("libopus", "webm", rate: 48_000, isExact: false),
        AudioKind("libopus", "mkv", video: h264, rate: 48_000, isExact: false),
        AudioKind("libopus", "mp4", rate: 48_000, isExact: false),
        AudioKind("libopus", "mp4", video: h264, rate: 48_000, isExact: false),
        AudioKind("libopus", "ts", rate: 48_000, isExact: false),
        AudioKind("libvorbis", "ogg"), AudioKind("libvorbis", "mkv"),
        AudioKind("libvorbis", "mkv", video: h264), AudioKind("libvorbis", "webm", rate: 48_000),
        AudioKind("libvorbis", "ogv", video: ["libtheora"]),
        AudioKind("vorbis", "ogg", ["-strict", "-2"]),
        AudioKind("vorbis", "mkv", ["-strict", "-2"]),
        AudioKind("ac3", "ac3", rate: 48_000), AudioKind("ac3", "mp4", video: h264),
        AudioKind("ac3", "mkv", rate: 48_000), AudioKind("ac3", "mkv", video: h264),
        AudioKind("ac3", "ts", video: h264, rate: 48_000),
        AudioKind("ac3", "avi", video: ["mpeg4"], rate: 48_000),
        AudioKind("ac3", "rm", video: ["rv10"]),
        AudioKind("wmav2", "wma"), AudioKind("wmav2", "wmv", video: ["wmv2"]),
        AudioKind("wmav2", "mkv"), AudioKind("wmav2", "avi", video: ["mpeg4"]),
        AudioKind("wmav1", "wma"),
        // FFmpeg's decoder of MP2 dithers.
        AudioKind("mp2", "ts", rate: 48_000, isExact: false),
        AudioKind("mp2", "mpg", video: ["mpeg2video"], isExact: false),
        AudioKind("flac", "flac"), AudioKind("flac", "ogg"), AudioKind("flac", "mkv"),
        AudioKind("flac", "mp4", ["-strict", "-2"], video: h264),
        AudioKind("pcm_s16le", "wav"), AudioKind("pcm_s16le", "mkv"),
        AudioKind("pcm_s16le", "mov", video: h264), AudioKind("pcm_s16le", "avi", video: ["mpeg4"]),
        AudioKind("alac", "m4a"),
    ]
}
