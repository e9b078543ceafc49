// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing

/// The properties of films that exports keep, as ffprobe reads them from the source and from the
/// result.
struct WritingProperties {
    let folder: TemporaryFolder

    /// The entries that are compared. Others differ by design, such as the sizes of files.
    private static let compared: Set<String> = [
        "codec_name", "pix_fmt", "width", "height", "sample_aspect_ratio", "color_range",
        "color_space", "color_transfer", "color_primaries", "chroma_location", "r_frame_rate",
        "rotation", "red_x", "red_y", "green_x", "green_y", "blue_x", "blue_y", "white_point_x",
        "white_point_y", "min_luminance", "max_luminance", "max_content", "max_average",
        "language", "title", "start_time", "end_time",
    ]

    /// Exports films of PQ and HLG, encoded again and copied.
    func compareFilms(_ report: inout Report) async throws {
        var (files, count) = (0, 0)
        for transfer in [ColorAttachments.Transfer.pq, .hlg] {
            let source = folder.appending("film.mp4")
            try await write(source, transfer)
            let expected = try Self.properties(of: source)
            // So that a property which ffprobe does not report is not taken for one that is kept.
            for key in [
                "video.color_transfer", "video.rotation", "video.sample_aspect_ratio",
                "video.language", "audio.language", "video.max_content", "video.max_luminance",
                "chapter 1.title", "chapter 1.start_time", "format.title",
            ] {
                report.require(expected[key] != nil, "the source has no \(key)")
            }
            for preset in [AssetExportPreset.hevcHighestQuality, .passthrough] {
                for ending in ["mp4", "mov"] {
                    let result = folder.appending("exported.\(ending)")
                    let session = AssetExportSession(asset: URLAsset(url: source), preset: preset)
                    session.replacesExistingFile = true
                    try await session.export(to: result.path)
                    files += 1
                    let found = try Self.properties(of: result)
                    for (key, value) in expected.sorted(by: { $0.key < $1.key }) {
                        count += 1
                        report.require(
                            found[key] == value,
                            "\(preset.name) to .\(ending): \(key) is \(found[key] ?? "missing") "
                                + "instead of \(value)")
                    }
                }
            }
        }
        report.add(
            "properties of PQ and HLG films after exports, by ffprobe",
            "\(count), in \(files) files")
    }

    /// Writes a film that has all properties that are compared.
    private func write(_ url: URL, _ transfer: ColorAttachments.Transfer) async throws {
        let format = AudioFormat.stereo(sampleRate: 48_000)
        let video = AssetWriterInput(video: WritingFilm.hdrSettings(transfer))
        video.orientation = PictureOrientation(quarterTurns: 1, isMirrored: false)
        video.pixelAspectRatio = .init(horizontal: 4, vertical: 3)
        // Both names are the same in MP4 and in QuickTime.
        video.languageTag = "it"
        let audio = AssetWriterInput(audio: AudioOutputSettings(codec: .aac, format: format))
        audio.languageTag = "ja"
        let writer = try AssetWriter(path: url.path)
        writer.replacesExistingFile = true
        writer.metadata = [MetadataItem(key: "title", value: .text("Un film"))]
        writer.chapters = [(0, 10, "Uno"), (10, 25, "Due")].map { start, end, title in
            Chapter(
                title: title,
                timeRange: MediaTimeRange(
                    start: WritingFilm.time(start), end: WritingFilm.time(end)))
        }
        try writer.add(video)
        try writer.add(audio)
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime.zero)
        for number in 0..<25 {
            let frame = PixelBuffer(format: .yuv420p10, width: 320, height: 240) {
                plane, bytes, _ in
                for place in stride(from: 0, to: bytes.count - 1, by: 2) {
                    bytes.storeBytes(
                        of: plane == 0 ? UInt16(300 + 10 * number) : 512, toByteOffset: place,
                        as: UInt16.self)
                }
            }
            try await video.append(frame, at: WritingFilm.time(number))
            try await audio.append(
                AudioBuffer(
                    format: format, presentationTime: WritingFilm.time(number), frameCount: 1920
                ) { _ in })
        }
        try await writer.finishWriting()
    }

    /// Returns the compared entries of a file, with the names of their sections.
    private static func properties(of url: URL) throws -> [String: String] {
        func object(_ arguments: [String]) throws -> [String: Any] {
            let output = try ProcessRunner.check(
                ["ffprobe", "-v", "error", "-of", "json"] + arguments + [url.path]
            ).standardOutput
            return try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any] ?? [:]
        }
        var properties: [String: String] = [:]
        func add(_ section: String, _ value: Any) {
            for (key, entry) in value as? [String: Any] ?? [:] {
                if let list = entry as? [Any] {
                    // Side data is the same in any order.
                    for item in list { add(section, item) }
                } else if entry is [String: Any] {
                    add(section, entry)
                } else if compared.contains(key) {
                    properties["\(section).\(key)"] = "\(entry)"
                }
            }
        }
        let whole = try object(["-show_streams", "-show_chapters", "-show_format"])
        for stream in whole["streams"] as? [[String: Any]] ?? [] {
            guard let type = stream["codec_type"] as? String, ["video", "audio"].contains(type)
            else { continue }
            add(type, stream)
        }
        for (index, chapter) in (whole["chapters"] as? [Any] ?? []).enumerated() {
            add("chapter \(index)", chapter)
        }
        add("format", whole["format"] ?? [:])
        let frames = try object([
            "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_frames",
        ])["frames"]
        if let frame = (frames as? [Any])?.first { add("video", frame) }
        return properties
    }
}
