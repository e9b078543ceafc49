// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension WebVTTFile {
    /// The maximum number of bytes that are examined to find the cues that are shown at the same
    /// time. The cues of a region with more are not moved.
    private static let maximumWork = 32 << 20

    /// Returns the subtitles of the file. A cue whose end is not after its start is shown until the
    /// next one begins.
    func subtitles(limits: SubtitleLimits) -> [SubtitleCue] {
        var lines = WebVTTLines()
        lines.take(self)
        var (subtitles, stacks): ([SubtitleCue], [String: [TimedCue]]) = ([], [:])
        for cue in cues {
            if cue.end > cue.start, lines.isInRegion(cue.cue) {
                stacks[cue.cue.settings, default: []].append(cue)
            } else if let line = lines.line(of: cue.cue, limit: limits.lineBytes) {
                subtitles.append(Self.subtitle(line, from: cue.start, to: cue.end))
            }
        }
        for (settings, cues) in stacks.sorted(by: { $0.key < $1.key }) {
            subtitles += Self.subtitles(of: cues, settings, lines: &lines, limits: limits)
        }
        return subtitles
    }

    private static func subtitle(_ line: String, from start: Int64, to end: Int64) -> SubtitleCue {
        let begin = MediaTime(value: start, timescale: 1000)
        let stated = MediaTime(value: end, timescale: 1000)
        var cue = SubtitleCue(
            timeRange: MediaTimeRange(
                start: begin, end: end > start ? stated : begin + WebVTTLines.usualDuration),
            content: .line(line))
        cue.isOpenEnded = end <= start
        return cue
    }

    /// Returns the subtitles of the cues at a place in a region: for each time between two changes,
    /// those that are shown, one below the other.
    private static func subtitles(
        of cues: [TimedCue], _ settings: String, lines: inout WebVTTLines, limits: SubtitleLimits
    ) -> [SubtitleCue] {
        let sorted = cues.enumerated().sorted {
            ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
        }.compactMap { place in
            lines.text(of: place.element.cue, limit: limits.lineBytes).map { (place.element, $0) }
        }
        let edges = Set(sorted.flatMap { [$0.0.start, $0.0.end] }).sorted()
        var (active, next, work): ([(TimedCue, StyledText)], Int, Int) = ([], 0, 0)
        var subtitles: [SubtitleCue] = []
        for (start, end) in zip(edges, edges.dropFirst()) {
            active.removeAll { $0.0.end <= start }
            while next < sorted.count, sorted[next].0.start <= start {
                active.append(sorted[next])
                next += 1
            }
            work += 16 * (active.count + 1)
            guard work <= maximumWork, subtitles.count < limits.lineCount else { break }
            if !active.isEmpty,
                let line = lines.line(of: active.map(\.1), settings, limit: limits.lineBytes)
            {
                work += line.utf8.count
                subtitles.append(subtitle(line, from: start, to: end))
            }
        }
        guard work > maximumWork else { return subtitles }
        return sorted.compactMap { cue, text in
            lines.line(of: [text], settings, limit: limits.lineBytes)
                .map { subtitle($0, from: cue.start, to: cue.end) }
        }
    }
}
