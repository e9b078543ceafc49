// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the longest beginning of a line that fits, with an ellipsis if it is not all.
    ///
    /// - Parameter fits: returns whether a line fits; it must not fit if a shorter one does not.
    /// - Corresponds to: `NSLineBreakMode.byTruncatingTail`.
    package func truncated(fits: (String) -> Bool) -> String {
        if fits(self) { return self }
        let letters = Array(self)
        // The numbers of letters that fit, and that do not.
        var (most, least) = (0, letters.count)
        while least - most > 1 {
            let middle = (most + least) / 2
            if fits(String(letters[..<middle]) + "…") { most = middle } else { least = middle }
        }
        while most > 0, letters[most - 1].isWhitespace { most -= 1 }
        return String(letters[..<most]) + "…"
    }
}
