// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// Finds where a film may be cut so that it repeats without a jump.
///
/// Feed it all frames, then ask. It keeps a small picture of each, 16 by 16 pixels.
///
///     var search = LoopSearch()
///     for frame in frames { search.append(frame) }
///     let loop = search.best(length: 120)
///
/// - Concurrency: a value; any thread.
public struct LoopSearch: Sendable {
    private static let side = 16
    private var frames: [[Float]] = []

    public init() {}

    /// How many pictures the loop would have.
    public var frameCount: Int { frames.count }

    /// Adds the next frame.
    public mutating func append(_ image: RGBAImage) {
        let side = Self.side
        var small = [Float](repeating: 0, count: side * side * 3)
        image.bytes.withUnsafeBufferPointer { bytes in
            for row in 0..<side {
                let rows = Self.range(row, of: image.height)
                for column in 0..<side {
                    let columns = Self.range(column, of: image.width)
                    var sum = SIMD3<Int>(0, 0, 0)
                    for y in rows {
                        for x in columns {
                            let start = (y * image.width + x) * 4
                            sum &+= SIMD3(
                                Int(bytes[start]), Int(bytes[start + 1]), Int(bytes[start + 2]))
                        }
                    }
                    let count = Float(rows.count * columns.count)
                    for channel in 0..<3 {
                        small[(row * side + column) * 3 + channel] = Float(sum[channel]) / count
                    }
                }
            }
        }
        frames.append(small)
    }

    /// The pixels of one of `side` parts of a length; never none.
    private static func range(_ index: Int, of length: Int) -> Range<Int> {
        let first = min(index * length / side, length - 1)
        return first..<max(first + 1, (index + 1) * length / side)
    }

    /// How far two frames are apart: the root of the mean of squared differences.
    func distance(_ first: Int, _ second: Int) -> Double {
        var sum: Float = 0
        for (a, b) in zip(frames[first], frames[second]) { sum += (a - b) * (a - b) }
        return Double(sum / Float(frames[first].count)).squareRoot()
    }

    /// The best loop of a length, or of the longest integral part of it that the film has; of half
    /// as much where that agrees far better; nil for films of one frame, and of a length
    /// of which no integral part is as long as the film or at least a quarter of it.
    ///
    /// The frame after the last is compared with the first, and so are their neighbours on both
    /// sides, lest a pendulum swing back where it should go on. Where the film ends with the loop's
    /// last frame, there is no frame after it; then what the step from the last to the first is
    /// more than those beside it and the film's average counts.
    ///
    /// - Parameter length: in frames; 1 or more.
    public func best(length: Int) -> LoopPoint? {
        guard frames.count > 1, length > 0 else { return nil }
        let steps = (1..<frames.count).map { distance($0 - 1, $0) }
        let step = steps.reduce(0, +) / Double(steps.count)
        var best: LoopPoint?
        for part in 1...length where length % part == 0 {
            let candidate = length / part
            guard candidate <= frames.count else { continue }
            // A length without fitting parts would leave a still, which agrees with itself.
            guard candidate >= min(length, max(2, frames.count / 4)) else { break }
            guard let known = best else {
                best = self.best(exactly: candidate, step: step)
                continue
            }
            // Longer loops are richer, and two neighbouring frames always agree: a shorter one has
            // to be a lot better.
            guard !known.isSeamless, 2 * candidate >= known.length else { break }
            let found = self.best(exactly: candidate, step: step)
            if let found, found.seam < 0.5 * known.seam { best = found }
        }
        return best
    }

    /// All frames as one loop, its seam and its steps; nil for fewer than two frames.
    ///
    /// - Parameter period: after how many frames what is seen repeats itself, for a loop that is there
    ///   several times: what changes from one to the next is not too much after the last either.
    public func whole(period: Int) -> LoopPoint? {
        guard frames.count > 1 else { return nil }
        let steps = (1..<frames.count).map { distance($0 - 1, $0) }
        let step = steps.reduce(0, +) / Double(steps.count)
        let turns = stride(from: max(1, period), to: frames.count, by: max(1, period))
        let largest = turns.map { steps[$0 - 1] }.max() ?? 0
        return LoopPoint(
            start: 0, length: frames.count,
            seam: seam(0, frames.count, step: max(step, largest)), step: step)
    }

    /// The best loop of a length, its end dissolved into what comes before its beginning where it
    /// does not agree with it and the film is long enough for that.
    public func best(length: Int, dissolve: Int) -> LoopPoint? {
        guard var loop = best(length: length) else { return nil }
        guard !loop.isSeamless, dissolve > 0 else { return loop }
        for part in 1...length where length % part == 0 {
            let candidate = length / part
            guard candidate >= 2 * dissolve, candidate + dissolve <= frames.count else { continue }
            loop.start = min(max(loop.start, dissolve), frames.count - candidate)
            loop.length = candidate
            loop.dissolve = dissolve
            break
        }
        return loop
    }

    private func best(exactly length: Int, step: Double) -> LoopPoint? {
        var best: LoopPoint?
        var lowest = Double.infinity
        for start in 0...(frames.count - length) {
            let seam = self.seam(start, length, step: step)
            var cost = seam
            // Neighbours say whether things move the same way.
            if start > 0 { cost += 0.5 * distance(start - 1, start + length - 1) }
            if start + length + 1 < frames.count {
                cost += 0.5 * distance(start + 1, start + length + 1)
            }
            // Where neighbours are missing the seam counts for them.
            if start == 0 { cost += 0.5 * seam }
            if start + length + 1 >= frames.count { cost += 0.5 * seam }
            if cost < lowest {
                lowest = cost
                best = LoopPoint(start: start, length: length, seam: seam, step: step)
            }
        }
        return best
    }

    private func seam(_ start: Int, _ length: Int, step: Double) -> Double {
        let end = start + length
        guard end == frames.count else { return distance(start, end) }
        // Things may move fast just there.
        let steps = [
            step, length > 1 ? distance(end - 2, end - 1) : 0,
            length > 1 ? distance(start, start + 1) : 0,
        ]
        return max(0, distance(end - 1, start) - (steps.max() ?? 0))
    }
}
