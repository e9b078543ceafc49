// SPDX-License-Identifier: Apache-2.0

extension String {
    /// As much of the beginning of a line as fits, with an ellipsis where that is not all.
    ///
    /// - Parameter fits: whether there is room for a line; the longer it is, the less.
    /// - Corresponds to: `NSLineBreakMode.byTruncatingTail`.
    package func truncated(fits: (String) -> Bool) -> String {
        if fits(self) { return self }
        let letters = Array(self)
        // How many letters fit, and how many do not.
        var (most, least) = (0, letters.count)
        while least - most > 1 {
            let middle = (most + least) / 2
            if fits(String(letters[..<middle]) + "…") { most = middle } else { least = middle }
        }
        while most > 0, letters[most - 1].isWhitespace { most -= 1 }
        return String(letters[..<most]) + "…"
    }
}
