// SPDX-License-Identifier: Apache-2.0

/// The percent encoding of bytes in URLs, as defined in RFC 3986, section 2.1.
package enum PercentEncoding {
    /// Returns a text with percent-encoded bytes decoded. A percent sign that does not encode a
    /// byte stays unchanged.
    package static func decoded(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            // `Int8(_:radix:)` would also accept a sign as a digit.
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isHexDigit
    }
}
