// SPDX-License-Identifier: Apache-2.0

/// A number that is being typed.
///
/// The first character replaces the old number; a deletion keeps it and removes its last character.
struct NumberField: Equatable {
    private(set) var text: String
    private var isSelected = true

    /// Starts with the number as it is shown.
    init(_ text: String) { self.text = text }

    /// The number; nil while the text is none.
    var value: Double? {
        let number = Double(text.replacing(",", with: ".").replacing("−", with: "-"))
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Whether the character can be a part of a number.
    static func accepts(_ scalar: Unicode.Scalar) -> Bool {
        (0x30...0x39).contains(scalar.value) || "+-−.,eE".unicodeScalars.contains(scalar)
    }

    /// Appends a character of a number; ignores others.
    mutating func type(_ scalar: Unicode.Scalar) {
        guard Self.accepts(scalar) else { return }
        if isSelected { text = "" }
        isSelected = false
        // More digits than a float has.
        if text.count < 16 { text.unicodeScalars.append(scalar) }
    }

    mutating func deleteBackward() {
        isSelected = false
        _ = text.popLast()
    }
}
