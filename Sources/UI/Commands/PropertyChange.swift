// SPDX-License-Identifier: Apache-2.0

/// Computes new values of properties. Keys, menus and sockets use the same functions, so their
/// results agree.
package enum PropertyChange {
    /// Returns the sum of a value and an amount, clamped to the property's range.
    ///
    /// - Throws: `CommandError.wrongValue` if the value is not a number.
    package static func adding(
        _ amount: Double, to value: PropertyValue, of property: PlayerProperty
    ) throws(CommandError) -> PropertyValue {
        let sum = try number(value, property) + amount
        // Rounding makes tenths exact: adding and then subtracting 0.1 gives the original number.
        let tidied = (sum * 1e9).rounded() / 1e9
        return .number(property.details.form.clamped(tidied))
    }

    /// Returns the product of a value and a factor, clamped to the property's range.
    package static func multiplying(
        _ value: PropertyValue, by factor: Double, of property: PlayerProperty
    ) throws(CommandError) -> PropertyValue {
        let product = try number(value, property) * factor
        let tidied = (product * 1e6).rounded() / 1e6
        return .number(property.details.form.clamped(tidied))
    }

    /// Returns the next or the previous value: the opposite of a flag, the next choice, or the next
    /// whole number. The first value follows the last one.
    ///
    /// - Parameter choices: the current choices, such as tracks; nil to use those of the form.
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
                expected: "a property that can be cycled")
        }
    }

    /// Returns the element that follows `value` in a list or, if `isForward` is false, precedes it.
    /// If the list does not contain `value`, returns the first or the last element.
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
                argument: "property", value: property.rawValue, expected: "a numeric property")
        }
        return number
    }
}
