// SPDX-License-Identifier: Apache-2.0

/// Sees to it that a shader's loops end: a GPU that is caught in one takes the desktop with it.
///
/// Loops whose number of turns stands in the text are counted, and refused where they are far too
/// many. All others (`while`, and `for` up to something that is calculated) get a second condition:
/// a count over all of them, a pixel at a time. Counted loops are left as they are, for a compiler
/// unrolls them, which it cannot where it has to count. A loop whose own variable may be changed in
/// its body is not counted; where macros hide what is a loop at all, the text is refused.
struct LoopGuard {
    /// Turns of loops within each other that are counted: a picture of 1080p would take a second or
    /// more.
    static let maximumTurns = 262_144.0
    /// Turns of all other loops of a pixel together. Marching along a ray takes some hundreds, a
    /// blur as far as 60 pixels to all sides 14,641.
    static let maximumOpenTurns = 16_384

    /// Loops of a text: more are hostile.
    private static let maximumLoops = 1000

    /// Why a text is not taken.
    struct Refusal {
        /// The byte where that shows.
        let offset: Int
        let reason: String
    }

    /// What is declared for the guarded text.
    static let names: Set<String> = ["playheadTurns", "playheadGoesOn"]

    /// What the guarded text refers to.
    static let declaration =
        "int playheadTurns = 0; "
        + "bool playheadGoesOn() { return ++playheadTurns < \(maximumOpenTurns); }\n"

    /// Begins the count anew: for another effect in the same text.
    static let restart = "playheadTurns = 0; "

    /// A loop that turns far too often, with those in it; nil where none does.
    private(set) var excess: Refusal?
    /// What makes it impossible to tell what loops do; nil where nothing does.
    private(set) var unreadable: Refusal?
    var refusal: Refusal? { unreadable ?? excess }

    private let bytes: [UInt8]
    /// Where each piece ends.
    private var ends: [Int] = []
    private var loops: [ShaderLoop] = []

    /// - Parameter pieces: of one text: what is said in one is so in those after it.
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

    /// The pieces with a second condition in the loops that are not counted, or in all where those
    /// that are turn far too often: as many lines.
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
