// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The working state of a renderer's taps while it fills a block.
///
/// - Concurrency: the sink's thread, within one call of `render`.
struct TapContext {
    let renderer: Unmanaged<AudioRenderer>
    let program: Unmanaged<MixProgram>
    let channelCount: Int
    var block: AudioRenderer.Block
    /// The flags of the source since this property was last cleared.
    var flags = AudioTapSource.Flags.none
    /// The time that other taps took while one tap was processing, in nanoseconds.
    private var innerNanoseconds: Int64 = 0

    init(
        renderer: Unmanaged<AudioRenderer>, program: Unmanaged<MixProgram>, channelCount: Int,
        block: AudioRenderer.Block
    ) {
        self.renderer = renderer
        self.program = program
        self.channelCount = channelCount
        self.block = block
    }

    /// Fills frames of the block with the output of a tap. If `stage` is −1, fills them with the
    /// output of the renderer itself.
    static func fill(
        _ samples: UnsafeMutablePointer<Float>, frameCount: Int, through stage: Int,
        _ context: UnsafeMutablePointer<TapContext>
    ) -> AudioTapSource {
        let channels = context.pointee.channelCount
        let first = (samples - context.pointee.block.samples) / channels
        let flags = context.pointee.flags
        context.pointee.flags = .none
        if stage < 0 {
            context.pointee.renderer._withUnsafeGuaranteedRef { renderer in
                let new = renderer.fillSource(
                    &context.pointee.block, from: first, count: frameCount)
                context.pointee.flags = new
            }
        } else {
            context.pointee.program._withUnsafeGuaranteedRef { program in
                program.taps[stage]._withUnsafeGuaranteedRef { tap in
                    process(samples, frameCount: frameCount, tap, stage, context)
                }
            }
        }
        let source = AudioTapSource(
            frameCount: frameCount, flags: context.pointee.flags,
            timeRange: context.pointee.renderer._withUnsafeGuaranteedRef {
                $0.timeRange(context.pointee.block, from: first, count: frameCount)
            }, isReversed: context.pointee.block.isReversed)
        context.pointee.flags.formUnion(flags)
        return source
    }

    private static func process(
        _ samples: UnsafeMutablePointer<Float>, frameCount: Int, _ tap: AudioProcessingTap,
        _ stage: Int, _ context: UnsafeMutablePointer<TapContext>
    ) {
        context.pointee.renderer._withUnsafeGuaranteedRef { renderer in
            let conversion = renderer.ring.conversion
            guard tap.beginProcessing(frames: frameCount, conversion) else {
                _ = fill(samples, frameCount: frameCount, through: stage - 1, context)
                return
            }
            samples.update(repeating: 0, count: frameCount * context.pointee.channelCount)
            let outer = context.pointee.innerNanoseconds
            context.pointee.innerNanoseconds = 0
            let start = renderer.stopwatchNanoseconds
            var block = AudioTapBlock(
                samples: samples, frameCount: frameCount, stage: stage, context: context)
            tap.process(&block)
            let elapsed = renderer.stopwatchNanoseconds - start
            tap.noteTime(
                elapsed - context.pointee.innerNanoseconds, frames: frameCount, conversion)
            context.pointee.innerNanoseconds = outer + elapsed
            tap.endProcessing()
        }
    }

    /// Returns whether a tap did not receive the previous audio, and resets that state.
    static func takeStart(
        of stage: Int, _ context: UnsafeMutablePointer<TapContext>
    ) -> Bool {
        context.pointee.program._withUnsafeGuaranteedRef {
            $0.taps[stage]._withUnsafeGuaranteedRef { $0.takeStart() }
        }
    }
}
