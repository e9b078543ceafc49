// SPDX-License-Identifier: Apache-2.0

/// A track of a composition as an array with the media that plays in each tick of its timeline.
///
/// It is slow, and too simple to be wrong. Edits happen at whole ticks; the times of sources are
/// fractions, in ticks.
public struct TickTrack: Sendable, Hashable {
    /// A tick in which media plays.
    public struct Tick: Sendable, Hashable {
        public var source: Int
        public var start: Fraction
        public var length: Fraction
        /// A Boolean value that indicates whether a segment begins here.
        public var isFirst: Bool
    }

    /// A run of ticks that is one segment.
    public struct Run: Sendable, Hashable {
        /// The number of the source; nil where nothing plays.
        public var source: Int?
        public var first: Int
        public var count: Int
        public var start: Fraction
        public var length: Fraction
    }

    public private(set) var ticks: [Tick?] = []

    public init() {}

    /// Returns ticks of a source, `range.lowerBound` first.
    public static func media(_ source: Int, _ range: Range<Int>) -> [Tick?] {
        range.map {
            Tick(
                source: source, start: Fraction(Int128($0)), length: Fraction(1),
                isFirst: $0 == range.lowerBound)
        }
    }

    public var count: Int { ticks.count }

    public var runs: [Run] {
        var runs: [Run] = []
        for (index, tick) in ticks.enumerated() {
            if let last = runs.last, tick == nil ? last.source == nil : tick?.isFirst == false {
                runs[runs.count - 1].count = last.count + 1
                runs[runs.count - 1].length = last.length + (tick?.length ?? Fraction(0))
            } else {
                runs.append(
                    Run(
                        source: tick?.source, first: index, count: 1,
                        start: tick?.start ?? Fraction(0), length: tick?.length ?? Fraction(0)))
            }
        }
        return runs
    }

    /// Returns the ticks of a range as they appear in a copy; nil if it is outside of the track.
    public func slice(_ range: Range<Int>) -> [Tick?] {
        var result = range.map { $0 < count ? ticks[$0] : nil }
        if !result.isEmpty { result[0]?.isFirst = true }
        return result
    }

    public mutating func replace(_ range: Range<Int>, by new: [Tick?]) {
        if new.isEmpty, range.isEmpty { return }
        while count < range.upperBound { ticks.append(nil) }
        if range.upperBound < count { ticks[range.upperBound]?.isFirst = true }
        ticks.replaceSubrange(range, with: new)
        while let last = ticks.last, last == nil { ticks.removeLast() }
    }

    /// Changes the length of a range; returns false if a segment would begin within a tick.
    public mutating func scale(_ range: Range<Int>, to length: Int) -> Bool {
        var part = TickTrack()
        part.ticks = slice(range)
        var result: [Tick?] = []
        for run in part.runs {
            let edges = [run.first, run.first + run.count].map { $0 * length }
            guard edges.allSatisfy({ $0.isMultiple(of: range.count) }) else { return false }
            let count = (edges[1] - edges[0]) / range.count
            for index in 0..<count {
                guard let source = run.source else {
                    result.append(nil)
                    continue
                }
                let step = run.length * Fraction(1, Int128(count))
                result.append(
                    Tick(
                        source: source, start: run.start + step * Fraction(Int128(index)),
                        length: step, isFirst: index == 0))
            }
        }
        replace(range, by: result)
        return true
    }
}
