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
}
