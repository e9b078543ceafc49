// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// The subtitles of a track that have been read, in order.
///
/// Lines are stored permanently. Each line is stored once, even if a part of the media is read
/// several times. Bitmaps are large, so some are removed if `SubtitleLimits.keptBytes` is
/// exceeded. They are read again when they are needed.
package struct SubtitleStore: Sendable {
    /// A counter that increases when lines are removed or changed, or the style changes. A client
    /// that has taken lines must then take all of them again.
    package private(set) var generation = 0
    /// The number of changes of the stored subtitles.
    package private(set) var changeCount = 0
    package var script = SubtitleScript() {
        didSet {
            changeCount += 1
            generation += 1
        }
    }
    /// The lines, in the order in which they were read.
    package private(set) var lines: [SubtitleCue] = []
    /// The bitmaps, in the order in which they begin.
    package private(set) var pictures: [SubtitleCue] = []
    /// A Boolean value that indicates whether a limit was exceeded.
    package private(set) var isFull = false
    private var known: Set<SubtitleCue> = []
    /// The starts of the lines in ascending order, with the indices of the lines.
    private var starts: [(time: MediaTime, index: Int)] = []
    private var byteCount = 0
    private let limits: SubtitleLimits

    package init(limits: SubtitleLimits = SubtitleLimits()) { self.limits = limits }

    /// Adds the cues of a packet.
    package mutating func add(_ cues: [SubtitleCue]) {
        for cue in cues {
            switch cue.content {
            case .line(let line): add(cue, line)
            case .bitmaps: add(picture: cue)
            }
        }
    }

    private mutating func add(_ cue: SubtitleCue, _ line: String) {
        // The number at the start counts decoded lines, so it is different after a seek.
        let comma = line.firstIndex(of: ",") ?? line.startIndex
        let key = SubtitleCue(timeRange: cue.timeRange, content: .line(String(line[comma...])))
        guard !known.contains(key) else { return }
        if cue.isContinuation, extend(cue, String(line[comma...])) {
            known.insert(key)
            return
        }
        guard lines.count < limits.lineCount, byteCount + cue.byteCount <= limits.keptBytes else {
            isFull = true
            return
        }
        known.insert(key)
        append(cue)
        byteCount += cue.byteCount
        changeCount += 1
    }

    /// Extends the line that `cue` continues; returns false if there is no such line.
    private mutating func extend(_ cue: SubtitleCue, _ text: String) -> Bool {
        let index = lines.suffix(Self.maximumSearch).lastIndex { line in
            guard line.timeRange.end == cue.timeRange.start, case .line(let other) = line.content
            else { return false }
            return other.hasSuffix(text)
        }
        guard let index else { return false }
        lines[index].timeRange = MediaTimeRange(
            start: lines[index].timeRange.start, end: cue.timeRange.end)
        changeCount += 1
        // A client may have taken the line with its earlier end.
        generation += 1
        return true
    }

    /// The maximum number of lines in which a continued or open-ended line is searched for. No
    /// track shows as many lines at the same time.
    private static let maximumSearch = 512

    /// Appends a line, and ends the open-ended lines before it when it starts. If it is open-ended
    /// too, it ends when the next known line starts.
    private mutating func append(_ cue: SubtitleCue) {
        let start = cue.timeRange.start
        let next = firstPlace { $0 > start }
        // Lines that began earlier than the last one before this line have ended already.
        let earlier = starts[..<firstPlace { $0 >= start }].suffix(Self.maximumSearch)
        for (time, index) in earlier.reversed() {
            guard time == earlier.last?.time else { break }
            guard lines[index].isOpenEnded, lines[index].timeRange.end > start else { continue }
            lines[index].timeRange = MediaTimeRange(start: time, end: start)
            // A client may have taken the line with its later end.
            generation += 1
        }
        var cue = cue
        if cue.isOpenEnded, next < starts.count {
            cue.timeRange = MediaTimeRange(
                start: start, end: min(cue.timeRange.end, starts[next].time))
        }
        starts.insert((start, lines.count), at: next)
        lines.append(cue)
    }

    /// Returns the first place in `starts` whose time meets a condition. All later times meet it
    /// too.
    private func firstPlace(where isMet: (MediaTime) -> Bool) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if isMet(starts[middle].time) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func add(picture cue: SubtitleCue) {
        let start = cue.timeRange.start
        changeCount += 1
        // An open-ended cue ends when the next cue begins.
        for index in pictures.indices
        where pictures[index].timeRange.start < start && pictures[index].timeRange.end > start {
            pictures[index].timeRange = MediaTimeRange(
                start: pictures[index].timeRange.start, end: start)
        }
        pictures.removeAll { known in
            guard known.timeRange.start == start else { return false }
            byteCount -= known.byteCount
            return true
        }
        guard case .bitmaps(let bitmaps) = cue.content, !bitmaps.isEmpty else { return }
        var cue = cue
        let place = pictures.firstIndex { $0.timeRange.start > start } ?? pictures.endIndex
        if place < pictures.endIndex, cue.timeRange.end > pictures[place].timeRange.start {
            cue.timeRange = MediaTimeRange(start: start, end: pictures[place].timeRange.start)
        }
        pictures.insert(cue, at: place)
        byteCount += cue.byteCount
        while byteCount > limits.keptBytes, pictures.count > 1 {
            // This is the bitmap that is farthest from the last one read.
            let oldest = place * 2 >= pictures.count ? 0 : pictures.count - 1
            byteCount -= pictures.remove(at: oldest).byteCount
            isFull = true
        }
    }

    /// Removes all bitmaps after a jump in the read position. A bitmap ends when the next one is
    /// read, and the jump may have skipped that one.
    package mutating func jump() {
        guard !pictures.isEmpty else { return }
        byteCount -= pictures.reduce(0) { $0 + $1.byteCount }
        pictures = []
        changeCount += 1
    }

    /// Returns the cues at a time, in the order in which they were read.
    package func cues(at time: MediaTime) -> [SubtitleCue] {
        (lines + pictures).filter { $0.timeRange.contains(time) }
    }

    /// Returns the first time after `time`, or the last time before it, at which a cue begins or
    /// ends; nil if there is no such time.
    package func change(after time: MediaTime, isForward: Bool = true) -> MediaTime? {
        var found: MediaTime?
        for cues in [lines, pictures] {
            for cue in cues {
                for edge in [cue.timeRange.start, cue.timeRange.end] where edge.isNumeric {
                    if isForward, edge > time, edge < found ?? .positiveInfinity { found = edge }
                    if !isForward, edge < time, edge > found ?? .negativeInfinity { found = edge }
                }
            }
        }
        return found
    }
}
