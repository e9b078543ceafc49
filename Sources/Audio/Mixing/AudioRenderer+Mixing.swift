// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Synchronization

// The sink's real-time thread, too: what an item's mix does to its sound.

extension AudioRenderer {
    /// Fills the block with what the taps make of the item's sound, at the mix's volume.
    func mixParts(_ block: inout Block, _ program: Unmanaged<MixProgram>) {
        var context = TapContext(
            renderer: Unmanaged.passUnretained(self), program: program,
            channelCount: format.channelCount, block: block)
        withUnsafeMutablePointer(to: &context) { context in
            while context.pointee.block.rest > 0 { mixPart(context) }
        }
        block = context.block
    }

    /// The same for as many frames as a tap takes at once.
    private func mixPart(_ context: UnsafeMutablePointer<TapContext>) {
        let first = context.pointee.block.done
        let count = min(context.pointee.block.rest, AudioProcessingTap.maxFrames)
        let samples = context.pointee.block.samples + first * format.channelCount
        let time = wantedTime(context.pointee.block)
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
                rate: context.pointee.block.rate,
                isStart: isStart || context.pointee.flags.contains(.discontinuity))
        }
    }

    /// Host time, or what stands in for it, by which taps are timed.
    var stopwatchNanoseconds: Int64 {
        hasStopwatch ? stopwatch?.time.nanoseconds ?? 0 : HostClock.nanoseconds
    }
}

// MARK: - Control

extension AudioRenderer {
    /// How the sound goes into the mix: its taps, volume over item time, pan. Nil, as at first, for
    /// as it is. May be changed at any time; taps that stay are not prepared anew.
    ///
    /// - Corresponds to: what `AVPlayerItem.audioMix` holds for a track.
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
