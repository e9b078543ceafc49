// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Returns the range of the first occurrence of `text`. The comparison is byte by byte.
    ///
    /// The methods `firstRange(of:)` and `contains(_:)` of strings in the standard library link the
    /// library for regular expressions, which would make the C library larger by a tenth.
    package func firstRange(ofText text: String) -> Range<Index>? {
        let text = text.utf8
        return utf8.indices.lazy.compactMap { start in
            utf8[start...].starts(with: text)
                ? start..<utf8.index(start, offsetBy: text.count) : nil
        }.first
    }

    package func contains(text: String) -> Bool { firstRange(ofText: text) != nil }
}
