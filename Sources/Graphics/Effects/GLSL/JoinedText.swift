// SPDX-License-Identifier: Apache-2.0

/// A shader's text without comments, its lines joined where a backslash ends them, as the preprocessor
/// sees it.
struct JoinedText {
    let bytes: [UInt8]
    /// Where each byte stood; empty where all stand where they did.
    private let places: [Int]
    /// Whether a comment ends in another place if lines are joined first, as the standard has it and not
    /// every driver does.
    let isAmbiguous: Bool
    /// Whether there may be loops in it, with lines joined first or not.
    let hasLoops: Bool
    /// Whether there are loops in what is a comment here, and may be none.
    let hidesLoops: Bool

    init(_ source: [UInt8]) {
        let plain = ShaderText.withoutComments(source)
        let isContinued =
            source.contains(UInt8(ascii: "\\"))
            && source.indices.contains { Self.continuation(source, at: $0) > 0 }
        guard isContinued else {
            (bytes, places) = (plain, [])
            (isAmbiguous, hidesLoops) = (false, false)
            hasLoops = Self.loopCount(plain) > 0
            return
        }
        (bytes, places) = Self.joined(plain)
        let other = ShaderText.withoutComments(Self.joined(source).bytes)
        let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
        isAmbiguous = bytes.filter { !isSpace($0) } != other.filter { !isSpace($0) }
        let count = Self.loopCount(bytes)
        hidesLoops = isAmbiguous && Self.loopCount(other) > count
        hasLoops = count > 0 || hidesLoops
    }

    func place(of index: Int) -> Int { places.isEmpty ? index : places[index] }

    private static func loopCount(_ bytes: [UInt8]) -> Int {
        ["for", "while"].reduce(0) { $0 + ShaderText.ranges(of: $1, in: bytes).count }
    }

    /// How long a backslash and the line's end after it are; 0 where there are none.
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
