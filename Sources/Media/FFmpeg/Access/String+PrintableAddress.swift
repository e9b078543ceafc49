// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The address in a form for a line of text: without control characters and with limited
    /// length.
    var printableAddress: String {
        let line = String(
            prefix(200).map { character in
                character.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    ? "?" : character
            })
        return count > 200 ? line + "…" : line
    }
}
