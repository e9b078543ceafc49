// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A converter from caption screens that change over time to cues. Each line or box becomes one
/// cue, which lasts as long as the line or box stays on the screen.
///
/// If a row is written character by character, its cue starts with the first character.
///
/// - Concurrency: a value; any thread.
package struct CaptionTimeline: Sendable {
    /// The time after a change during which further characters belong to the same screen.
    static let burst = MediaTime(value: 1, timescale: 2)
    /// The time after which a line becomes a cue before its end has been read. The next cue
    /// continues the line.
    static let longest = MediaTime(value: 16, timescale: 1)

    private struct Line {
        var start: MediaTime
        var isContinuation = false
    }

    /// The lines that stay on the screen, in the order in which they appeared.
    private var order: [String] = []
    private var lines: [String: Line] = [:]
    /// The start of the current screen; nil if the screen is empty.
    private var start: MediaTime?
    private var lastWrite = MediaTime.invalid

    package init() {}

    /// The start of the earliest line that is not a cue yet; nil if there is no such line.
    package var pending: MediaTime? {
        lines.values.map(\.start).min().map { min($0, start ?? $0) } ?? start
    }

    /// Handles a change of the screen.
    ///
    /// - Parameters:
    ///   - effect: The kind of change.
    ///   - isEmpty: A Boolean value that indicates whether the new screen is empty.
    ///   - old: A function that returns the lines of the screen before the change.
    /// - Returns: the cues that end now.
    package mutating func change(
        _ effect: CEA608Decoder.Effect, at time: MediaTime, isEmpty: Bool, old: () -> [String]
    ) -> [SubtitleCue] {
        switch effect {
        case .none: return []
        case .written:
            defer { lastWrite = time }
            if start != nil, lastWrite.isNumeric, time - lastWrite <= Self.burst { return [] }
        case .replaced: lastWrite = time
        }
        let cues = end(at: time, old())
        start = isEmpty ? nil : time
        return isEmpty ? cues + endLines(at: time) : cues
    }

    /// Ends the current screen.
    private mutating func end(at time: MediaTime, _ shown: [String]) -> [SubtitleCue] {
        guard let start, time > start else { return [] }
        var seen: Set<String> = []
        let shown = shown.filter { seen.insert($0).inserted }
        let gone = order.filter { !seen.contains($0) }
        let cues = gone.compactMap { cue($0, until: start) }
        for line in gone { lines[line] = nil }
        order.removeAll { !seen.contains($0) }
        for line in shown where lines[line] == nil {
            lines[line] = Line(start: start)
            order.append(line)
        }
        return cues
    }

    private mutating func endLines(at time: MediaTime) -> [SubtitleCue] {
        defer { (order, lines) = ([], [:]) }
        return order.compactMap { cue($0, until: time) }
    }

    private func cue(_ line: String, until end: MediaTime) -> SubtitleCue? {
        guard let entry = lines[line], end > entry.start else { return nil }
        var cue = SubtitleCue(
            timeRange: MediaTimeRange(start: entry.start, end: end), content: .line("0," + line))
        cue.isContinuation = entry.isContinuation
        return cue
    }

    /// Returns cues for lines that have been displayed for a long time, and continues these lines.
    ///
    /// - Parameter shown: A function that returns the lines of the current screen.
    package mutating func advance(to time: MediaTime, _ shown: () -> [String]) -> [SubtitleCue] {
        guard let pending, time - pending >= Self.longest else { return [] }
        var cues = end(at: time, shown())
        guard start != nil else { return cues }
        start = time
        for line in order {
            guard let cue = cue(line, until: time) else { continue }
            cues.append(cue)
            lines[line] = Line(start: time, isContinuation: true)
        }
        return cues
    }

    /// Ends all lines at the end of the track.
    package mutating func finish(at time: MediaTime, _ shown: () -> [String]) -> [SubtitleCue] {
        defer { self = CaptionTimeline() }
        let cues = end(at: time, shown())
        return start == nil ? cues : cues + endLines(at: time)
    }
}
