// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing

/// Films that the parts of the proof of writing share, and the programs that read them.
enum WritingFilm {
    static let period = MediaTime(value: 1, timescale: 25)

    static func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: 25) }

    /// Returns settings for 10-bit HEVC of 320 x 240, with mastering metadata and light levels.
    static func hdrSettings(_ transfer: ColorAttachments.Transfer) -> VideoOutputSettings {
        var settings = VideoOutputSettings(
            codec: .hevc, width: 320, height: 240,
            sampleFormat: VideoSampleFormat(.yuv420, bitDepth: 10),
            color: ColorAttachments(
                matrix: .bt2020NonConstantLuminance, range: .limited, primaries: .bt2020,
                transfer: transfer), frameDuration: period)
        settings.preset = "ultrafast"
        settings.masteringDisplayColorVolume = MasteringDisplayColorVolume(
            chromaticities: Chromaticities(.displayP3), maximumLuminance: 1000,
            minimumLuminance: 0.0005)
        settings.contentLightLevel = ContentLightLevel(
            maximumContentLightLevel: 900, maximumFrameAverageLightLevel: 300)
        return settings
    }

    /// Writes frames with one input of video.
    static func write(
        _ url: URL, _ settings: VideoOutputSettings, frames: [PixelBuffer]
    ) async throws {
        let writer = try AssetWriter(path: url.path)
        writer.replacesExistingFile = true
        let input = AssetWriterInput(video: settings)
        try writer.add(input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime.zero)
        for (number, frame) in frames.enumerated() {
            try await input.append(frame, at: time(number))
        }
        try await writer.finishWriting()
    }

    /// Returns a grey frame whose brightness is its number.
    static func gray(_ number: Int, width: Int = 320, height: Int = 240) -> PixelBuffer {
        PixelBuffer(format: .yuv420p, width: width, height: height) { plane, bytes, _ in
            let value = plane == 0 ? UInt8(20 + number % 200) : 128
            bytes.initializeMemory(as: UInt8.self, repeating: value)
        }
    }

    /// Returns the numbers of the frames of a file, as our reader decodes them. The frames must be
    /// from `gray`.
    static func numbers(_ url: URL) throws -> [Int] {
        let output = try AssetReader(asset: URLAsset(url: url)).addVideoOutput()
        var numbers: [Int] = []
        while let frame = try output.copyNextSampleBuffer() {
            let plane = frame.pixelBuffer.planes[0]
            numbers.append(Int(plane.baseAddress.load(as: UInt8.self)) - 20)
        }
        return numbers
    }

    /// Decodes the first frame of a file by ffmpeg, which converts it by the file's own tags.
    static func decode(_ url: URL, as pixelFormat: String) throws -> [UInt8] {
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", url.path, "-frames:v", "1", "-sws_flags",
            "accurate_rnd+full_chroma_int+full_chroma_inp", "-pix_fmt", pixelFormat, "-f",
            "rawvideo", "-",
        ]).standardOutput
    }

    /// Returns the entries that ffprobe reports for the first video stream.
    static func probe(_ url: URL, _ entries: String) throws -> [String: String] {
        let text = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1",
            "-show_entries", entries, "-of", "default=noprint_wrappers=1", url.path,
        ]).text
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    /// Returns the packets of a stream as ffprobe reads them: the end of each in seconds, and its
    /// MD5.
    static func packets(_ url: URL, _ stream: String) throws -> [(end: Double, hash: String)] {
        let text = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_packets",
            "-show_data_hash", "MD5", "-show_entries", "packet=pts_time,duration_time,data_hash",
            "-of", "compact=p=0", url.path,
        ]).text
        var packets: [(end: Double, hash: String)] = []
        // Side data ends a line before the hash, which then stands in the next one.
        var values: [String: String] = [:]
        for part in text.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { continue }
            values[pair[0]] = pair[1]
            guard pair[0] == "data_hash" else { continue }
            let start = values["pts_time"].flatMap { Double($0) } ?? 0
            let duration = values["duration_time"].flatMap { Double($0) } ?? 0
            packets.append((start + duration, pair[1]))
            values = [:]
        }
        return packets
    }
}
