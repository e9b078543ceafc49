// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A search for the part of a video that repeats without a jump.
///
/// Append all frames, then search. The search keeps an image of 16 by 16 pixels of each frame.
///
///     var search = LoopSearch()
///     for frame in frames { search.append(frame) }
///     let loop = search.best(length: 120)
///
/// - Concurrency: a value; any thread.
public struct LoopSearch: Sendable {
    private static let side = 16
    private var frames: [[Float]] = []

    /// Creates a search without frames.
    public init() {}

    /// The number of frames that were appended.
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

    /// Returns the pixels of part `index` if `length` pixels are divided into `side` parts. The
    /// range is never empty.
    private static func range(_ index: Int, of length: Int) -> Range<Int> {
        let first = min(index * length / side, length - 1)
        return first..<max(first + 1, (index + 1) * length / side)
    }

    /// Returns the difference of two frames: the root mean square of the differences of their
    /// samples.
    func distance(_ first: Int, _ second: Int) -> Double {
        var sum: Float = 0
        for (a, b) in zip(frames[first], frames[second]) { sum += (a - b) * (a - b) }
        return Double(sum / Float(frames[first].count)).squareRoot()
    }

    /// Returns the best loop of a given length. If the video is shorter, the length of the loop is
    /// the largest divisor of `length` that fits in the video. A shorter loop, of at least half the
    /// length, is preferred if its seam is less than half as large.
    ///
    /// The result is nil for videos of one frame. It is also nil if the video is shorter than
    /// `length`, and `length` has no divisor between a quarter of the video's length and the whole
    /// of it.
    ///
    /// The search compares the frame after the loop's last frame with the loop's first frame. It
    /// also compares the neighbours of both, so that a pendulum does not reverse at the seam. If
    /// the loop ends with the video, there is no frame after the last one. The seam is then the
    /// step from the last frame to the first, minus the largest of three other steps: the two
    /// neighbouring steps and the video's average step.
    ///
    /// - Parameter length: the length, in frames; 1 or more.
    public func best(length: Int) -> LoopPoint? {
        guard frames.count > 1, length > 0 else { return nil }
        let steps = (1..<frames.count).map { distance($0 - 1, $0) }
        let step = steps.reduce(0, +) / Double(steps.count)
        var best: LoopPoint?
        for part in 1...length where length % part == 0 {
            let candidate = length / part
            guard candidate <= frames.count else { continue }
            // Very short loops are not searched. A single frame, for example, always matches
            // itself.
            guard candidate >= min(length, max(2, frames.count / 4)) else { break }
            guard let known = best else {
                best = self.best(exactly: candidate, step: step)
                continue
            }
            // Longer loops show more, and two neighbouring frames always match. Therefore a shorter
            // loop is chosen only if it is much better.
            guard !known.isSeamless, 2 * candidate >= known.length else { break }
            let found = self.best(exactly: candidate, step: step)
            if let found, found.seam < 0.5 * known.seam { best = found }
        }
        return best
    }

    /// Returns all frames as one loop, with its seam and its step; nil for fewer than two frames.
    ///
    /// - Parameter period: the number of frames after which the content repeats, if the video
    ///   contains the loop several times. A difference that occurs between two of these repetitions
    ///   is acceptable after the last frame too.
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

    /// Returns the best loop of a given length. If its seam is visible, the last `dissolve` frames
    /// of the loop are dissolved into the frames before its start. If the video is too short for
    /// this, the length of the loop is the largest divisor of `length` that leaves enough frames
    /// before the start. If there is no such divisor, the loop has no dissolve.
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
            // The neighbours show whether objects move in the same direction.
            if start > 0 { cost += 0.5 * distance(start - 1, start + length - 1) }
            if start + length + 1 < frames.count {
                cost += 0.5 * distance(start + 1, start + length + 1)
            }
            // If neighbours are missing, the seam counts in their place.
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
        // If motion is fast around the seam, a larger difference is acceptable.
        let steps = [
            step, length > 1 ? distance(end - 2, end - 1) : 0,
            length > 1 ? distance(start, start + 1) : 0,
        ]
        return max(0, distance(end - 1, start) - (steps.max() ?? 0))
    }
}
