// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL
import PlayheadTextures

extension EffectRenderer {
    /// The maximum number of effects that are fused.
    private static let longestChain = 16

    /// Returns the number of leading effects that can be fused. The pixels of such an effect depend
    /// only on the same pixel of its input.
    package func fusibleCount(of instances: ArraySlice<EffectInstance>) -> Int {
        var count = 0
        for instance in instances.prefix(Self.longestChain) {
            guard instance.isFusible else { break }
            count += 1
        }
        return max(1, count)
    }

    /// Draws effects in one pass, with the same result as if they were drawn one after another.
    ///
    /// - Parameters:
    ///   - instances: As many effects as `fusibleCount(of:)` returns.
    ///   - input: An image with straight alpha; t = 0 is the bottom.
    /// - Returns: The result, or nil if fusing fails. The caller then draws the effects one after
    ///   another.
    package func draw(
        fusing instances: ArraySlice<EffectInstance>, input: GLTexture, width: Int, height: Int,
        time: EffectTime
    ) -> Output? {
        let chain = chain(of: instances)
        chain.idleFrames = 0
        watch(chain)
        guard let general = chain.program, !chain.isTooSlow,
            CompiledEffect.isReasonable(width: width, height: height, context: context),
            let output = try? resources.acquire(width: width, height: height, outputPrecision)
        else { return nil }
        chain.takeSnapshots(of: instances, atSeconds: time.seconds)
        let (effect, context) = (chain.effect, context)
        let specialized =
            specializesValues && effect.isBuiltIn && !chain.isAnimated
            ? chain.specialized.programs(for: chain.values, of: effect) {
                () throws(EffectError) -> [EffectProgram?] in
                [
                    try EffectProgram(
                        effect, shader: 0, passIndex: 0, values: chain.values,
                        context: context)
                ]
            } : nil
        let program = (specialized?.programs[0] ?? nil) ?? general
        GLState.setTarget(framebuffer: output.name, width: width, height: height)
        GLState.setBlending(.replace)
        if specialized?.areNew == true, preparesChanges {
            set(general, chain, input, width: width, height: height, time: time)
            painter.drawQuad()
        }
        set(program, chain, input, width: width, height: height, time: time)
        chain.stopwatch?.begin()
        painter.drawQuad()
        chain.stopwatch?.end()
        for (instance, snapshot) in zip(instances, chain.snapshots) {
            let state = state(of: instance, snapshot.description)
            state.follow(snapshot)
            state.lastPrograms = [program]
            state.frameIndex &+= 1
            state.lastTime = time.seconds
            _ = instance.note(nil)
        }
        return Output(output, chain.alpha)
    }

    /// Sets the uniforms and textures of a chain's program.
    private func set(
        _ program: EffectProgram, _ chain: FusedChain, _ input: GLTexture, width: Int,
        height: Int, time: EffectTime
    ) {
        program.program.use()
        program.time.set(Float(time.seconds))
        if program.usesDate { program.date.set(time.date ?? EffectTime.dateNow()) }
        program.setRenderSize(width: width, height: height)
        var index = 1
        for snapshot in chain.snapshots {
            for (place, input) in snapshot.description.effect.inputs.enumerated()
            where !input.isSampler {
                program.inputs[index].set(
                    snapshot.values[place], as: input.uniformType,
                    isFired: snapshot.firedEvents.contains(place))
                index += 1
            }
        }
        // If the sizes are equal, texels need no interpolation.
        let isWhole = input.width == width && input.height == height
        for (_, unit) in program.samplers {
            input.bind(unit: unit, sampler: painter.sampler(isWhole ? .nearest : .linear))
        }
    }

    /// Reads the time of a chain, which was measured some frames ago.
    private func watch(_ chain: FusedChain) {
        guard let passLimit, context.capabilities.features.contains(.timers) else {
            chain.stopwatch = nil
            return
        }
        if chain.stopwatch == nil { chain.stopwatch = GLStopwatch(laps: 1, context: context) }
        guard let stopwatch = chain.stopwatch, stopwatch.collect() else { return }
        let lap = stopwatch.laps[0]
        chain.slowFrameCount = lap > passLimit ? chain.slowFrameCount + 1 : 0
        if chain.slowFrameCount > 1 { chain.isTooSlow = true }
    }

    /// Compiles effects as one program without drawing them, to find the errors of the fused
    /// program.
    ///
    /// - Returns: The error, or nil.
    package func compile(fusing instances: ArraySlice<EffectInstance>) -> EffectError? {
        chain(of: instances).error
    }

    private func chain(of instances: ArraySlice<EffectInstance>) -> FusedChain {
        if let known = chains.first(where: { $0.holds(instances) }) { return known }
        let chain = FusedChain(instances, context: context)
        chains.append(chain)
        return chain
    }
}
