// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadCompositions
import PlayheadTime

extension Composition {
    /// Returns the composition as the text of an OpenTimelineIO file (`.otio`).
    ///
    ///     let text = composition.openTimelineIO(name: "cut")
    ///
    /// A time is written in frames, or in samples for audio, if it is a whole number of these. If
    /// it is not, it is written in units of its own timescale. Segments without a file become clips
    /// without media. Segments with a changed speed have a `LinearTimeWarp`.
    ///
    /// - Parameter name: The name of the timeline.
    /// - Corresponds to: `otio.adapters.write_to_string`.
    public func openTimelineIO(name: String = "") -> String {
        OTIOWriter().text(of: self, name: name)
    }
}

/// A writer of OpenTimelineIO's JSON, with the schemas `Timeline.1`, `Stack.1`, `Track.1`, `Clip.2`
/// and `Gap.1`.
private struct OTIOWriter {
    /// A JSON value that preserves the order of its members.
    private indirect enum Value {
        case text(String)
        case number(String)
        case list([Value])
        case members([(String, Value)])
        case null
    }

    func text(of composition: Composition, name: String) -> String {
        let tracks = composition.tracks.filter { [.video, .audio].contains($0.mediaType) }
        var result = ""
        write(
            .members([
                ("OTIO_SCHEMA", .text("Timeline.1")), ("metadata", .members([])),
                ("name", .text(name)), ("global_start_time", .null),
                (
                    "tracks",
                    item("Stack.1", "tracks", [("children", .list(tracks.map(track)))])
                ),
            ]), depth: 0, to: &result)
        return result + "\n"
    }

    private func track(_ track: CompositionTrack) -> Value {
        let children = track.segments.map { segment -> Value in
            let track = segment.sourceTrack
            let sampleRate = track?.formatDescription.audio?.sampleRate ?? 0
            let unit =
                sampleRate > 0
                ? MediaTime(value: 1, timescale: Int32(clamping: sampleRate))
                : track?.frameDuration ?? .invalid
            return child(segment, unit)
        }
        return item(
            "Track.1", "\(track.mediaType.rawValue) \(track.trackID)",
            [
                ("children", .list(children)),
                ("kind", .text(track.mediaType == .video ? "Video" : "Audio")),
            ])
    }

    private func child(_ segment: CompositionTrackSegment, _ unit: MediaTime) -> Value {
        let target = segment.timeMapping.target
        guard let asset = segment.asset else {
            return item(
                "Gap.1", "",
                [
                    (
                        "source_range",
                        range(MediaTimeRange(start: .zero, duration: target.duration), unit)
                    )
                ])
        }
        let source = segment.timeMapping.source
        var reference: [(String, Value)] = []
        var schema = "MissingReference.1"
        if let location = segment.sourceLocation {
            schema = "ExternalReference.1"
            reference = [("target_url", .text(url(location)))]
        }
        let media = segment.sourceTrack?.timeRange ?? .invalid
        let isKnown = media.start.isNumeric && media.duration.isNumeric
        reference.append(("available_range", isKnown ? range(media, unit) : .null))
        var effects: [Value] = []
        if source.duration != target.duration {
            let speed = source.duration.seconds / target.duration.seconds
            effects = [
                .members([
                    ("OTIO_SCHEMA", .text("LinearTimeWarp.1")), ("metadata", .members([])),
                    ("name", .text("")), ("effect_name", .text("LinearTimeWarp")),
                    ("time_scalar", .number("\(speed)")),
                ])
            ]
        }
        return item(
            "Clip.2", asset.displayName,
            [
                (
                    "source_range",
                    range(MediaTimeRange(start: source.start, duration: target.duration), unit)
                ),
                (
                    "media_references",
                    .members([
                        (
                            "DEFAULT_MEDIA",
                            .members(
                                [
                                    ("OTIO_SCHEMA", .text(schema)), ("metadata", .members([])),
                                    ("name", .text("")),
                                ] + reference)
                        )
                    ])
                ),
                ("active_media_reference_key", .text("DEFAULT_MEDIA")),
            ], effects)
    }

    private func item(
        _ schema: String, _ name: String, _ members: [(String, Value)], _ effects: [Value] = []
    ) -> Value {
        let range: [(String, Value)] =
            members.contains { $0.0 == "source_range" } ? [] : [("source_range", .null)]
        return .members(
            [("OTIO_SCHEMA", .text(schema)), ("metadata", .members([])), ("name", .text(name))]
                + range + [("effects", .list(effects)), ("markers", .list([]))]
                + members + [("enabled", .number("true"))])
    }

    // MARK: - Times and locations

    private func range(_ range: MediaTimeRange, _ unit: MediaTime) -> Value {
        .members([
            ("OTIO_SCHEMA", .text("TimeRange.1")), ("duration", time(range.duration, unit)),
            ("start_time", time(range.start, unit)),
        ])
    }

    private func time(_ time: MediaTime, _ unit: MediaTime) -> Value {
        var (value, rate) = (time.value, Double(time.timescale))
        if unit.isNumeric, unit.value > 0 {
            // This is the whole number of units, `time / unit`.
            let (top, overflows) = time.value.multipliedReportingOverflow(
                by: Int64(unit.timescale))
            let bottom = Int64(time.timescale).multipliedReportingOverflow(by: unit.value)
            if !overflows, !bottom.overflow, bottom.partialValue != 0,
                top % bottom.partialValue == 0
            {
                value = top / bottom.partialValue
                rate = Double(unit.timescale) / Double(unit.value)
            }
        }
        return .members([
            ("OTIO_SCHEMA", .text("RationalTime.1")), ("rate", .number("\(rate)")),
            ("value", .number("\(value).0")),
        ])
    }

    /// Returns a URL. In paths, special bytes are percent-encoded as in RFC 3986.
    private func url(_ location: AssetLocation) -> String {
        guard case .file(let path) = location else { return location.description }
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let encoded = path.utf8.map { byte -> String in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }

    // MARK: - JSON

    private func write(_ value: Value, depth: Int, to text: inout String) {
        let indent = String(repeating: "    ", count: depth + 1)
        let end = "\n" + String(repeating: "    ", count: depth)
        switch value {
        case .null: text += "null"
        case .number(let number): text += number
        case .text(let string): write(string, to: &text)
        case .list(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index > 0 ? ",\n" : "\n") + indent
                write(element, depth: depth + 1, to: &text)
            }
            text += elements.isEmpty ? "]" : end + "]"
        case .members(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += (index > 0 ? ",\n" : "\n") + indent
                write(member.0, to: &text)
                text += ": "
                write(member.1, depth: depth + 1, to: &text)
            }
            text += members.isEmpty ? "}" : end + "}"
        }
    }

    private func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
