// SPDX-License-Identifier: Apache-2.0

/// Ensures that a shader's loops end, because an endless loop on a GPU freezes the desktop.
///
/// If the number of iterations of a loop is evident from the text, they are counted. If there are
/// far too many iterations, the shader is refused. All other loops (`while`, and `for` with a
/// computed limit) get a second condition, which limits their total number of iterations for each
/// pixel. Counted loops are not changed, because compilers can unroll them only without such a
/// condition. A loop whose variable may change in its body is not counted. If macros hide whether
/// something is a loop, the shader is refused.
struct LoopGuard {
    /// The maximum number of iterations of counted nested loops. With this number, a frame at 1080p
    /// takes a second or more.
    static let maximumTurns = 262_144.0
    /// The maximum total number of iterations of all other loops, for each pixel. Ray marching
    /// takes some hundreds, and a blur with a radius of 60 pixels takes 14,641.
    static let maximumOpenTurns = 16_384

    /// The maximum number of loops of a text.
    private static let maximumLoops = 1000

    /// The reason why a text is refused.
    struct Refusal {
        /// The offset of the problem, in bytes.
        let offset: Int
        let reason: String
    }

    /// The names that the guarded text declares.
    static let names: Set<String> = ["playheadTurns", "playheadGoesOn"]

    /// The declarations that the guarded text needs.
    static let declaration =
        "int playheadTurns = 0; "
        + "bool playheadGoesOn() { return ++playheadTurns < \(maximumOpenTurns); }\n"

    /// The statement that resets the count, for another effect in the same text.
    static let restart = "playheadTurns = 0; "

    /// The loop whose iterations, including those of nested loops, exceed the limit, or nil.
    private(set) var excess: Refusal?
    /// The reason why the loops cannot be analysed, or nil.
    private(set) var unreadable: Refusal?
    var refusal: Refusal? { unreadable ?? excess }

    private let bytes: [UInt8]
    /// The offset of the end of each piece in `bytes`.
    private var ends: [Int] = []
    private var loops: [ShaderLoop] = []

    /// Analyses the loops of a text.
    ///
    /// - Parameter pieces: The pieces of one text; a definition applies to the pieces that follow
    ///   it.
    init(_ pieces: [String]) {
        var bytes: [UInt8] = []
        for piece in pieces {
            bytes += piece.utf8
            ends.append(bytes.count)
        }
        self.bytes = bytes
        let text = JoinedText(bytes)
        guard text.hasLoops else { return }
        let tokens = ShaderTokens(text)
        let facts = LoopFacts(tokens)
        let reader = LoopReader(tokens, facts)
        loops = reader.loops
        unreadable =
            text.ambiguity.map {
                Refusal(
                    offset: $0,
                    reason:
                        "a comment ends in a backslash: "
                        + "some compilers take the next line for a part of it"
                )
            } ?? reader.unreadable
        let turns = LoopCosts(loops, in: tokens.code, facts).turns
        if loops.count >= Self.maximumLoops {
            excess = Refusal(
                offset: 0,
                reason: "it has \(loops.count) loops; \(Self.maximumLoops - 1) are possible")
        } else if let index = turns.firstIndex(where: { $0 > Self.maximumTurns }) {
            excess = Refusal(
                offset: loops[index].offset,
                reason:
                    "a loop turns \(Int(min(turns[index], 1e18))) times for each pixel, "
                    + "with those in it; "
                    + "\(Int(Self.maximumTurns)) are possible")
        }
    }

    /// The pieces with a second condition in the loops that are not counted, or in all loops if the
    /// counted ones exceed the limit. The number of lines stays the same.
    var guarded: [String] {
        var result: [UInt8] = []
        var pieces: [String] = []
        var index = 0
        var borders = ends[...]
        func copy(to end: Int) {
            while let border = borders.first, border <= end {
                result += bytes[index..<border]
                pieces.append(String(decoding: result, as: UTF8.self))
                result.removeAll()
                index = border
                borders.removeFirst()
            }
            result += bytes[index..<end]
            index = end
        }
        for loop in loops where loop.turns == nil || excess != nil {
            guard loop.condition.lowerBound >= index else { continue }
            copy(to: loop.condition.lowerBound)
            if loop.hasCondition { result += "(".utf8 }
            copy(to: loop.condition.upperBound)
            result += (loop.hasCondition ? ") && playheadGoesOn()" : " playheadGoesOn()").utf8
        }
        copy(to: bytes.count)
        return pieces
    }
}
