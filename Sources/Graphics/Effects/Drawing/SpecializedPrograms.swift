// SPDX-License-Identifier: Apache-2.0

/// Programs of an effect in which its values stand as constants, for as long as nobody changes
/// them.
///
/// Software OpenGL works out for every pixel what follows from uniforms alone, and takes both ways
/// of every `if`: what an effect could do and is not asked to costs as much as what it does. A
/// compiler that knows the values leaves all of that out. Whoever changes one value changes more:
/// from then on the programs that take any values serve.
///
/// Only for effects that are known to give the same both ways, the built-in ones: others divide by
/// their values without looking, which is nothing on a processor that divides and undefined for a
/// compiler.
///
/// - Concurrency: render thread.
struct SpecializedPrograms {
    private var values: [EffectValue] = []
    private var made: [EffectProgram?]?
    private var isSpent = false

    /// The programs for these values, made when they are first asked for.
    ///
    /// - Returns: nil where values have changed since, or nothing comes of them: then those for any
    ///   values are to be used.
    mutating func programs(
        for values: [EffectValue], of effect: Effect,
        compile: () throws(EffectError) -> [EffectProgram?]
    ) -> (programs: [EffectProgram?], areNew: Bool)? {
        guard !isSpent else { return nil }
        if let made {
            let isSame = effect.inputs.indices.allSatisfy {
                effect.inputs[$0].isSampler || values[$0] == self.values[$0]
            }
            if isSame { return (made, false) }
            invalidate()
            return nil
        }
        guard let programs = try? compile() else {
            isSpent = true
            return nil
        }
        (made, self.values) = (programs, values)
        return (programs, true)
    }

    /// Gives them up for good.
    mutating func invalidate() {
        (made, values, isSpent) = (nil, [], true)
    }
}
