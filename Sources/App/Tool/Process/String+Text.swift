// SPDX-License-Identifier: Apache-2.0

import Foundation

extension String {
    /// Decodes a UTF-8 text file, without its byte order mark.
    init(text data: Data) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.init(decoding: data.starts(with: mark) ? data.dropFirst(3) : data, as: UTF8.self)
    }
}

extension String {
    /// The string, quoted as one word for a shell.
    var shellWord: String {
        func isPlain(_ character: Character) -> Bool {
            character.isASCII
                && (character.isLetter || character.isNumber || "_-./+,:@%=".contains(character))
        }
        if !isEmpty, allSatisfy(isPlain) { return self }
        return "'" + replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    /// Returns the string with control characters replaced by U+FFFD. A terminal would obey them:
    /// in a title or a file name they could rename the window or hide text. Line breaks are
    /// replaced too, unless they are kept.
    func printable(keepingLines: Bool = false) -> String {
        func obeyed(_ scalar: Unicode.Scalar) -> Bool {
            // The control characters C0, DELETE and C1.
            (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
                && !(keepingLines && (scalar == "\n" || scalar == "\t"))
        }
        guard unicodeScalars.contains(where: obeyed) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { obeyed($0) ? "\u{FFFD}" : $0 }))
    }
}
