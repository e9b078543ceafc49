// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Synchronization

// This code also runs on the sink's real-time thread. It applies an item's mix to the audio.

extension AudioRenderer {
    /// Fills the block with the item's audio, processed by the taps, at the volume of the mix.
    func mixParts(_ block: inout Block, _ program: Unmanaged<MixProgram>) {
        var context = TapContext(
            renderer: Unmanaged.passUnretained(self), program: program,
            channelCount: format.channelCount, block: block)
        withUnsafeMutablePointer(to: &context) { context in
            while context.pointee.block.rest > 0 { mixPart(context) }
        }
        block = context.block
    }

    /// Fills as many frames as a tap processes at once.
    private func mixPart(_ context: UnsafeMutablePointer<TapContext>) {
        let first = context.pointee.block.done
        let count = min(context.pointee.block.rest, AudioProcessingTap.maxFrames)
        let samples = context.pointee.block.samples + first * format.channelCount
        let time = mixTime(context.pointee.block)
        let isStart = callback.expectedTime == nil
        context.pointee.flags = .none
        context.pointee.program._withUnsafeGuaranteedRef { program in
            _ = TapContext.fill(
                samples, frameCount: count, through: program.taps.count - 1, context)
            if context.pointee.block.done != first + count {
                skip(&context.pointee.block, to: first + count)
            }
            callback.mix.apply(
                program, to: samples, frameCount: count, time: time,
                rate: context.pointee.block.isReversed
                    ? -context.pointee.block.rate : context.pointee.block.rate,
                isStart: isStart || context.pointee.flags.contains(.discontinuity))
        }
    }

    /// Returns the item time at which the next sample to fill begins in the item. Backwards, it is
    /// the end of the time in which the sample is heard, so that the volume of a sample is the same
    /// in both directions.
    private func mixTime(_ block: Block) -> Int64 {
        let time = block.converted(wantedTime(block))
        guard block.isReversed else { return time }
        return time - Int64((1e9 / Double(format.sampleRate) * block.rate).rounded())
    }

    /// The current time, in nanoseconds, of the clock that measures how long taps take.
    var stopwatchNanoseconds: Int64 {
        hasStopwatch ? stopwatch?.time.nanoseconds ?? 0 : HostClock.nanoseconds
    }
}

// MARK: - Control

extension AudioRenderer {
    /// The taps, the volume over item time, and the pan of the audio. Nil, the default, leaves
    /// audio unchanged. The parameters may be changed at any time; taps that remain are not
    /// prepared again.
    ///
    /// - Corresponds to: the entry of `AVPlayerItem.audioMix` for a track.
    package var inputParameters: AudioMixInputParameters? {
        get { parameters.withLock { $0 } }
        set {
            let lead = sink.latency.seconds
            parameters.withLock { parameters in
                if newValue == nil, parameters == nil { return }
                parameters = newValue
                mix.exchange(
                    with: MixProgram(
                        newValue ?? AudioMixInputParameters(), format: format,
                        lead: lead))
            }
        }
    }
}
