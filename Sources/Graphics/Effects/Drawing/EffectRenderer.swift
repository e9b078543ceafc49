// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadConversion
package import PlayheadGL
package import PlayheadTextures

/// Draws effects in one context: compiles their shaders, runs their passes, keeps their buffers.
///
/// - Concurrency: render thread.
/// - Errors: an effect that cannot be drawn is bypassed, and reported once; the last program that
///   compiled keeps running.
package final class EffectRenderer {
    /// A picture that an effect made.
    package struct Output {
        /// Lent by the pool that the renderer was given: release it when drawn.
        package let framebuffer: GLFramebuffer
        /// The alpha of its samples, whatever that of the input.
        package let alpha: PictureAlpha
        /// A Boolean value that indicates whether it is opaque where the input is.
        package let keepsOpaque: Bool

        init(_ framebuffer: GLFramebuffer, _ alpha: Effect.Alpha) {
            self.framebuffer = framebuffer
            self.alpha = alpha == .premultiplied ? .premultiplied : .straight
            keepsOpaque = alpha == .keepsOpaque
        }
    }

    /// What effects' outputs store in a channel. Floats show numbers beyond 0 to 1, and what is
    /// none.
    package var outputPrecision = EffectPass.Precision.eightBit

    /// Whether built-in effects whose values do not change are compiled for these
    /// (`SpecializedPrograms`): by itself on software OpenGL, where that is worth a compilation.
    package var specializesValues: Bool
    /// Whether somebody may change values while frames are shown: then what that takes is compiled
    /// ahead.
    var preparesChanges: Bool { passLimit != nil }

    /// The longest time that a pass may keep the GPU, in nanoseconds; nil for no limit. An effect
    /// with a pass that takes longer in two measured frames is bypassed, that is reported, and it
    /// is tried again later. On software OpenGL, processor time counts, so a busy machine is not
    /// the effect's fault.
    package var passLimit: Int64?
    /// A Boolean value that indicates whether pass times are measured even without a limit.
    package var measuresPasses = false

    /// The time at which bypassed effects are tried again, in nanoseconds.
    package var now: () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    let context: any GLContext
    let painter: PicturePainter
    let pool: FramebufferPool
    let resources: EffectResources
    var states: [ObjectIdentifier: CompiledEffect] = [:]
    private var newErrors: [EffectError] = []
    var chains: [FusedChain] = []

    /// - Parameters:
    ///   - pool: where intermediate pictures come from.
    ///   - images: where pictures given to image inputs are uploaded.
    package init(
        context: any GLContext, painter: PicturePainter, pool: FramebufferPool,
        images: TextureCache
    ) {
        self.context = context
        self.painter = painter
        self.pool = pool
        resources = EffectResources(
            context: context, painter: painter, pool: pool, images: images)
        specializesValues = context.capabilities.isSoftware
    }

    /// Errors that came up since this was last called.
    package func takeErrors() -> [EffectError] {
        defer { newErrors.removeAll(keepingCapacity: true) }
        return newErrors
    }

    /// Returns whether an effect's output changes although neither its values nor its input do.
    ///
    /// - Parameter undrawn: what is said of one that has not been drawn yet.
    package func isTimeDependent(_ instance: EffectInstance, undrawn: Bool = true) -> Bool {
        guard instance.isEnabled else { return false }
        // Another one may have been where this one is now.
        guard let state = states[ObjectIdentifier(instance)], state.instance === instance else {
            return undrawn
        }
        if instance.isAnimated || (instance.sound != nil && instance.hearsSound) { return true }
        return state.lastPrograms.contains { $0?.isTimeDependent == true }
    }

    /// Compiles an effect without drawing it, for its errors.
    ///
    /// - Returns: nil where nothing is wrong with it.
    package func compile(_ instance: EffectInstance) -> EffectError? {
        do throws(EffectError) {
            let state = state(of: instance, instance.description)
            if let refused = state.refused { return refused.error }
            _ = try state.programs(context: context)
            return nil
        } catch {
            return error
        }
    }

    /// Draws an effect.
    ///
    /// - Parameters:
    ///   - input: what a filter reads as `inputImage`: straight alpha, t = 0 at the bottom.
    ///   - stored: the planes of the video if `input` is the video and nothing else.
    ///   - transition: of a transition, which reads `input` as `startImage`: its `endImage`,
    ///     likewise, and `progress`.
    ///   - width: size of the output in pixels.
    ///   - next: the next effect, where it could have been drawn as one with this one: then nothing
    ///     is rounded to 8 bits between them here either, nor clipped where the next takes any
    ///     range.
    /// - Returns: nil when the effect is to be bypassed.
    package func draw(
        _ instance: EffectInstance, input: GLTexture?, stored: StoredPicture? = nil,
        transition: (end: GLTexture, progress: Float)? = nil, width: Int, height: Int,
        time: EffectTime, before next: EffectInstance? = nil
    ) -> Output? {
        let snapshot = instance.takeSnapshot(atSeconds: time.seconds)
        guard snapshot.isEnabled else { return nil }
        let state = state(of: instance, snapshot.description)
        state.follow(snapshot)
        let requirements = state.description.effect.requirements
        if let error = takeLaps(of: state, instance) {
            if instance.note(error) { newErrors.append(error) }
            return nil
        }
        guard !state.slowPasses.isBypassed(now: now()) else { return nil }
        // What is tried again is measured at once.
        if state.slowPasses.isTrial { state.isSuspect = true }
        do throws(EffectError) {
            let programs = try state.programs(context: context)
            var values = snapshot.values(for: state.description)
            if let transition, let index = state.description.index(of: "progress") {
                values.values[index] = .float(transition.progress)
            }
            let specialized = specializedPrograms(state, instance, values)
            let (output, slowness) = try measure(state) { () throws(EffectError) -> GLFramebuffer in
                try run(
                    state, specialized?.programs ?? programs,
                    after: specialized?.areNew == true && preparesChanges ? programs : nil, values,
                    input: input, end: transition?.end, stored: stored,
                    width: width, height: height, time: time,
                    precision: precision(before: next))
            }
            if let slowness {
                if instance.note(slowness) { newErrors.append(slowness) }
                return Output(output, requirements.alpha)
            }
            // What is being tried again has not passed yet.
            if state.slowPasses.isTrial { return Output(output, requirements.alpha) }
            if instance.note(state.refused?.error), let error = state.refused?.error {
                newErrors.append(error)
            }
            return Output(output, requirements.alpha)
        } catch {
            if instance.note(error) { newErrors.append(error) }
            return nil
        }
    }

    /// Returns the precision of an effect's output.
    private func precision(before next: EffectInstance?) -> EffectPass.Precision {
        guard let next, outputPrecision == .eightBit else { return outputPrecision }
        let isAny = next.effect.requirements.anyRange
        return isAny && context.capabilities.features.contains(.halfFloatTargets)
            ? .half : .sixteenBit
    }

    /// Ends a frame: drops what belongs to effects that are gone.
    package func endFrame() {
        if states.contains(where: { $0.value.instance == nil }) {
            states = states.filter { $0.value.instance != nil }
        }
        if chains.contains(where: \.isStale) { chains.removeAll(where: \.isStale) }
        for chain in chains { chain.idleFrames += 1 }
    }

    /// What is kept of an instance. Of a newer state of its effect it is that, if that compiles,
    /// and else what there was.
    func state(
        of instance: EffectInstance, _ description: EffectInstance.Description
    ) -> CompiledEffect {
        let key = ObjectIdentifier(instance)
        guard let known = states[key], known.instance === instance, known.isCompiled else {
            if let known = states[key], known.instance === instance,
                known.description === description
            {
                return known
            }
            let state = CompiledEffect(instance, description)
            states[key] = state
            return state
        }
        if known.description === description {
            known.refused = nil
            return known
        }
        if known.refused?.description === description { return known }
        do throws(EffectError) {
            let next = try known.successor(description, of: instance, context: context)
            states[key] = next
            return next
        } catch {
            known.refused = (description, error)
            return known
        }
    }

    /// The programs for these values alone, where an effect's values are likely to stay: not while
    /// its text or its values are being worked on.
    private func specializedPrograms(
        _ state: CompiledEffect, _ instance: EffectInstance, _ snapshot: EffectInstance.Snapshot
    ) -> (programs: [EffectProgram?], areNew: Bool)? {
        let effect = state.effect
        guard specializesValues, effect.isBuiltIn, effect.kind != .transition,
            !instance.isLive, !instance.isAnimated
        else { return nil }
        return state.specializedPrograms(for: snapshot.values, context: context)
    }

    private func run(
        _ state: CompiledEffect, _ programs: [EffectProgram?], after others: [EffectProgram?]?,
        _ snapshot: EffectInstance.Snapshot, input: GLTexture?, end: GLTexture?,
        stored: StoredPicture?,
        width: Int, height: Int, time: EffectTime, precision: EffectPass.Precision
    ) throws(EffectError) -> GLFramebuffer {
        let effect = state.effect
        resources.prepare()
        try state.prepareImages(snapshot, from: resources)
        try state.sound.prepare(
            effect, source: snapshot.sound, at: time.seconds, context: context)
        try state.requireReasonable(width: width, height: height, context: context)
        let output = try resources.acquire(width: width, height: height, precision)
        do throws(EffectError) {
            var runner = EffectPassRunner(
                state, snapshot, input: input, end: end, stored: stored, output: output, time: time,
                resources: resources)
            try runner.draw(programs, preparing: others, timedBy: stopwatch(of: state))
        } catch {
            pool.release(output)
            throw error
        }
        state.frameIndex &+= 1
        state.lastTime = time.seconds
        return output
    }
}
