// SPDX-License-Identifier: Apache-2.0

/// Writes captions of CEA-608 as byte pairs with odd parity.
public enum LineTwentyOne {
    public typealias Pair = (UInt8, UInt8)

    /// The miscellaneous commands.
    public enum Command: UInt8, Sendable {
        case resumeLoading = 0x20
        case backspace = 0x21
        case deleteToEnd = 0x24
        case rollUpTwo = 0x25
        case rollUpThree = 0x26
        case rollUpFour = 0x27
        case resumeDirect = 0x29
        case textRestart = 0x2A
        case eraseDisplayed = 0x2C
        case carriageReturn = 0x2D
        case eraseHidden = 0x2E
        case endOfCaption = 0x2F
    }

    public static func odd(_ byte: UInt8) -> UInt8 {
        byte.nonzeroBitCount % 2 == 0 ? byte | 0x80 : byte & 0x7F
    }

    /// Returns a control code of a channel, from 1 to 4, once.
    public static func code(_ first: UInt8, _ second: UInt8, channel: Int = 1) -> Pair {
        (odd(first | (channel % 2 == 0 ? 8 : 0)), odd(second))
    }

    /// Returns a command twice, as it is transmitted.
    public static func command(_ command: Command, channel: Int = 1) -> [Pair] {
        let first: UInt8 = channel > 2 ? 0x15 : 0x14
        let pair = code(first, command.rawValue, channel: channel)
        return [pair, pair]
    }

    /// The first bytes of preamble codes, and whether the second byte has the bit 0x20, by row.
    private static let rows: [(UInt8, Bool)] = [
        (0x11, false), (0x11, true), (0x12, false), (0x12, true), (0x15, false), (0x15, true),
        (0x16, false), (0x16, true), (0x17, false), (0x17, true), (0x10, false), (0x13, false),
        (0x13, true), (0x14, false), (0x14, true),
    ]

    /// Returns a preamble code, twice.
    ///
    /// - Parameters:
    ///   - row: From 1 to 15.
    ///   - attribute: Bits 0 to 4 of the second byte: 0x10 and twice the number of an indent, or
    ///     twice the number of a colour; 1 for underlined.
    public static func preamble(_ row: Int, _ attribute: UInt8 = 0x10, channel: Int = 1) -> [Pair] {
        let (first, isLower) = rows[row - 1]
        let pair = code(first, 0x40 | (isLower ? 0x20 : 0) | attribute, channel: channel)
        return [pair, pair]
    }

    /// Returns basic characters, which are those of ASCII.
    public static func text(_ text: String) -> [Pair] {
        var bytes = Array(text.utf8)
        if bytes.count % 2 == 1 { bytes.append(0) }
        return stride(from: 0, to: bytes.count, by: 2).map {
            (odd(bytes[$0]), odd(bytes[$0 + 1]))
        }
    }
}
