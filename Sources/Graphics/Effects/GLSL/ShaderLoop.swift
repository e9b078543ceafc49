// SPDX-License-Identifier: Apache-2.0

/// A loop of a shader's text.
struct ShaderLoop {
    /// The token of its keyword; of one in a macro, in the macro's line.
    let keyword: Int
    /// The tokens of its body; none of one in a macro.
    var body = 0..<0
    /// Where the keyword stands.
    let offset: Int
    /// Where the condition stands, without what is around it.
    let condition: Range<Int>
    /// Whether there is anything in the condition.
    let hasCondition: Bool
    /// Nil where it does not stand in the text.
    var turns: Double?
}
