// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension Playlist {
    private static let durationTag = "#EXTINF:"
    private static let rangeTag = "#EXT-X-BYTERANGE:"
    private static let sequenceTag = "#EXT-X-MEDIA-SEQUENCE:"

    /// A Boolean value that indicates whether the segments need a separate header, as MP4 segments
    /// do.
    var hasHeaders: Bool { lines.contains { $0.hasPrefix("#EXT-X-MAP:") } }

    /// Removes the segments that end before a time, which is relative to the beginning of the first
    /// segment. The last segment is never removed.
    ///
    /// Headers and keys are kept, because they apply to the following segments. The numbers of
    /// segments are kept too, because initialisation vectors may be derived from them (RFC 8216,
    /// section 5.2).
    mutating func begin(at seconds: Double) {
        // A byte range without an offset continues the previous range.
        guard !lines.contains(where: { $0.hasPrefix(Self.rangeTag) && !$0.contains("@") }) else {
            return
        }
        var (kept, part): ([Substring], [Substring]) = ([], [])
        var (duration, end, dropped) = (0.0, 0.0, 0)
        let lastPart = lines.lastIndex { !$0.isEmpty && !$0.hasPrefix("#") }
        for (index, line) in lines.enumerated() {
            if line.hasPrefix(Self.durationTag) {
                let text = line.dropFirst(Self.durationTag.count).prefix { $0 != "," }
                duration = Double(text) ?? 0
            }
            if Self.isOfOnePart(line) {
                part.append(line)
            } else if line.isEmpty || line.hasPrefix("#") {
                kept.append(line)
            } else {
                end += duration
                if end > seconds || index == lastPart {
                    kept += part + [line]
                } else {
                    dropped += 1
                }
                (duration, part) = (0, [])
            }
        }
        replaceLines(kept + part, addingToSequence: dropped)
    }

    /// Returns whether a tag applies only to the next segment.
    private static func isOfOnePart(_ line: Substring) -> Bool {
        line == "#EXT-X-DISCONTINUITY"
            || [durationTag, rangeTag, "#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-GAP"].contains {
                line.hasPrefix($0)
            }
    }

    private mutating func replaceLines(_ kept: [Substring], addingToSequence count: Int) {
        var kept = kept
        let index = kept.firstIndex { $0.hasPrefix(Self.sequenceTag) }
        let number = index.flatMap { Int(kept[$0].dropFirst(Self.sequenceTag.count)) } ?? 0
        let (sum, _) = number.addingReportingOverflow(count)
        let line = Substring("\(Self.sequenceTag)\(sum)")
        if let index { kept[index] = line } else { kept.insert(line, at: 1) }
        lines = kept
    }
}
