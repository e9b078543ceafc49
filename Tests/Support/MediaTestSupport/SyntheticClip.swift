// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc
public import PlayheadAssets
import PlayheadTime

/// A `SyntheticMedia` as a real file, encoded by the `ffmpeg` command when a test needs it.
///
/// Frames carry their number, and each second flashes and ticks, as in a `SyntheticAsset`. Times
/// are exact to the frames' timescale, also at a variable rate. Files are kept in the temporary
/// folder under a name derived from all settings, so each is encoded once.
///
///     let clip = SyntheticClip(SyntheticMedia(), videoCodec: "libvpx-vp9", container: "webm")
///     let asset = URLAsset(url: try clip.url())
///
/// - Concurrency: any thread; blocks it. Several threads may create the same clip at once.
public struct SyntheticClip: Sendable {
    public var media: SyntheticMedia
    /// FFmpeg's names of the encoders.
    public var videoCodec: String
    public var audioCodec: String
    /// FFmpeg's name of the pixel format to encode in.
    public var pixelFormat: String
    /// The extension of the file's name, which selects ffmpeg's container.
    public var container: String
    /// Additional ffmpeg options for the output, after all others.
    public var options: [String]

    public init(
        _ media: SyntheticMedia = SyntheticMedia(), videoCodec: String = "libx264",
        audioCodec: String = "aac", pixelFormat: String = "yuv420p", container: String = "mp4",
        options: [String] = []
    ) {
        self.media = media
        self.videoCodec = videoCodec
        self.audioCodec = audioCodec
        self.pixelFormat = pixelFormat
        self.container = container
        self.options = options
    }

    /// A Boolean value that indicates whether the ffmpeg command is installed, for conditions of
    /// tests.
    public static let isAvailable = ProcessRunner.has("ffmpeg")

    /// Returns the file, which is encoded if it does not exist yet.
    ///
    /// - Throws: `ChildProcess.Failure` with ffmpeg's message if it cannot be encoded.
    public func url() throws -> URL {
        let folder = URL(filePath: TemporaryFolder.base)
            .appending(path: "playhead-clips-\(getuid())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "\(name).\(container)")
        if FileManager.default.fileExists(atPath: file.path) { return file }
        // The file is encoded beside its final path and moved there when it is complete.
        let part = folder.appending(path: "\(name)-\(UUID().uuidString).\(container)")
        defer { try? FileManager.default.removeItem(at: part) }
        try write(to: part)
        guard rename(part.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    /// Encodes the clip into a file.
    public func write(to url: URL) throws {
        let stream = RawMediaStream(media)
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments + [url.path],
            input: { write in stream.send(write) })
    }

    /// The arguments with which ffmpeg encodes the stream that it reads.
    private var arguments: [String] {
        var arguments = ["-f", "matroska", "-i", "-", "-map", "0", "-fps_mode", "passthrough"]
        if media.frameTimes != nil {
            arguments += [
                "-vf",
                "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709",
                "-pix_fmt", pixelFormat, "-c:v", videoCodec,
                "-enc_time_base:v", "1:\(timescale)", "-g", "\(max(1, media.keyframeInterval))",
                "-bf", "\(media.bidirectionalFrames)",
            ]
            if videoCodec == "libx264" || videoCodec == "libx265" {
                arguments += ["-preset", "ultrafast", "-sc_threshold", "0"]
            }
            if ["mp4", "mov", "m4v"].contains(container) {
                // Without the duration of the last packet, the edit list ends where that packet
                // begins, and players drop its frame.
                let last = media.frameTimes.map { $0.duration(of: $0.count - 1) } ?? .zero
                let ticks = max(1, last.converted(toTimescale: timescale).value)
                arguments += [
                    "-video_track_timescale", "\(timescale)",
                    "-bsf:v", "setts=pts=PTS:dts=DTS:duration=\(ticks)",
                ]
            }
        }
        if !media.sounds.isEmpty { arguments += ["-c:a", audioCodec] }
        for (index, sound) in media.sounds.enumerated() {
            if let tag = sound.languageTag {
                arguments += ["-metadata:s:a:\(index)", "language=\(tag)"]
            }
        }
        return arguments + ["-threads", "1", "-fflags", "+bitexact"] + options
    }

    /// The timescale in which all frame times are integers, or as close to it as possible.
    private var timescale: Int32 {
        guard let times = media.frameTimes else { return 1000 }
        if times.isConstant { return times.nominalFrameDuration.timescale }
        var scale = 1
        for index in 0..<times.count {
            let other = Int(times.time(of: index).timescale)
            var (a, b) = (scale, other)
            while b != 0 { (a, b) = (b, a % b) }
            scale = scale / a * other
            if scale > 1_000_000 { return 1_000_000 }
        }
        return Int32(scale)
    }

    /// A name derived from all settings of the file by 64-bit FNV-1a.
    private var name: String {
        let times = media.frameTimes.map { times in
            (0..<times.count).map { "\(times.time(of: $0).value)/\(times.time(of: $0).timescale)" }
        }
        let key: [String] =
            ["1", "\(media.width)x\(media.height)", "\(media.sounds)", "\(times ?? [])"]
            + ["\(media.duration)", container] + arguments
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.joined(separator: " ").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
