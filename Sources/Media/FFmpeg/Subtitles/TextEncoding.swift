// SPDX-License-Identifier: Apache-2.0

import CPlayheadUchardet
import Glibc
import PlayheadAssets

/// A converter of text to UTF-8.
///
/// - Corresponds to: `uchardet_get_charset`, `iconv`.
enum TextEncoding {
    /// Converts text to UTF-8.
    ///
    /// - Parameter encoding: The encoding of the text; nil to guess it.
    static func utf8(
        _ bytes: [UInt8], encoding: String?, subject: String
    ) throws(MediaError) -> [UInt8] {
        guard let name = encoding ?? guess(bytes), !isUTF8(name) else {
            return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        }
        guard let converted = convert(bytes, from: name) else {
            throw MediaError(
                .unknownFormat, subject: subject,
                cause: "its text cannot be read as \(name)",
                remedy: "name its encoding, such as WINDOWS-1252, or convert it to UTF-8")
        }
        return converted
    }

    /// Returns whether text has the zero bytes of UTF-16 in a Latin script. Almost all of them are
    /// in the same half of the byte pairs.
    static func looksLikeUTF16(_ bytes: [UInt8]) -> Bool {
        let pairs = bytes.count / 2
        guard pairs >= 4 else { return false }
        let zeros = (0..<2).map { half in
            (0..<pairs).count { bytes[2 * $0 + half] == 0 }
        }
        return zeros.min()! * 8 < pairs && zeros.max()! * 2 > pairs
    }

    private static func isUTF8(_ name: String) -> Bool {
        ["UTF-8", "UTF8", "ASCII", "US-ASCII"].contains(name.uppercased())
    }

    /// Guesses the encoding. Returns nil for UTF-8 and if the guess fails.
    private static func guess(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "UTF-16"
        }
        if looksLikeUTF16(Array(bytes.prefix(512))) {
            return bytes.first == 0 ? "UTF-16BE" : "UTF-16LE"
        }
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        guard let detector = uchardet_new() else { return fallback }
        defer { uchardet_delete(detector) }
        // A megabyte is enough for the guess.
        let part = bytes.prefix(1 << 20)
        let status = part.withUnsafeBytes { raw in
            uchardet_handle_data(
                detector, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
        }
        uchardet_data_end(detector)
        guard status == 0, let name = uchardet_get_charset(detector), name.pointee != 0 else {
            return fallback
        }
        // UTF-8 with one or two damaged bytes is still treated as UTF-8; the bytes are replaced.
        return String(cString: name)
    }

    /// The most common encoding of subtitles that are not UTF-8. In it, every byte is valid.
    private static let fallback = "CP1252"

    private static func convert(_ bytes: [UInt8], from name: String) -> [UInt8]? {
        let converter = iconv_open("UTF-8", name)
        guard converter != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 3 / 2)
        var part = [CChar](repeating: 0, count: 1 << 16)
        input.withUnsafeMutableBufferPointer { input in
            var next = input.baseAddress
            var left = input.count
            while left > 0 {
                let before = left
                let room = part.count
                let (written, error) = part.withUnsafeMutableBufferPointer { part in
                    var target = part.baseAddress
                    var targetLeft = room
                    let status = iconv(converter, &next, &left, &target, &targetLeft)
                    return (room - targetLeft, status == .max ? errno : 0)
                }
                result += part.prefix(written).map { UInt8(bitPattern: $0) }
                if error == EILSEQ || error == EINVAL {
                    // An invalid byte is replaced and skipped.
                    result += [0xEF, 0xBF, 0xBD]
                    next = next.map { $0 + 1 }
                    left -= 1
                } else if before == left, written == 0 {
                    break
                }
            }
        }
        if result.starts(with: [0xEF, 0xBB, 0xBF]) { result.removeFirst(3) }
        return result
    }
}
