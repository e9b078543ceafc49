// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
package import PlayheadStretching
import PlayheadTime
import Synchronization

// This code runs on the sink's real-time thread. It does not lock, allocate or wait.

extension AudioRenderer {
    /// The state of the callback between calls.
    struct CallbackState: ~Copyable {
        /// The frame after the last delivered frame; nil after an interruption.
        var next: Int64?
        var gain = GainRamp()
        /// The stretcher that keeps the pitch at rates other than 1. It is inactive at rate 1.
        var stretcher: TimeStretcher
        /// The largest change of the gain between consecutive frames.
        let gainStep: Float
        /// A Boolean value that indicates whether the last frame of the previous call contained
        /// audio of the item.
        var isDelivering = false
        /// The volume and pan of the item's mix.
        var mix: MixStage
        /// The stream time after the last delivered frame, in nanoseconds; nil when playback
        /// starts.
        var expectedTime: Int64?
        /// The number of times that audio was due but not available.
        var misses = 0

        init(sampleRate: Int, channelCount: Int) {
            stretcher = TimeStretcher(sampleRate: sampleRate)
            mix = MixStage(sampleRate: sampleRate, channelCount: channelCount)
            gainStep = 1 / (Float(sampleRate) * GainRamp.seconds)
        }
    }

    /// The largest difference between the next frame and the requested frame, in frames, that
    /// counts as rounding.
    private static let toleranceFrames = 2.0
    /// The tolerance if the timebase does not run on the sink's clock, in nanoseconds. The two
    /// clocks drift apart by a few hundred parts per million, and an occasional skip of 5 ms is
    /// better than a steady crackle.
    private static let foreignToleranceNanoseconds: Int64 = 5_000_000
    /// The largest distance between an instant and a frame, in frames, at which the two are treated
    /// as coincident. It is half a frame for rounding, plus a margin.
    private static let seamTolerance = 0.75
    /// The largest distance, in frames, between the time of a start and its first sample. It is
    /// larger than `seamTolerance`, because the times of starts are rounded to nanoseconds.
    private static let startTolerance = 0.76

    package func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        var seam: Int64?
        render(
            into: samples, frameCount: frameCount, presentationTime: presentationTime, delay: 0,
            seam: &seam)
    }

    /// Fills a block. This renderer is one of several renderers that follow each other.
    ///
    /// - Parameters:
    ///   - presentationTime: The clock time of the requested audio.
    ///   - delay: The additional delay until the audio is heard, in nanoseconds.
    ///   - seam: On entry, the clock time, in nanoseconds, of the first frame after the end of the
    ///     previous renderer. On return, the same for the end of this renderer. If this renderer
    ///     starts at that time, it starts on exactly that frame, regardless of how the two times
    ///     were rounded.
    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64,
        delay: Int64, seam: inout Int64?
    ) {
        let reading = timebase.reading(at: MediaTime(nanoseconds: presentationTime), of: clock)
        let window = ring.beginReading()
        var block = Block(
            samples: samples, frameCount: frameCount, window: window, algorithm: timePitchAlgorithm,
            tolerance: tolerance)
        if reading.rate != 0, let time = reading.time.nearestNanoseconds {
            block.clockTime = presentationTime
            block.isReversed = reading.rate < 0
            block.time = block.converted(time)
            block.rate = reading.rate.magnitude
            heardRate.store(block.rate.bitPattern, ordering: .relaxed)
            let start = begin(
                &block, at: firstTime(reading.holdTime, block, delay: delay), seam: seam)
            if let end = endFrame(block, from: start) {
                block.frameCount = min(max(0, end), frameCount)
                if (0...frameCount).contains(end) {
                    block.end = end
                    seam = presentationTime + ring.conversion.nanoseconds(frames: Int64(end))
                }
            }
            silence(&block, count: min(max(0, start ?? 0), block.frameCount))
            if let program = mix.beginReading() {
                mixParts(&block, program)
            } else {
                fill(&block)
            }
            mix.endReading()
            callback.expectedTime = wantedTime(block)
        } else {
            callback.expectedTime = nil
        }
        block.frameCount = frameCount
        silence(&block, count: block.rest)
        ring.endReading(position: block.position)
        let target = Float(bitPattern: targetGain.load(ordering: .relaxed))
        callback.gain.apply(
            target: target, step: callback.gainStep, to: samples, frameCount: frameCount,
            channelCount: format.channelCount)
        counters.delivered.add(block.delivered, ordering: .relaxed)
    }

    /// Fills the block with the item's audio.
    private func fill(_ block: inout Block) {
        let isStretched = block.algorithm != .varispeed && !Self.isAdjustment(block.rate)
        while block.done < block.frameCount {
            if !Self.isAudible(atRate: block.rate, by: block.algorithm) {
                pass(&block)
            } else if isStretched || callback.stretcher.isActive {
                stretch(&block, isEnding: !isStretched)
            } else if block.rate == 1 {
                deliver(&block)
            } else {
                resample(&block)
            }
        }
    }

    /// Returns whether a rate is so close to 1 that the change of pitch is inaudible, as when a
    /// video is locked to a display. Keeping the pitch requires cuts, which are more audible.
    private static func isAdjustment(_ rate: Double) -> Bool { abs(rate - 1) <= 0.005 }

    /// Returns whether the algorithm produces audio at a rate, or at a rate so close to it that the
    /// difference is inaudible.
    ///
    /// - Parameter rate: The magnitude of the rate.
    package static func isAudible(
        atRate rate: Double, by algorithm: AudioTimePitchAlgorithm
    ) -> Bool {
        let rates = algorithm.rates
        return isAdjustment(rate / min(max(rate, rates.lowerBound), rates.upperBound))
    }

    /// Returns the stream time at which audio starts, if the timeline or the audio has a start.
    private func firstTime(_ hold: MediaTime?, _ block: Block, delay: Int64) -> Int64? {
        let hold = hold?.nearestNanoseconds.map {
            soundStart(block.converted($0), block, delay: delay)
        }
        let start = start.load(ordering: .relaxed)
        return start == .min || block.isReversed ? hold : max(hold ?? start, start)
    }

    /// Returns the stream time at which audio starts if the timeline starts at `hold`. Audio is
    /// heard later than the timeline, so it starts with the part that was not heard before a pause.
    private func soundStart(_ hold: Int64, _ block: Block, delay: Int64) -> Int64 {
        guard delay > 0 else { return hold }
        let unheard = hold - Int64((Double(delay) * block.rate).rounded())
        return switch ring.locate(unheard, in: block.window) {
        case .frame: unheard
        case .gap(let until): until < hold - block.tolerance ? unheard : hold
        case .beyond: hold
        }
    }

    /// Returns the frame of the block at which playback starts, if the start is in the future or
    /// less than a frame in the past. Returns nil if there is no such start.
    private func begin(_ block: inout Block, at hold: Int64?, seam: Int64?) -> Int? {
        guard let hold else { return nil }
        let distance = ring.conversion.frames(nanoseconds: hold - block.time) / block.rate
        let isDue = distance > -Self.seamTolerance
        guard isDue, distance > 0 || !callback.isDelivering else { return nil }
        callback.next = nil
        callback.expectedTime = nil
        callback.stretcher.stop()
        block.start = hold
        let counted = seam.map {
            ring.conversion.nearestFrame(nanoseconds: $0 - block.clockTime)
        }
        return Self.frame(distance, counted: counted)
    }

    /// Returns the frame of the block at which silence begins; it may be before or after the block.
    /// Nil if no end is set.
    private func endFrame(_ block: Block, from start: Int?) -> Int? {
        let itemEnd =
            block.isReversed
            ? reverseEnd.load(ordering: .relaxed) : end.load(ordering: .relaxed)
        guard itemEnd != .max else { return nil }
        let end = block.converted(itemEnd)
        let conversion = ring.conversion
        let distance = conversion.frames(nanoseconds: end - block.time) / block.rate
        guard block.rate == 1 else { return Self.frame(distance, counted: nil) }
        var counted: Int64?
        if let start, let hold = block.start {
            counted =
                Int64(start) + conversion.nearestFrame(nanoseconds: end)
                - conversion.nearestFrame(nanoseconds: hold)
        } else if let next = callback.next,
            let segment = ring.segment(containing: next - 1, in: block.window)
        {
            counted =
                conversion.nearestFrame(nanoseconds: end - segment.time) - (next - segment.first)
        }
        return Self.frame(distance, counted: counted)
    }

    /// Returns the frame for a position in a block. If possible, the frame is found by counting
    /// samples, so that an end halfway between two frames always gives the same frame.
    private static func frame(_ distance: Double, counted: Int64?) -> Int {
        if let counted, abs(distance - Double(counted)) < seamTolerance { return Int(counted) }
        let limit = 1e9
        return Int(min(max(distance, -limit), limit).rounded())
    }

    /// The block that is being filled.
    ///
    /// Its times are *stream times*, in which the ring is addressed: item times forwards, and
    /// negated item times backwards. They increase in both directions.
    struct Block {
        let samples: UnsafeMutablePointer<Float>
        /// The number of frames that the item fills; the others are silent.
        var frameCount: Int
        let window: AudioRingBuffer.Window
        let algorithm: AudioTimePitchAlgorithm
        /// The maximum difference between two times of the same frame, in nanoseconds.
        let tolerance: Int64
        /// The clock time of the first frame, in nanoseconds.
        var clockTime: Int64 = 0
        /// A Boolean value that indicates whether the item plays backwards.
        var isReversed = false
        var time: Int64 = 0
        /// The increase of the stream time per clock time, which is positive.
        var rate = 1.0
        /// The stream time, in nanoseconds, at which playback starts within the block.
        var start: Int64?
        /// The frame at which the item ends; nil if it does not end in the block.
        var end: Int?
        /// The number of frames filled so far.
        var done = 0
        var delivered: Int64 = 0
        /// The frame of the ring that will probably be requested next; nil if unknown.
        var position: Int64?

        var rest: Int { frameCount - done }

        /// Returns the stream time for an item time, or the item time for a stream time.
        func converted(_ time: Int64) -> Int64 { isReversed ? 0 &- time : time }
    }

    /// Returns the stream time of the next frame to fill. Playback starts with exactly the sample
    /// at the start time, even though the block's frame may be off by up to half a sample.
    func wantedTime(_ block: Block) -> Int64 {
        let time = streamTime(block, at: block.done)
        if let start = block.start, !callback.isDelivering,
            abs(ring.conversion.frames(nanoseconds: start - time))
                < Self.startTolerance * block.rate
        {
            return start
        }
        return time
    }

    /// Fills frames of the block with the item's audio. Skips the audio of earlier frames of the
    /// block that were left out.
    ///
    /// - Returns: The flags of the frames.
    func fillSource(_ block: inout Block, from first: Int, count: Int) -> AudioTapSource.Flags {
        if block.done != first { skip(&block, to: first) }
        var flags = AudioTapSource.Flags.none
        let time = wantedTime(block)
        if let expected = callback.expectedTime {
            if abs(time - expected) > block.tolerance { flags.insert(.discontinuity) }
        } else {
            flags.insert(.startOfStream)
        }
        let (misses, frameCount) = (callback.misses, block.frameCount)
        block.frameCount = first + count
        fill(&block)
        block.frameCount = frameCount
        callback.expectedTime = wantedTime(block)
        if callback.misses != misses { flags.insert(.discontinuity) }
        let isDrained =
            ring.isStreamEnd(in: block.window) && (block.position ?? 0) >= block.window.head
        if isDrained || block.end == block.done { flags.insert(.endOfStream) }
        return flags
    }

    /// Continues filling at another frame of the block.
    func skip(_ block: inout Block, to frame: Int) {
        block.done = frame
        callback.next = nil
    }

    /// Returns the item time range of a number of frames of the block.
    func timeRange(_ block: Block, from first: Int, count: Int) -> MediaTimeRange {
        let nanoseconds = Double(ring.conversion.nanoseconds(frames: Int64(count))) * block.rate
        let duration = Int64(nanoseconds.rounded())
        let start = streamTime(block, at: first)
        return MediaTimeRange(
            start: MediaTime(
                nanoseconds: block.isReversed ? block.converted(start) - duration : start),
            duration: MediaTime(nanoseconds: duration))
    }

    private func streamTime(_ block: Block, at frame: Int) -> Int64 {
        let elapsed = ring.conversion.nanoseconds(frames: Int64(frame))
        return block.time
            + (block.rate == 1 ? elapsed : Int64((Double(elapsed) * block.rate).rounded()))
    }

    /// Fills frames from one segment, or from one gap, sample by sample.
    private func deliver(_ block: inout Block) {
        let wanted = wantedTime(block)
        if let next = callback.next, let segment = ring.segment(containing: next, in: block.window)
        {
            let time = segment.time + ring.conversion.nanoseconds(frames: next - segment.first)
            if abs(time - wanted) <= block.tolerance {
                copy(&block, from: next, end: segment.end)
                return
            }
        }
        switch ring.locate(wanted, in: block.window) {
        case .frame(let frame, let end):
            let first = beginning(at: frame, in: block.window) ?? Int64(frame.rounded())
            if let next = callback.next, first < next,
                ring.conversion.nanoseconds(frames: next - first) <= block.tolerance
            {
                // The audio ends, and began a little earlier than its time. Its last frame is due
                // again, but has been delivered.
                if ring.segment(containing: next, in: block.window) == nil {
                    starve(&block, wanted)
                } else {
                    silence(&block, count: 1)
                }
                return
            }
            if let next = callback.next, first > next {
                counters.skipped.add(first - next, ordering: .relaxed)
            }
            copy(&block, from: first, end: end)
        case .gap, .beyond: miss(&block, wanted)
        }
    }

    /// If delivery resumes after silence, and `position` is less than `seamTolerance` after the
    /// first frame of its segment, returns that first frame; otherwise nil. The caller begins there
    /// instead of rounding `position`, which could skip the first sample of audio that starts
    /// between two frames of the device.
    private func beginning(at position: Double, in window: AudioRingBuffer.Window) -> Int64? {
        guard !callback.isDelivering,
            let segment = ring.segment(containing: Int64(position), in: window),
            position - Double(segment.first) < Self.seamTolerance
        else { return nil }
        return segment.first
    }

    private func copy(_ block: inout Block, from frame: Int64, end: Int64) {
        let count = min(block.rest, Int(end - frame))
        noteStart(block)
        ring.read(
            from: frame, count: count, into: block.samples + block.done * format.channelCount)
        block.done += count
        block.delivered += Int64(count)
        block.position = frame + Int64(count)
        callback.next = frame + Int64(count)
        callback.isDelivering = true
    }

    /// Fills frames from one segment and keeps the pitch.
    ///
    /// - Parameter isEnding: A Boolean value that indicates whether stretching is no longer wanted.
    ///   If so, stretching ends at a place where the end is inaudible.
    private func stretch(_ block: inout Block, isEnding: Bool) {
        let wanted = wantedTime(block)
        guard case .frame(let position, _) = ring.locate(wanted, in: block.window),
            let segment = ring.segment(
                containing: Int64(position.rounded()), in: block.window)
        else {
            miss(&block, wanted)
            return
        }
        if !callback.stretcher.isActive {
            callback.stretcher.begin(at: callback.next ?? Int64(position.rounded()))
            callback.next = nil
        }
        noteStart(block)
        // The frames that are due before the segment ends, if the ring contains all of them.
        let due = ((Double(segment.end) - position) / block.rate).rounded(.up)
        let count = callback.stretcher.render(
            into: block.samples + block.done * format.channelCount,
            count: min(block.rest, max(1, Int(due))), position: position, rate: block.rate,
            isEnding: isEnding, source: ring.source(of: segment))
        block.done += count
        block.delivered += Int64(count)
        block.position = Int64(position + Double(count) * block.rate)
        callback.isDelivering = true
        if !callback.stretcher.isActive { callback.next = callback.stretcher.next }
    }

    /// Fills frames from one segment by linear interpolation between samples.
    private func resample(_ block: inout Block) {
        let wanted = wantedTime(block)
        callback.next = nil
        callback.stretcher.stop()
        switch ring.locate(wanted, in: block.window) {
        case .frame(let first, let end):
            noteStart(block)
            let channels = format.channelCount
            var position = first
            var count = 0
            while count < block.rest, position < Double(end) {
                let frame = Int64(position)
                let fraction = Float(position - Double(frame))
                let left = ring.pointer(to: frame)
                let right = frame + 1 < end ? ring.pointer(to: frame + 1) : left
                let target = block.samples + (block.done + count) * channels
                for channel in 0..<channels {
                    target[channel] = left[channel] + (right[channel] - left[channel]) * fraction
                }
                count += 1
                position = first + Double(count) * block.rate
            }
            block.done += count
            block.delivered += Int64(count)
            block.position = min(Int64(position), end)
            callback.isDelivering = true
        case .gap, .beyond: miss(&block, wanted)
        }
    }

    /// Fills the rest of the block with silence, because there is no audio at this rate. The
    /// position in the ring still advances, so the writer gets space for more audio.
    private func pass(_ block: inout Block) {
        silence(&block, count: block.rest)
        switch ring.locate(wantedTime(block), in: block.window) {
        case .frame(let frame, _): block.position = Int64(frame)
        // The audio after the gap is not due yet.
        case .gap: break
        case .beyond: block.position = block.window.head
        }
    }

    /// Fills frames with silence, because there is no audio at this time, or it has not arrived
    /// yet.
    private func miss(_ block: inout Block, _ wanted: Int64) {
        guard case .gap(let until) = ring.locate(wanted, in: block.window) else {
            starve(&block, wanted)
            return
        }
        // The start of playback is placed on a frame of the device. A gap after it is counted from
        // the time of that frame, so that the two are not rounded in the same direction.
        let time = streamTime(block, at: block.done)
        let count = gapFrames(block, from: time, until: until)
        if count <= 0, time != wanted, block.rate == 1,
            case .frame(let frame, let end) = ring.locate(until, in: block.window)
        {
            copy(&block, from: Int64(frame.rounded()), end: end)
        } else {
            silence(&block, count: max(1, count))
        }
    }

    /// Returns the number of frames of the block between the stream times `time` and `until`.
    private func gapFrames(_ block: Block, from time: Int64, until: Int64) -> Int {
        let frames = ring.conversion.frames(nanoseconds: until - time) / block.rate
        return Int(min(Double(block.rest), frames.rounded()))
    }

    /// Fills frames with silence, because no audio has arrived. The ring contains only audio older
    /// than the requested time. This audio is discarded, because the writer would otherwise wait
    /// for space forever.
    private func starve(_ block: inout Block, _ wanted: Int64) {
        block.position = block.window.head
        let count = block.rest
        let (isUnderrun, isBreak) = (!ring.isStreamEnd(in: block.window), callback.isDelivering)
        silence(&block, count: count)
        guard isUnderrun else { return }
        callback.misses += 1
        counters.noteUnderrun(frameCount: count, itemTime: block.converted(wanted))
        if isBreak { counters.underruns.add(1, ordering: .relaxed) }
    }

    private func silence(_ block: inout Block, count: Int) {
        guard count > 0 else { return }
        let channels = format.channelCount
        (block.samples + block.done * channels).update(repeating: 0, count: count * channels)
        block.done += count
        callback.isDelivering = false
        callback.stretcher.stop()
    }

    /// Records the time at which audio began. The start delay is measured with it.
    private func noteStart(_ block: Block) {
        guard !callback.isDelivering else { return }
        counters.noteStart(
            clockTime: block.clockTime + ring.conversion.nanoseconds(frames: Int64(block.done)),
            itemTime: block.converted(wantedTime(block)))
    }

    private var tolerance: Int64 {
        timebase.isDriven(by: clock)
            ? Int64(Self.toleranceFrames * 1e9 / Double(format.sampleRate))
            : Self.foreignToleranceNanoseconds
    }
}
