// SPDX-License-Identifier: Apache-2.0

extension Double {
    /// The number as text, rounded to a hundredth: 25, 12.5, 12.05.
    public var brief: String {
        let text = "\((self * 100).rounded() / 100)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
