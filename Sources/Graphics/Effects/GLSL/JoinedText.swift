// SPDX-License-Identifier: Apache-2.0

/// The text of a shader without comments and with lines joined at backslashes, as the preprocessor
/// sees it.
struct JoinedText {
    let bytes: [UInt8]
    /// The original offset of each byte; empty if all offsets are unchanged.
    private let places: [Int]
    /// The offset of the first place at which the result depends on the order of two steps: joining
    /// lines and removing comments; nil if the order makes no difference. The standard requires
    /// that lines are joined first, but not every driver does so.
    let ambiguity: Int?
    /// A Boolean value that indicates whether the text may contain loops, either if lines are
    /// joined first or if comments are removed first.
    let hasLoops: Bool

    /// Creates a joined text.
    ///
    /// - Parameter joinsFirst: A Boolean value that indicates whether lines are joined before
    ///   comments are removed.
    init(_ source: [UInt8], joinsFirst: Bool = false) {
        let isContinued =
            source.contains(UInt8(ascii: "\\"))
            && source.indices.contains { Self.continuation(source, at: $0) > 0 }
        guard isContinued else {
            bytes = ShaderText.withoutComments(source, keepsLines: false)
            (places, ambiguity) = ([], nil)
            hasLoops = Self.hasLoops(bytes)
            return
        }
        let last = Self.joined(ShaderText.withoutComments(source, keepsLines: false))
        var first = Self.joined(source)
        first.bytes = ShaderText.withoutComments(first.bytes, keepsLines: false)
        (bytes, places) = joinsFirst ? first : last
        ambiguity = Self.difference(first, last)
        hasLoops = Self.hasLoops(first.bytes) || Self.hasLoops(last.bytes)
    }

    /// Returns all the ways in which compilers may read a text.
    static func readings(of source: [UInt8]) -> [JoinedText] {
        let text = JoinedText(source)
        return text.ambiguity == nil ? [text] : [text, JoinedText(source, joinsFirst: true)]
    }

    func place(of index: Int) -> Int { places.isEmpty ? index : places[index] }

    private static func hasLoops(_ bytes: [UInt8]) -> Bool {
        ["for", "while"].contains { !ShaderText.ranges(of: $0, in: bytes).isEmpty }
    }

    /// Returns the offset from which two texts differ in more than spaces and empty lines.
    private static func difference(
        _ first: (bytes: [UInt8], places: [Int]), _ second: (bytes: [UInt8], places: [Int])
    ) -> Int? {
        let (one, other) = (words(first.bytes), words(second.bytes))
        for (a, b) in zip(one, other) where first.bytes[a] != second.bytes[b] {
            return min(first.places[a], second.places[b])
        }
        guard one.count != other.count else { return nil }
        return one.count > other.count
            ? first.places[one[other.count]] : second.places[other[one.count]]
    }

    /// Returns the offsets of characters other than spaces, and of the ends of lines that are not
    /// empty.
    private static func words(_ bytes: [UInt8]) -> [Int] {
        var words: [Int] = []
        var isEnd = true
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A || byte == 0x0D {
                if !isEnd { words.append(index) }
                isEnd = true
            } else if !ShaderText.isSpace(byte) {
                words.append(index)
                isEnd = false
            }
        }
        return words
    }

    /// Returns the length of a backslash and the line end that follows it; 0 if there is no such
    /// pair.
    private static func continuation(_ bytes: [UInt8], at index: Int) -> Int {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return 0 }
        if bytes[index + 1] == 0x0A { return 2 }
        guard bytes[index + 1] == 0x0D else { return 0 }
        return index + 2 < bytes.count && bytes[index + 2] == 0x0A ? 3 : 2
    }

    private static func joined(_ bytes: [UInt8]) -> (bytes: [UInt8], places: [Int]) {
        var result: [UInt8] = []
        var places: [Int] = []
        var index = 0
        while index < bytes.count {
            let length = continuation(bytes, at: index)
            if length == 0 {
                result.append(bytes[index])
                places.append(index)
            }
            index += max(1, length)
        }
        return (result, places)
    }
}
