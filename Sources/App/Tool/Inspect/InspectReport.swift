// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The report of `inspect --json`. The keys are a contract. If ffprobe reports a property too, the
/// name and the value are the same (`Scripts/prove/inspect`).
struct InspectReport: Encodable {
    var file: String
    var format: String
    /// The duration. Like all times, it is in seconds.
    var duration: Double?
    var isDurationExact: Bool
    var startTime: Double?
    /// The difference between timestamps in the file and the times in this report.
    var timestampOffset: Double
    var bitRate: Int?
    /// The number of bytes missing at the end of the file.
    var missingBytes: Int64?
    /// The date of the recording in the form of ISO 8601, as the file states it.
    var creationDate: String?
    var hasProtectedContent: Bool
    var tracks: [InspectTrack]
    var chapters: [ChapterLine]
    var metadata: [String: String]

    struct ChapterLine: Encodable {
        var title: String
        var start: Double
        var end: Double
    }

    enum CodingKeys: String, CodingKey {
        case file, format, duration, tracks, chapters, metadata
        case isDurationExact = "duration_exact"
        case startTime = "start_time"
        case timestampOffset = "timestamp_offset"
        case bitRate = "bit_rate"
        case missingBytes = "missing_bytes"
        case creationDate = "creation_date"
        case hasProtectedContent = "has_protected_content"
    }

    init(file: String, description: AssetDescription) {
        self.file = file
        format = description.container
        duration = description.duration.secondsIfNumeric
        isDurationExact = description.providesPreciseDurationAndTiming
        startTime = description.startTime.secondsIfNumeric
        timestampOffset = description.timestampOffset.secondsIfNumeric ?? 0
        bitRate = description.dataRate > 0 ? description.dataRate : nil
        missingBytes = description.missingByteCount > 0 ? description.missingByteCount : nil
        creationDate = description.creationDate?.stringValue
        hasProtectedContent = description.hasProtectedContent
        tracks = description.tracks.map(InspectTrack.init)
        chapters = description.chapters.map {
            ChapterLine(
                title: $0.title, start: $0.timeRange.start.seconds, end: $0.timeRange.end.seconds)
        }
        metadata = Self.texts(description.metadata)
    }

    /// Returns the metadata that is text, by key.
    static func texts(_ metadata: [MetadataItem]) -> [String: String] {
        let pairs = metadata.compactMap { item in item.stringValue.map { (item.key, $0) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension MediaTime {
    /// The time in seconds; nil for a time that is not numeric, which JSON cannot represent.
    var secondsIfNumeric: Double? { isNumeric ? seconds : nil }
}
