// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing

/// Colours, tags and alpha of written files.
struct WritingColors {
    let folder: TemporaryFolder

    /// The bars: 100 % and 75 %, and greys, each 32 pixels wide.
    private static let bars: [[UInt8]] = [
        [255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0],
        [0, 0, 255], [0, 0, 0], [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0],
        [191, 0, 191], [191, 0, 0], [0, 0, 191], [17, 120, 233],
    ]
    private static let barWidth = 32
    private static var width: Int { bars.count * barWidth }
    private static let height = 32

    private static func barFrame() -> PixelBuffer {
        PixelBuffer(format: .rgba, width: width, height: height) { _, bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let place = y * bytesPerRow + x * 4
                    for channel in 0..<3 { bytes[place + channel] = bars[x / barWidth][channel] }
                    bytes[place + 3] = 255
                }
            }
        }
    }

    private static let standards:
        [(
            name: String, matrix: ColorAttachments.Matrix, primaries: ColorAttachments.Primaries,
            transfer: ColorAttachments.Transfer, tags: [String: String]
        )] = [
            (
                "601", .bt601, .smpte170m, .bt601,
                [
                    "color_space": "smpte170m", "color_primaries": "smpte170m",
                    "color_transfer": "smpte170m",
                ]
            ),
            (
                "709", .bt709, .bt709, .bt709,
                ["color_space": "bt709", "color_primaries": "bt709", "color_transfer": "bt709"]
            ),
            (
                "2020", .bt2020NonConstantLuminance, .bt2020, .bt2020TenBit,
                [
                    "color_space": "bt2020nc", "color_primaries": "bt2020",
                    "color_transfer": "bt2020-10",
                ]
            ),
        ]

    /// Writes bars in R'G'B' in each matrix and range, and compares them as decoded by ffmpeg.
    func compareBars(_ report: inout Report) async throws {
        var files = 0
        var tags = 0
        var largest = 0
        let frame = Self.barFrame()
        let cases: [(String, VideoCodecType)] = [("mp4", .h264), ("mkv", .ffv1), ("mov", .h264)]
        for standard in Self.standards {
            for range in [ColorAttachments.Range.limited, .full] {
                for (ending, codec) in cases {
                    let url = folder.appending("bars.\(ending)")
                    var settings = VideoOutputSettings(
                        codec: codec, width: Self.width, height: Self.height,
                        sampleFormat: VideoSampleFormat(.yuv444, bitDepth: 10),
                        color: ColorAttachments(
                            matrix: standard.matrix, range: range, primaries: standard.primaries,
                            transfer: standard.transfer), frameDuration: WritingFilm.period)
                    if codec == .h264 { settings.rateFactor = 0 }
                    try await WritingFilm.write(url, settings, frames: [frame])
                    files += 1
                    let name = "\(standard.name) \(range) in \(codec.rawValue) .\(ending)"
                    let found = try WritingFilm.probe(
                        url, "stream=color_range,color_space,color_primaries,color_transfer")
                    var expected = standard.tags
                    expected["color_range"] = range == .full ? "pc" : "tv"
                    for (key, value) in expected {
                        tags += 1
                        report.require(
                            found[key] == value,
                            "\(name): \(key) is \(found[key] ?? "missing") instead of \(value)")
                    }
                    let decoded = try WritingFilm.decode(url, as: "rgb24")
                    let difference = Self.largestDifference(decoded)
                    largest = max(largest, difference)
                    report.require(
                        difference <= 1, "\(name): colours differ by \(difference) codes")
                }
            }
        }
        report.add("files of colour bars", files)
        report.add("tags compared with ffprobe", tags)
        report.add("largest difference of a bar, in codes", largest)
    }

    private static func largestDifference(_ decoded: [UInt8]) -> Int {
        guard decoded.count == width * height * 3 else { return 255 }
        var largest = 0
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    let value = Int(decoded[(y * width + x) * 3 + channel])
                    largest = max(largest, abs(value - Int(bars[x / barWidth][channel])))
                }
            }
        }
        return largest
    }

    /// Checks the tags of HDR video, with mastering metadata.
    func compareHDR(_ report: inout Report) async throws {
        var count = 0
        for (transfer, name) in [
            (ColorAttachments.Transfer.pq, "smpte2084"), (.hlg, "arib-std-b67"),
        ] {
            for ending in ["mp4", "mov", "mkv"] {
                let url = folder.appending("hdr.\(ending)")
                let settings = WritingFilm.hdrSettings(transfer)
                let frame = PixelBuffer(format: .yuv420p10, width: 320, height: 240) {
                    plane, bytes, _ in
                    for place in stride(from: 0, to: bytes.count - 1, by: 2) {
                        bytes.storeBytes(
                            of: plane == 0 ? UInt16(400) : 512, toByteOffset: place,
                            as: UInt16.self)
                    }
                }
                try await WritingFilm.write(
                    url, settings, frames: Array(repeating: frame, count: 3))
                let found = try WritingFilm.probe(
                    url,
                    "stream=color_transfer,color_primaries,color_space:side_data:frame_side_data_list"
                        + ":frame=side_data_list")
                let expected = [
                    "color_transfer": name, "color_primaries": "bt2020", "color_space": "bt2020nc",
                    "max_luminance": "10000000/10000", "min_luminance": "5/10000",
                    "max_content": "900", "max_average": "300", "red_x": "34000/50000",
                    "white_point_y": "16450/50000",
                ]
                for (key, value) in expected {
                    count += 1
                    report.require(
                        found[key].map { Self.isEqual($0, value) } ?? false,
                        "\(name) in .\(ending): \(key) is \(found[key] ?? "missing") instead of "
                            + value)
                }
            }
        }
        report.add("tags of PQ and HLG compared with ffprobe", count)
    }

    /// Returns whether two texts are equal. Fractions are compared by value.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        func value(_ text: String) -> Double? {
            let parts = text.split(separator: "/").compactMap { Double($0) }
            return parts.count == 2 ? parts[0] / parts[1] : nil
        }
        if let left = value(left), let right = value(right) { return abs(left - right) < 1e-6 }
        return left == right
    }

    /// Checks a ramp through all 877 codes of luma in 10 bits.
    func compareRamp(_ report: inout Report) async throws {
        for (ending, codec) in [("mkv", VideoCodecType.ffv1), ("mp4", .h264)] {
            let url = folder.appending("ramp.\(ending)")
            let width = 880
            var settings = VideoOutputSettings(
                codec: codec, width: width, height: 16,
                sampleFormat: VideoSampleFormat(.yuv420, bitDepth: 10),
                color: ColorAttachments(matrix: .bt709, range: .limited),
                frameDuration: WritingFilm.period)
            settings.rateFactor = codec == .ffv1 ? nil : 0
            let frame = PixelBuffer(format: .yuv420p10, width: width, height: 16) {
                plane, bytes, bytesPerRow in
                for y in 0..<(plane == 0 ? 16 : 8) {
                    for x in 0..<(plane == 0 ? width : width / 2) {
                        let code = plane == 0 ? UInt16(64 + min(x, 876)) : 512
                        bytes.storeBytes(
                            of: code, toByteOffset: y * bytesPerRow + x * 2, as: UInt16.self)
                    }
                }
            }
            try await WritingFilm.write(url, settings, frames: [frame])
            let decoded = try WritingFilm.decode(url, as: "yuv420p10le")
            var codes: Set<Int> = []
            for index in 0..<(width * 16) {
                codes.insert(Int(decoded[index * 2]) | Int(decoded[index * 2 + 1]) << 8)
            }
            let count = codes.intersection(64...940).count
            report.add("codes of a 10-bit ramp in \(codec.rawValue)", "\(count) of 877")
            report.require(
                count == 877 && codes.count == 877, "\(codec.rawValue): \(count) of 877 codes")
        }
    }

    /// Checks alpha in FFV1 and ProRes 4444.
    func compareAlpha(_ report: inout Report) async throws {
        let size = 256
        let frame = PixelBuffer(format: .rgba, width: size, height: size) { _, bytes, bytesPerRow in
            for y in 0..<size {
                for x in 0..<size {
                    let place = y * bytesPerRow + x * 4
                    bytes[place] = UInt8(y)
                    bytes[place + 1] = 90
                    bytes[place + 2] = 200
                    bytes[place + 3] = UInt8(x)
                }
            }
        }
        for (codec, format, ending, limit) in [
            (
                VideoCodecType.ffv1, VideoSampleFormat(.rgb, bitDepth: 8, hasAlpha: true), "mkv", 0
            ),
            (.proRes, VideoSampleFormat(.yuv444, bitDepth: 10, hasAlpha: true), "mov", 1),
        ] {
            let url = folder.appending("alpha.\(ending)")
            let settings = VideoOutputSettings(
                codec: codec, width: size, height: size, sampleFormat: format,
                frameDuration: WritingFilm.period)
            try await WritingFilm.write(url, settings, frames: [frame])
            let decoded = try WritingFilm.decode(url, as: "rgba")
            var largest = 0
            for index in 0..<(size * size) {
                largest = max(largest, abs(Int(decoded[index * 4 + 3]) - index % size))
            }
            report.add("largest difference of alpha in \(codec.rawValue), in codes", largest)
            report.require(
                largest <= limit, "\(codec.rawValue): alpha differs by \(largest) codes")
        }
    }
}
