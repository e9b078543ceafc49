// SPDX-License-Identifier: Apache-2.0

/// A number that is being typed.
///
/// The first character replaces the old number. If the first key deletes, it removes the last
/// character of the old number instead.
struct NumberField: Equatable {
    private(set) var text: String
    private var isSelected = true

    /// Creates a field with a number as its text.
    init(_ text: String) { self.text = text }

    /// The number, or nil if the text is not one.
    var value: Double? {
        let number = Double(text.replacing(",", with: ".").replacing("−", with: "-"))
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns whether the character can be part of a number.
    static func accepts(_ scalar: Unicode.Scalar) -> Bool {
        (0x30...0x39).contains(scalar.value) || "+-−.,eE".unicodeScalars.contains(scalar)
    }

    /// Appends a character if it can be part of a number.
    mutating func type(_ scalar: Unicode.Scalar) {
        guard Self.accepts(scalar) else { return }
        if isSelected { text = "" }
        isSelected = false
        // A `Float` never has this many digits.
        if text.count < 16 { text.unicodeScalars.append(scalar) }
    }

    mutating func deleteBackward() {
        isSelected = false
        _ = text.popLast()
    }
}
