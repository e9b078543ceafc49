// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Returns the range of the first occurrence of `text`. The comparison is byte by byte.
    ///
    /// It is used in place of the standard library's `firstRange(of:)` and `contains(_:)`. These
    /// link the library for regular expressions, which makes the C library larger by a tenth.
    package func firstRange(ofText text: String) -> Range<Index>? {
        let text = text.utf8
        return utf8.indices.lazy.compactMap { start in
            utf8[start...].starts(with: text)
                ? start..<utf8.index(start, offsetBy: text.count) : nil
        }.first
    }

    package func contains(text: String) -> Bool { firstRange(ofText: text) != nil }
}
