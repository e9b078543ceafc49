// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension Playlist {
    private static let durationTag = "#EXTINF:"
    private static let rangeTag = "#EXT-X-BYTERANGE:"
    private static let sequenceTag = "#EXT-X-MEDIA-SEQUENCE:"

    /// A Boolean value that indicates whether the segments need a separate header, as MP4 segments
    /// do.
    var hasHeaders: Bool { lines.contains { $0.hasPrefix("#EXT-X-MAP:") } }

    /// A Boolean value that indicates whether each segment is a keyframe alone.
    var isOfKeyframes: Bool { lines.contains("#EXT-X-I-FRAMES-ONLY") }

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
        removeSegments { _, end in end <= seconds }
    }

    /// Removes a number of segments from the beginning, but never the last one.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        resolveRanges()
        removeSegments { index, _ in index < count }
    }

    /// Removes the segments after a number of them.
    ///
    /// - Parameter isFinal: A Boolean value that indicates whether no segments follow them.
    mutating func end(after count: Int, isFinal: Bool) {
        var (kept, index): ([Substring], Int) = ([], 0)
        for line in lines {
            if index == count, line.hasPrefix(Self.durationTag) || !line.hasPrefix("#") { break }
            kept.append(line)
            if !line.isEmpty, !line.hasPrefix("#") { index += 1 }
        }
        if isFinal, !kept.contains("#EXT-X-ENDLIST") { kept.append("#EXT-X-ENDLIST") }
        lines = kept
    }

    /// Removes the first segments as long as a condition is true. The last segment is never
    /// removed.
    ///
    /// - Parameter isRemoved: The condition. Its arguments are the index of the segment, and the
    ///   time in seconds at which the segment ends.
    private mutating func removeSegments(
        while isRemoved: (_ index: Int, _ end: Double) -> Bool
    ) {
        var (kept, part): ([Substring], [Substring]) = ([], [])
        var (duration, end, index, dropped) = (0.0, 0.0, 0, 0)
        let lastPart = lines.lastIndex { !$0.isEmpty && !$0.hasPrefix("#") }
        for (number, line) in lines.enumerated() {
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
                if dropped < index || number == lastPart || !isRemoved(index, end) {
                    kept += part + [line]
                } else {
                    dropped += 1
                }
                index += 1
                (duration, part) = (0, [])
            }
        }
        replaceLines(kept + part, addingToSequence: dropped)
    }

    /// Adds the offsets to byte ranges that continue the previous range.
    mutating func resolveRanges() {
        var (next, isRange) = (Int64(0), false)
        for (index, line) in lines.enumerated() {
            if line.hasPrefix(Self.rangeTag) {
                let parts = line.dropFirst(Self.rangeTag.count).split(separator: "@")
                guard let count = parts.first.flatMap({ Int64($0) }) else { continue }
                let offset = parts.count > 1 ? Int64(parts[1]) ?? 0 : next
                lines[index] = "\(Self.rangeTag)\(count)@\(offset)"
                next = offset.addingReportingOverflow(count).partialValue
                isRange = true
            } else if !line.isEmpty, !line.hasPrefix("#") {
                if !isRange { next = 0 }
                isRange = false
            }
        }
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
