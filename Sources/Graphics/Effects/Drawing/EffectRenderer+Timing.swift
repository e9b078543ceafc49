// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

extension EffectRenderer {
    /// Longer than this no pass should take, in nanoseconds, where somebody waits for the picture:
    /// half a second. Drivers reset the GPU after a few.
    package static let interactivePassLimit: Int64 = 500_000_000
    /// Frames in a row that a pass has to be too slow in: the first may have had to wait for a
    /// compiler.
    private static let slowFrameLimit = 2

    func stopwatch(of state: CompiledEffect) -> GLStopwatch? {
        guard passLimit != nil || measuresPasses,
            context.capabilities.features.contains(.timers)
        else {
            state.stopwatch = nil
            return nil
        }
        if state.stopwatch == nil {
            state.stopwatch = GLStopwatch(laps: state.effect.passes.count, context: context)
        }
        return state.stopwatch
    }

    /// Takes up how long the passes of an effect took some frames ago.
    ///
    /// - Returns: that it is to be switched off, if it is.
    func takeLaps(of state: CompiledEffect, _ instance: EffectInstance) -> EffectError? {
        guard let stopwatch = state.stopwatch, stopwatch.collect() else { return nil }
        if measuresPasses { instance.note(passNanoseconds: stopwatch.laps) }
        guard let passLimit, let longest = stopwatch.laps.max(), longest > passLimit else {
            state.slowFrameCount = 0
            return nil
        }
        state.slowFrameCount += 1
        guard state.slowFrameCount >= Self.slowFrameLimit else { return nil }
        // Who switches it on again gives it another try.
        state.slowFrameCount = 0
        state.stopwatch = nil
        return .tooSlow(
            effect: state.effect.name, pass: stopwatch.laps.firstIndex(of: longest) ?? 0,
            milliseconds: Int(longest / 1_000_000))
    }
}
