// SPDX-License-Identifier: Apache-2.0

/// Reads numbers, texts and boxes of MP4 one after the other.
///
/// - Concurrency: a value.
/// - Corresponds to: boxes of ISO/IEC 14496-12, 4.2.
package struct BoxReader {
    /// The beginning of a box.
    package struct Header {
        /// The type, as a number of four characters.
        package let type: Int
        /// The size with the header, in bytes.
        package let size: Int
    }

    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the type of a box, as a number, from its four characters.
    package static func type(_ name: String) -> Int { name.utf8.reduce(0) { $0 << 8 | Int($1) } }

    /// Returns a big-endian number; nil at the end of the bytes, and if it is too large.
    package mutating func number(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return Int(exactly: value)
    }

    /// Returns a text up to its terminator; nil without one.
    package mutating func text() -> String? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// Reads the header of a box. Returns nil at the end of the bytes, for a box without a size,
    /// and for one that is larger than 4 GiB.
    package mutating func header() -> Header? {
        guard let size = number(4), size >= 8, let type = number(4) else { return nil }
        return Header(type: type, size: size)
    }

    package mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }
}
