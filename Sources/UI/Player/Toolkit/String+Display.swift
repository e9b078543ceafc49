// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the string with control characters replaced by U+FFFD. A terminal would obey them:
    /// in a title or a file name they could rename the window or hide text. Line breaks are
    /// replaced too, unless they are kept.
    package func printable(keepingLines: Bool = false) -> String {
        func obeyed(_ scalar: Unicode.Scalar) -> Bool {
            // The control characters C0, DELETE and C1.
            (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
                && !(keepingLines && (scalar == "\n" || scalar == "\t"))
        }
        guard unicodeScalars.contains(where: obeyed) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { obeyed($0) ? "\u{FFFD}" : $0 }))
    }

    /// The string, which is a clause, as a sentence: with a capital letter and a full stop.
    package var sentence: String {
        guard let first else { return "" }
        let text = first.uppercased() + dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
