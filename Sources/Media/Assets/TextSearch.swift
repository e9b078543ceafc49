// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Returns the first range of a text, compared byte by byte.
    ///
    /// The standard library's `firstRange(of:)` and `contains(_:)` for strings link its regular
    /// expressions, which would make the C library larger by a tenth.
    package func firstRange(ofText text: String) -> Range<Index>? {
        let text = text.utf8
        return utf8.indices.lazy.compactMap { start in
            utf8[start...].starts(with: text)
                ? start..<utf8.index(start, offsetBy: text.count) : nil
        }.first
    }

    package func contains(text: String) -> Bool { firstRange(ofText: text) != nil }
}
