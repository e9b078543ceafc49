// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Writes the text and a zero byte. If the text does not fit, it is truncated at the end of a
    /// UTF-8 character.
    func copy(to buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count > 0 else { return }
        var text = self
        text.withUTF8 { utf8 in
            var count = min(utf8.count, buffer.count - 1)
            // All bytes of a UTF-8 character but the first are 10xxxxxx.
            while count > 0, count < utf8.count, utf8[count] & 0xC0 == 0x80 { count -= 1 }
            buffer.copyBytes(from: utf8[..<count])
            buffer[count] = 0
        }
    }
}
