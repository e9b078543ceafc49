// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Compares the output of `playhead inspect --json` with that of ffprobe, for every property that
/// both report.
///
/// The numbers and names are those of ffprobe with these exceptions: times begin at 0, and
/// `timestamp_offset` is the difference; rotation is clockwise and applies after mirroring; field
/// order is that of display; a duration of all ones means unknown (ISO/IEC 14496-12, section
/// 8.4.2), while ffprobe takes it for a number and derives rates from it.
///
/// - Concurrency: any thread.
package struct InspectComparison {
    /// The number of properties that both report.
    package private(set) var count = 0
    /// The differences, one in each line.
    package private(set) var differences: [String] = []

    private let offset: Double
    private static let headerRounding = 1e-3

    /// Returns the arguments of ffprobe.
    package static func probeArguments(_ file: String) -> [String] {
        [
            "ffprobe", "-v", "quiet", "-show_format", "-show_streams", "-show_chapters", "-of",
            "json", file,
        ]
    }

    /// Compares two reports.
    ///
    /// - Parameters:
    ///   - report: The output of `inspect --json`.
    ///   - probe: The output of ffprobe with `probeArguments`.
    /// - Throws: An error if one of them is not JSON.
    package init(report: [UInt8], probe: [UInt8]) throws {
        let ours = try Fields(report)
        let theirs = try Fields(probe)
        offset = ours.number("timestamp_offset") ?? 0
        let format = theirs.fields("format")
        compare("format", ours.text("format"), format.text("format_name"))
        // A movie header rounds to its own time scale, often milliseconds; `inspect` reports the
        // duration of the tracks. If a file begins late, some headers contain its end, while
        // `inspect` reports the length.
        let isOpen = theirs.list("streams").contains { Self.isOpen($0, in: format) }
        if isOpen {
            expectNothing("duration", ours.number("duration"))
        } else if let duration = format.number("duration"), duration > 0 {
            let start = max(0, ours.number("start_time") ?? 0)
            let end = ours.number("duration").map { $0 + start }
            let isEnd = end.map { abs($0 - duration) <= Self.headerRounding } ?? false
            compareNumbers(
                "duration", isEnd ? end : ours.number("duration"), duration,
                within: Self.headerRounding)
        }
        // `inspect` reports the start of video or audio; ffprobe includes subtitles and data.
        let starts = theirs.list("streams").filter {
            ["video", "audio"].contains($0.text("codec_type"))
        }.compactMap { $0.number("start_time") }
        if let start = format.number("start_time"), starts.allSatisfy({ $0 >= start }),
            starts.contains(where: { $0 - start < Self.headerRounding })
        {
            compareNumbers("start_time", ours.number("start_time").map { $0 + offset }, start)
        }
        // For a playlist, ffprobe divides the size of the playlist by the duration.
        if format.text("format_name") != "hls", !isOpen {
            compare("bit_rate", ours.number("bit_rate"), format.number("bit_rate"))
        }
        compareTags("metadata", ours.fields("metadata"), format.fields("tags"))
        compareChapters(ours.list("chapters"), theirs.list("chapters"))
        let streams = theirs.list("streams")
        // ffprobe does not list the captions within a video.
        let tracks = ours.list("tracks").filter { $0.number("index") ?? 0 < 65536 }
        compare("number of tracks", tracks.count, streams.count)
        for (track, stream) in zip(tracks, streams) {
            compareTrack(track, stream, isOpen: Self.isOpen(stream, in: format))
        }
    }

    /// Returns whether a track's header declares an unknown duration.
    private static func isOpen(_ stream: Fields, in format: Fields) -> Bool {
        format.text("format_name")?.hasPrefix("mov,") == true
            && stream.number("duration_ts") == Double(UInt32.max)
    }

    // MARK: - Parts

    private mutating func compareChapters(_ ours: [Fields], _ theirs: [Fields]) {
        compare("number of chapters", ours.count, theirs.count)
        for (index, (chapter, other)) in zip(ours, theirs).enumerated() {
            let name = "chapter \(index) "
            let (start, end) = (chapter.number("start"), chapter.number("end"))
            compareNumbers(
                name + "start", start.map { $0 + offset }, other.number("start_time"))
            compareNumbers(name + "end", end.map { $0 + offset }, other.number("end_time"))
            compare(name + "title", chapter.text("title"), other.fields("tags").text("title"))
        }
    }

    private mutating func compareTrack(_ ours: Fields, _ theirs: Fields, isOpen: Bool) {
        let name = "track \(ours.number("index").map { Int($0) } ?? -1) "
        for key in ["channels", "sample_rate", "bit_rate", "nb_frames"]
        where !isOpen || key != "bit_rate" {
            compare(name + key, ours.number(key), theirs.number(key))
        }
        for key in [
            "codec_name", "pix_fmt", "color_range", "color_space", "color_primaries",
            "color_transfer", "chroma_location", "sample_fmt", "channel_layout", "time_base",
        ] {
            compare(name + key, ours.text(key), theirs.text(key))
        }
        compare(name + "type", ours.text("type"), theirs.text("codec_type"))
        compare(name + "tag", ours.text("codec_tag"), theirs.text("codec_tag_string"))
        // ffprobe reports 0 for a track without a value.
        if isOpen {
            expectNothing(name + "duration", ours.number("duration"))
        } else if let duration = theirs.number("duration"), duration > 0 {
            compareNumbers(name + "duration", ours.number("duration"), duration)
        }
        // For a track that cannot be decoded, ffprobe may report a start and `inspect` none.
        if let start = ours.number("start_time") {
            compareNumbers(name + "start_time", start + offset, theirs.number("start_time"))
        }
        // ffprobe prints a profile without a name as a number.
        if let profile = theirs.text("profile"), Int(profile) == nil {
            compare(name + "profile", ours.text("profile"), profile)
        }
        if let level = theirs.number("level"), level > 0 {
            compare(name + "level", ours.number("level"), level)
        }
        compareTags(name + "tags", ours.fields("tags"), theirs.fields("tags"))
        let disposition = theirs.fields("disposition")
        for key in ["default", "attached_pic"] {
            compare(
                name + key, ours.flag(key), disposition.number(key).map { $0 != 0 })
        }
        if let language = theirs.fields("tags").text("language"), language != "und" {
            compare(name + "language", ours.text("language"), language)
        }
        compare(name + "title", ours.text("title"), theirs.fields("tags").text("title"))
        if theirs.text("codec_type") == "video" { comparePictures(name, ours, theirs) }
    }

    private mutating func comparePictures(_ name: String, _ ours: Fields, _ theirs: Fields) {
        for key in ["width", "height"] { compare(name + key, ours.number(key), theirs.number(key)) }
        if let ratio = theirs.text("sample_aspect_ratio"), ratio != "0:1" {
            compare(name + "sample_aspect_ratio", ours.text("sample_aspect_ratio"), ratio)
        }
        if let rate = theirs.quotient("avg_frame_rate"), rate > 0 {
            compareNumbers(name + "frame_rate", ours.number("frame_rate"), rate)
        }
        // A single image has no shortest time between frames.
        if let rate = theirs.quotient("r_frame_rate"), rate > 0, theirs.number("nb_frames") != 1 {
            compareNumbers(
                name + "r_frame_rate", ours.number("min_frame_duration").map { 1 / $0 }, rate,
                within: rate * 1e-9)
        }
        let displayOrders = [
            "progressive": "progressive", "tt": "tt", "bt": "tt", "bb": "bb", "tb": "bb",
        ]
        if let order = theirs.text("field_order").flatMap({ displayOrders[$0] }) {
            compare(name + "field_order", ours.text("field_order"), order)
        }
        for side in theirs.list("side_data_list") {
            switch side.text("side_data_type") {
            case "Display Matrix":
                // ffprobe reports no angle for degenerate matrices.
                guard let angle = side.number("rotation"), abs(angle) <= 360 else { break }
                let mirror = ours.flag("mirrored") == true ? 180.0 : 0
                let clockwise = (mirror - angle).truncatingRemainder(dividingBy: 360)
                compare(
                    name + "rotation", ours.number("rotation"),
                    clockwise < 0 ? clockwise + 360 : clockwise)
            case "Mastering display metadata": compareMastering(name, ours, side)
            case "Content light level metadata":
                for key in ["max_content", "max_average"] {
                    compare(
                        name + key, ours.fields("content_light").number(key), side.number(key))
                }
            case "DOVI configuration record":
                for key in ["dv_profile", "dv_level", "dv_bl_signal_compatibility_id"] {
                    compare(name + key, ours.fields("dolby_vision").number(key), side.number(key))
                }
            default: break
            }
        }
    }

    private mutating func compareMastering(_ name: String, _ ours: Fields, _ side: Fields) {
        let display = ours.fields("mastering_display")
        for key in ["min_luminance", "max_luminance"] {
            compareNumbers(name + key, display.number(key), side.quotient(key))
        }
        for (key, other) in [
            ("red", "red"), ("green", "green"), ("blue", "blue"), ("white", "white_point"),
        ] {
            let place = display.numbers(key)
            for (index, axis) in ["x", "y"].enumerated() {
                compareNumbers(
                    name + "\(key) \(axis)", place.count == 2 ? place[index] : nil,
                    side.quotient("\(other)_\(axis)"))
            }
        }
    }

    private mutating func compareTags(_ name: String, _ ours: Fields, _ theirs: Fields) {
        for key in theirs.keys { compare("\(name) \(key)", ours.text(key), theirs.text(key)) }
    }

    // MARK: - Properties

    /// Compares a property: if ffprobe reports it, `inspect` must, too.
    private mutating func compare<Value: Equatable>(
        _ name: String, _ ours: Value?, _ theirs: Value?
    ) {
        guard let theirs else { return }
        // Tags and codecs without a name are exempt.
        if let text = theirs as? String, ours == nil,
            text == "unknown" || text.hasPrefix("[") || text.contains("[")
        {
            return
        }
        count += 1
        if ours != theirs {
            let value = ours.map { "\($0)" } ?? "nothing"
            differences.append("\(name) is \(value), not \(theirs)")
        }
    }

    private mutating func expectNothing(_ name: String, _ ours: Double?) {
        count += 1
        if let ours { differences.append("\(name) is \(ours), which is unknown") }
    }

    /// Compares times, which ffprobe prints in microseconds.
    private mutating func compareNumbers(
        _ name: String, _ ours: Double?, _ theirs: Double?, within tolerance: Double = 1.5e-6
    ) {
        guard let theirs else { return }
        count += 1
        guard let ours, abs(ours - theirs) <= tolerance else {
            let value = ours.map { "\($0)" } ?? "nothing"
            differences.append("\(name) is \(value), not \(theirs)")
            return
        }
    }

    /// A JSON object whose numbers may be strings.
    private struct Fields {
        private let values: [String: Any]

        init(_ bytes: [UInt8]) throws {
            let object = try JSONSerialization.jsonObject(with: Data(bytes))
            values = object as? [String: Any] ?? [:]
        }

        private init(_ values: [String: Any]) { self.values = values }

        var keys: [String] { values.keys.sorted() }
        func text(_ key: String) -> String? { values[key] as? String }
        func flag(_ key: String) -> Bool? { values[key] as? Bool }

        func number(_ key: String) -> Double? {
            (values[key] as? NSNumber)?.doubleValue ?? text(key).flatMap { Double($0) }
        }

        func numbers(_ key: String) -> [Double] {
            (values[key] as? [NSNumber] ?? []).map(\.doubleValue)
        }

        func quotient(_ key: String) -> Double? {
            let parts = text(key)?.split(separator: "/").compactMap { Double($0) } ?? []
            return parts.count == 2 && parts[1] != 0 ? parts[0] / parts[1] : nil
        }

        func fields(_ key: String) -> Fields { Fields(values[key] as? [String: Any] ?? [:]) }
        func list(_ key: String) -> [Fields] {
            (values[key] as? [[String: Any]] ?? []).map { Fields($0) }
        }
    }
}
