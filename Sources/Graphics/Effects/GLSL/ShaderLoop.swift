// SPDX-License-Identifier: Apache-2.0

/// A loop in the text of a shader.
struct ShaderLoop {
    /// The index of the loop's keyword in the code or, if the loop is in a macro, in the tokens of
    /// the macro.
    let keyword: Int
    /// The indices of the tokens of the loop's body; empty for a loop in a macro.
    var body = 0..<0
    /// The offset of the keyword.
    let offset: Int
    /// The range of the condition without its parentheses.
    let condition: Range<Int>
    /// A Boolean value that indicates whether the condition is not empty.
    let hasCondition: Bool
    /// The number of iterations, or nil if it is not evident from the text.
    var turns: Double?
}
