// SPDX-License-Identifier: Apache-2.0

/// The programs of an effect with its values as constants, which are used until a value changes.
///
/// Software OpenGL computes expressions of uniforms for every pixel and executes both branches of
/// every `if`, so unused features of an effect cost as much as used ones. With constant values, the
/// compiler removes them. Once a value has changed, more changes are likely, so the programs with
/// uniforms are used from then on.
///
/// Only built-in effects are specialized, because they are known to give the same result both ways.
/// Other effects may divide by a value of 0, which is defined at run time but not for a compiler.
///
/// - Concurrency: render thread.
struct SpecializedPrograms {
    private var values: [EffectValue] = []
    private var made: [EffectProgram?]?
    private var isSpent = false

    /// Returns the programs for these values, compiled at the first call.
    ///
    /// - Returns: The programs, or nil if the values have changed or the compilation failed. The
    ///   caller then uses the programs with uniforms.
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

    /// Releases the programs permanently.
    mutating func invalidate() {
        (made, values, isSpent) = (nil, [], true)
    }
}
