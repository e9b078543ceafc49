// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the longest beginning of a line that fits, followed by an ellipsis if text was cut
    /// off.
    ///
    /// - Parameter fits: returns whether a line fits. If a line does not fit, a longer line must
    ///   not fit either.
    /// - Corresponds to: `NSLineBreakMode.byTruncatingTail`.
    package func truncated(fits: (String) -> Bool) -> String {
        if fits(self) { return self }
        let letters = Array(self)
        // The largest number of letters that is known to fit, and the smallest that is known not to
        // fit.
        var (most, least) = (0, letters.count)
        while least - most > 1 {
            let middle = (most + least) / 2
            if fits(String(letters[..<middle]) + "…") { most = middle } else { least = middle }
        }
        while most > 0, letters[most - 1].isWhitespace { most -= 1 }
        return String(letters[..<most]) + "…"
    }
}
