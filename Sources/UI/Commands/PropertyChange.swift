// SPDX-License-Identifier: Apache-2.0

/// What commands make of a property's value: pure functions, so that a key, a menu and a socket do
/// the same.
package enum PropertyChange {
    /// The value raised by an amount, within the property's bounds.
    ///
    /// - Throws: `CommandError.wrongValue` for what cannot be added to.
    package static func adding(
        _ amount: Double, to value: PropertyValue, of property: PlayerProperty
    ) throws(CommandError) -> PropertyValue {
        let sum = try number(value, property) + amount
        // Tenths up and tenths down come back to where they were.
        let tidied = (sum * 1e9).rounded() / 1e9
        return .number(property.details.form.clamped(tidied))
    }

    /// The value times a factor, within the property's bounds.
    package static func multiplying(
        _ value: PropertyValue, by factor: Double, of property: PlayerProperty
    ) throws(CommandError) -> PropertyValue {
        let product = try number(value, property) * factor
        let tidied = (product * 1e6).rounded() / 1e6
        return .number(property.details.form.clamped(tidied))
    }

    /// The next value, or the one before: the other one of a flag, the next of some choices, and of
    /// numbers the next whole one, after the last the first.
    ///
    /// - Parameter choices: what there is to choose from now, such as tracks; nil for what the
    ///   property's form says.
    package static func cycling(
        _ value: PropertyValue?, of property: PlayerProperty, isForward: Bool = true,
        choices: [PropertyValue]? = nil
    ) throws(CommandError) -> PropertyValue {
        let form = property.details.form
        if let choices { return next(after: value, in: choices, isForward) ?? value ?? .no }
        switch form {
        case .flag: return .flag(value?.isTrue != true)
        case .choice(let words), .ratio(let words):
            return next(after: value, in: words.map { .text($0) }, isForward) ?? .no
        case .number(let range):
            let number = (value?.number ?? range.lowerBound) + (isForward ? 1 : -1)
            let wraps = number > range.upperBound || number < range.lowerBound
            return .number(
                wraps ? (isForward ? range.lowerBound : range.upperBound) : number)
        case .time, .track, .text, .list, .map:
            throw .wrongValue(
                argument: "property", value: property.rawValue,
                expected: "one that has values to cycle through")
        }
    }

    /// The value after another in a list; the first where it is not among them.
    private static func next(
        after value: PropertyValue?, in list: [PropertyValue], _ isForward: Bool
    ) -> PropertyValue? {
        guard !list.isEmpty else { return nil }
        guard let value, let index = list.firstIndex(of: value) else {
            return isForward ? list[0] : list[list.count - 1]
        }
        return list[(index + (isForward ? 1 : list.count - 1)) % list.count]
    }

    private static func number(
        _ value: PropertyValue, _ property: PlayerProperty
    ) throws(CommandError) -> Double {
        guard let number = value.number else {
            throw .wrongValue(
                argument: "property", value: property.rawValue, expected: "one that is a number")
        }
        return number
    }
}
