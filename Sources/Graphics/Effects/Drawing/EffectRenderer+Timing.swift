// SPDX-License-Identifier: Apache-2.0

import PlayheadGL

extension EffectRenderer {
    /// The maximum time of a pass in interactive use, in nanoseconds: half a second. Drivers reset
    /// the GPU after a few seconds.
    package static let interactivePassLimit: Int64 = 500_000_000

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

    /// Reads the times of an effect's passes, which were measured some frames ago.
    ///
    /// - Returns: An error if the effect is bypassed from now on.
    func takeLaps(of state: CompiledEffect, _ instance: EffectInstance) -> EffectError? {
        guard let stopwatch = state.stopwatch, stopwatch.collect() else { return nil }
        if measuresPasses { instance.note(passNanoseconds: stopwatch.laps) }
        guard let passLimit, let longest = stopwatch.laps.max() else { return nil }
        let sum = stopwatch.laps.reduce(0, +)
        if sum > 0 { state.slowestShare = Double(longest) / Double(sum) }
        guard context.capabilities.isSoftware else {
            return note(longest, limit: passLimit, of: state)
        }
        // Wall-clock time includes the time of other processes, so the processor time of the next
        // frame is measured.
        state.isSuspect = longest > passLimit
        if !state.isSuspect { return note(longest, limit: passLimit, of: state) }
        return nil
    }

    /// Draws a frame and measures the processor time of its slowest pass. The call waits until the
    /// pass is complete.
    ///
    /// - Returns: An error if the effect is bypassed from now on.
    func measure<Result>(
        _ state: CompiledEffect, _ draw: () throws(EffectError) -> Result
    ) throws(EffectError) -> (result: Result, error: EffectError?) {
        guard let passLimit, state.isSuspect, context.capabilities.isSoftware else {
            return (try draw(), nil)
        }
        GLState.finish()
        let start = RasterizerTimes()
        let result = try draw()
        GLState.finish()
        let whole = RasterizerTimes().longest(since: start)
        let slowest = Int64(Double(whole) * state.slowestShare)
        state.isSuspect = false
        return (result, note(slowest, limit: passLimit, of: state))
    }

    private func note(
        _ nanoseconds: Int64, limit: Int64, of state: CompiledEffect
    ) -> EffectError? {
        guard state.slowPasses.note(nanoseconds: nanoseconds, limit: limit, now: now()) else {
            return nil
        }
        let laps = state.stopwatch?.laps ?? []
        let pass = laps.max().flatMap { laps.firstIndex(of: $0) } ?? 0
        state.stopwatch = nil
        return .tooSlow(
            effect: state.effect.name, pass: pass, milliseconds: Int(nanoseconds / 1_000_000))
    }
}
