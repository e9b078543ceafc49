// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadConversion
package import PlayheadGL
package import PlayheadTextures

/// Draws effects in one context: compiles their shaders, runs their passes and keeps their buffers.
///
/// - Concurrency: render thread.
/// - Errors: an effect that cannot be drawn is bypassed, and its error is reported once. If a new
///   version of an effect does not compile, the last version that compiled is drawn.
package final class EffectRenderer {
    /// The output of an effect.
    package struct Output {
        /// The framebuffer, from the renderer's pool. The caller releases it after drawing it.
        package let framebuffer: GLFramebuffer
        /// The alpha of the samples, which may differ from that of the input.
        package let alpha: PictureAlpha
        /// A Boolean value that indicates whether the output is opaque if the input is.
        package let keepsOpaque: Bool

        init(_ framebuffer: GLFramebuffer, _ alpha: Effect.Alpha) {
            self.framebuffer = framebuffer
            self.alpha = alpha == .premultiplied ? .premultiplied : .straight
            keepsOpaque = alpha == .keepsOpaque
        }
    }

    /// The channel format of effects' outputs. Float formats preserve values beyond 0 to 1 and NaN.
    package var outputPrecision = EffectPass.Precision.eightBit

    /// A Boolean value that indicates whether built-in effects whose values do not change are
    /// compiled for these values (`SpecializedPrograms`). By default, it is true on software
    /// OpenGL, where the gain is worth a compilation.
    package var specializesValues: Bool
    /// A Boolean value that indicates whether values may change while frames are shown. If so, the
    /// programs for changing values are compiled in advance.
    var preparesChanges: Bool { passLimit != nil }

    /// The maximum time of a pass on the GPU, in nanoseconds, or nil for no limit. An effect that
    /// exceeds it in two measured frames is reported, bypassed and tried again later. On software
    /// OpenGL, processor time is measured, so a busy machine has no influence.
    package var passLimit: Int64?
    /// A Boolean value that indicates whether pass times are measured even without a limit.
    package var measuresPasses = false

    /// Returns the current time in nanoseconds, for the retry of bypassed effects.
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

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - pool: The pool of intermediate framebuffers.
    ///   - images: The uploader of images for image inputs.
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

    /// Returns the errors since the last call and clears them.
    package func takeErrors() -> [EffectError] {
        defer { newErrors.removeAll(keepingCapacity: true) }
        return newErrors
    }

    /// Returns whether an effect's output can change while its values and its input do not.
    ///
    /// - Parameter undrawn: The result for an effect that has not been drawn yet.
    package func isTimeDependent(_ instance: EffectInstance, undrawn: Bool = true) -> Bool {
        guard instance.isEnabled else { return false }
        // A new instance can have the address of one that was deallocated.
        guard let state = states[ObjectIdentifier(instance)], state.instance === instance else {
            return undrawn
        }
        if instance.isAnimated || (instance.sound != nil && instance.hearsSound) { return true }
        return state.lastPrograms.contains { $0?.isTimeDependent == true }
    }

    /// Compiles an effect without drawing it, to find its errors.
    ///
    /// - Returns: The error, or nil.
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
    ///   - input: The image that a filter reads as `inputImage`, with straight alpha; t = 0 is the
    ///     bottom.
    ///   - stored: The planes of the video if `input` is the unchanged video.
    ///   - transition: The second image of a transition (`endImage`), in the same form as `input`,
    ///     and its `progress`. A transition reads `input` as `startImage`. Nil for other effects.
    ///   - width: The width of the output in pixels.
    ///   - next: The next effect if the two could be fused but are drawn separately. The output is
    ///     then not rounded to 8 bits. It is also not clamped if the next effect accepts any range.
    ///     The result is therefore the same as if the effects were fused.
    /// - Returns: The output, or nil if the effect is bypassed.
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
        // An effect that is tried again is measured in its first frame.
        if state.slowPasses.isTrial { state.isSuspect = true }
        do throws(EffectError) {
            var values = snapshot.values(for: state.description)
            if let transition, let index = state.description.index(of: "progress") {
                values.values[index] = .float(transition.progress)
            }
            let programs = try state.programs(for: values.values, context: context)
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
            // An effect that is tried again is on probation until it has been measured.
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

    /// Ends a frame and releases the state of instances that no longer exist.
    package func endFrame() {
        if states.contains(where: { $0.value.instance == nil }) {
            states = states.filter { $0.value.instance != nil }
        }
        if chains.contains(where: \.isStale) { chains.removeAll(where: \.isStale) }
        for chain in chains { chain.idleFrames += 1 }
    }

    /// Returns the compiled state of an instance. For a new version of the effect, the result is
    /// the new state if the version compiles, otherwise the old one.
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

    /// Returns programs with these values as constants, if the values are unlikely to change. They
    /// are likely to change if the effect's text is being edited or a value is animated.
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
