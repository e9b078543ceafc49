// SPDX-License-Identifier: Apache-2.0

import PlayheadStretching

/// A stretcher of the audio of one `CompositionRun` to the duration that it has in the composition,
/// at its original pitch.
///
/// It receives the decoded audio of the source, in order, and outputs exactly the frames of the
/// run, as soon as the source is known a little further than what is output. The output does not
/// depend on the sizes of the buffers. In its last 12 ms it cross-fades into the frames before the
/// end of the run, so that a run that continues in the next one continues there without a click.
///
/// - Concurrency: one thread at a time.
/// - Ownership: owns its memory.
final class RunStretcher {
    /// The number of source frames per output frame.
    let speed: Double

    private let channelCount: Int
    /// The first frame of the source that is heard, and the number of frames of the output.
    private let firstFrame: Int64
    private let count: Int64
    /// The end of the frames of the source that may be heard.
    private let limit: Int64
    /// The number of source frames after a block that are needed to render it.
    private let lookAhead: Int64
    /// The output frame at which the last cross-fade begins.
    private let fadeStart: Int64
    private var stretcher: TimeStretcher
    /// A ring of the last frames of the source: frame i is in slot i & mask.
    private let ring: UnsafeMutablePointer<Float>
    private let capacity: Int64
    /// The frames of the source in the ring; nil before the first.
    private var known: Range<Int64>?
    /// The next frame of the output; nil before the first.
    private var next: Int64?

    /// The number of frames that are rendered at once, counted from the start of the run.
    private static let blockFrames: Int64 = 1024

    /// Returns whether a run of a speed is stretched. If the speed is almost 1, the change of pitch
    /// is less audible than the cuts of stretching.
    static func keepsPitch(at speed: Double) -> Bool {
        TimeStretcher.rates.contains(speed) && abs(speed - 1) > 0.005
    }

    /// - Parameters:
    ///   - source: the frames of the source that are heard.
    ///   - count: the number of frames of the output.
    ///   - speed: the number of source frames per output frame.
    init(source: Range<Int64>, count: Int64, speed: Double, sampleRate: Int, channelCount: Int) {
        self.speed = speed
        self.count = count
        self.channelCount = channelCount
        firstFrame = source.lowerBound
        stretcher = TimeStretcher(sampleRate: sampleRate)
        // Half a piece: a piece that is chosen before the cross-fade does not reach the end.
        fadeStart = max(0, count - Int64(sampleRate) * 12 / 1000)
        limit = source.upperBound
        lookAhead = Int64(Double(sampleRate) * 0.08 * max(speed, 1))
        // A piece is at most 0.1 s behind the frame that is due.
        let needed =
            Int64(sampleRate) / 5 + lookAhead
            + Int64(Double(2 * Self.blockFrames) * max(speed, 1))
        var capacity: Int64 = 1
        while capacity < needed { capacity *= 2 }
        self.capacity = capacity
        let size = Int(capacity) * channelCount
        ring = .allocate(capacity: size)
        ring.initialize(repeating: 0, count: size)
    }

    deinit { ring.deallocate() }

    /// Receives frames of the output: their number, the number of the first one, and a function
    /// that writes their samples.
    typealias Output = (
        _ count: Int, _ first: Int64, _ write: (UnsafeMutableBufferPointer<Float>) -> Void
    ) -> Void

    /// Adds frames of the source, the first of which is `frame`. Frames that are missing before it
    /// are silent.
    func append(_ samples: UnsafeBufferPointer<Float>, at frame: Int64, output: Output) {
        guard let start = samples.baseAddress, frame < limit else { return }
        let end = frame + Int64(samples.count / channelCount)
        if known == nil { known = frame..<frame }
        fill(upTo: min(frame, limit), output: output) { _ in nil }
        fill(upTo: min(end, limit), output: output) {
            start + Int($0 - frame) * self.channelCount
        }
    }

    /// Outputs the frames that remain, as far as the source is known.
    func finish(output: Output) { render(isLast: true, output: output) }

    // MARK: - Source

    /// Adds frames in pieces that fit into the ring.
    ///
    /// - Parameter samples: returns the samples from a frame on; nil for silence.
    private func fill(
        upTo end: Int64, output: Output, samples: (Int64) -> UnsafePointer<Float>?
    ) {
        while let known, known.upperBound < end {
            let first = known.upperBound
            let slot = first & (capacity - 1)
            let length = min(end - first, Self.blockFrames, capacity - slot)
            let target = ring + Int(slot) * channelCount
            let size = Int(length) * channelCount
            if let source = samples(first) {
                target.update(from: source, count: size)
            } else {
                target.update(repeating: 0, count: size)
            }
            let newEnd = first + length
            self.known = max(known.lowerBound, newEnd - capacity)..<newEnd
            render(isLast: false, output: output)
        }
    }

    // MARK: - Output

    private func due(_ frame: Int64) -> Double { Double(firstFrame) + Double(frame) * speed }

    private func render(isLast: Bool, output: Output) {
        guard let known else { return }
        var position = next ?? begin(at: known.lowerBound)
        defer { next = position }
        while position < count {
            let end = min(
                (position / Self.blockFrames + 1) * Self.blockFrames,
                position < fadeStart ? fadeStart : count)
            let isKnown = known.upperBound >= min(Int64(due(end)) + lookAhead, limit)
            guard isKnown || (isLast && due(position) < Double(known.upperBound)) else { return }
            output(Int(end - position), position) { target in
                guard let target = target.baseAddress else { return }
                self.render(into: target, position..<end, known)
            }
            position = end
        }
    }

    /// Begins with the first frame of the output that the known part of the source covers.
    private func begin(at frame: Int64) -> Int64 {
        let first = max(0, Int64((Double(frame - firstFrame) / speed).rounded(.up)))
        stretcher.begin(at: Int64(due(first).rounded()))
        return first
    }

    private func render(
        into target: UnsafeMutablePointer<Float>, _ frames: Range<Int64>, _ known: Range<Int64>
    ) {
        let source = StretchSource(
            samples: ring, mask: capacity - 1, channelCount: channelCount, frames: known)
        _ = stretcher.render(
            into: target, count: frames.count, position: due(frames.lowerBound), rate: speed,
            isEnding: false, source: source)
        guard frames.lowerBound >= fadeStart else { return }
        for frame in frames {
            let samples = source.frame(limit - (count - frame))
            let weight = Float(frame - fadeStart + 1) / Float(count - fadeStart + 1)
            let place = Int(frame - frames.lowerBound) * channelCount
            for channel in 0..<channelCount {
                let stretched = target[place + channel]
                target[place + channel] += ((samples?[channel] ?? 0) - stretched) * weight
            }
        }
    }
}
