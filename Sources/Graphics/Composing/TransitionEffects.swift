// SPDX-License-Identifier: Apache-2.0

package import PlayheadEffects
import PlayheadTime
package import PlayheadVideoCompositions

/// The effects of a composition's transitions, each loaded once.
///
/// - Concurrency: a value; any thread.
package struct TransitionEffects: Sendable {
    /// Loads an effect by the name of a built-in effect or by its path.
    package typealias Loader = @Sendable (String) throws(EffectError) -> Effect

    private var effects: [VideoCompositionTransition.Kind: Effect] = [:]

    /// Loads the effects of all transitions.
    ///
    /// - Throws: `invalidEffect`, with the index of the instruction.
    init(of composition: VideoComposition, load: Loader) throws(VideoCompositionError) {
        for (index, instruction) in composition.instructions.enumerated() {
            guard let transition = instruction.transition, effects[transition.kind] == nil else {
                continue
            }
            let effect: Effect
            do throws(EffectError) {
                effect = try Self.effect(of: transition.kind, load)
            } catch {
                throw VideoCompositionError(
                    .invalidEffect, cause: error.description, instructionIndex: index,
                    time: instruction.timeRange.start)
            }
            guard effect.kind == .transition else {
                throw VideoCompositionError(
                    .invalidEffect,
                    cause: "\(effect.path) is a \(effect.kind.rawValue), not a transition",
                    remedy: "use an effect with startImage, endImage and progress",
                    instructionIndex: index, time: instruction.timeRange.start)
            }
            effects[transition.kind] = effect
        }
    }

    /// Returns the effect of a kind of transition.
    package static func effect(
        of kind: VideoCompositionTransition.Kind, _ load: Loader
    ) throws(EffectError) -> Effect {
        if case .effect(let name) = kind { return try load(name) }
        return try TransitionImporter.effect(
            text: TransitionShader.text(of: kind) ?? "", path: "transition.glsl")
    }

    /// The effect of a transition.
    subscript(_ kind: VideoCompositionTransition.Kind) -> Effect? { effects[kind] }
}
