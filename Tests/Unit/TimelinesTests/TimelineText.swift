// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadTimelines

/// Writes OpenTimelineIO's JSON by hand, so that the reader is tested by another hand than the
/// library's own writer.
enum TimelineText {
    static func time(_ value: Double, _ rate: Double = 24) -> String {
        #"{"OTIO_SCHEMA": "RationalTime.1", "rate": \#(rate), "value": \#(value)}"#
    }

    static func range(_ start: Double, _ duration: Double, _ rate: Double = 24) -> String {
        """
        {"OTIO_SCHEMA": "TimeRange.1", "duration": \(time(duration, rate)),
        "start_time": \(time(start, rate))}
        """
    }

    static func clip(
        _ name: String, _ range: String, url: String? = nil, available: String = "null",
        more: String = ""
    ) -> String {
        let schema = url == nil ? "MissingReference.1" : "ExternalReference.1"
        return """
            {"OTIO_SCHEMA": "Clip.1", "name": "\(name)", "source_range": \(range), \(more)
            "media_reference": {"OTIO_SCHEMA": "\(schema)", "available_range": \(available),
            "target_url": "\(url ?? "")"}}
            """
    }

    static func gap(_ duration: Double) -> String {
        #"{"OTIO_SCHEMA": "Gap.1", "source_range": \#(range(0, duration))}"#
    }

    static func track(_ children: [String], kind: String = "Video", more: String = "") -> String {
        """
        {"OTIO_SCHEMA": "Track.1", "name": "T", "kind": "\(kind)", \(more)
        "children": [\(children.joined(separator: ", "))]}
        """
    }

    static func stack(_ children: [String], more: String = "") -> String {
        """
        {"OTIO_SCHEMA": "Stack.1", "name": "S", \(more)
        "children": [\(children.joined(separator: ", "))]}
        """
    }

    static func timeline(_ tracks: [String]) -> String {
        #"{"OTIO_SCHEMA": "Timeline.1", "name": "test", "tracks": \#(stack(tracks))}"#
    }

    /// Writes a timeline to a folder of its own and reads it.
    static func read(
        _ text: String, as name: String = "cut.otio", options: TimelineOptions = TimelineOptions()
    ) throws -> Timeline {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("timeline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return try Timeline(path: file.path, options: options)
    }
}
