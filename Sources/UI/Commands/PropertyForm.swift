// SPDX-License-Identifier: Apache-2.0

/// The form of a property's values: their type and range.
package enum PropertyForm: Sendable, Hashable {
    case flag
    /// A number. It is clamped to the range.
    case number(ClosedRange<Double>)
    /// A time in seconds, which may be written as `1:02:03.5`; also `no` if `canBeNone` is true.
    case time(canBeNone: Bool)
    /// A track number from 1, `no`, or `auto` for the default track.
    case track
    /// One of several words. `cycle` steps through them in this order.
    case choice([String])
    /// A ratio such as `16:9` or `1.85`, or `no`, which may be written as -1 or 0. The associated
    /// values are the choices of `cycle`.
    case ratio([String])
    case text
    /// A list; read-only.
    case list
    /// A map; read-only.
    case map

    /// A description of the valid values, for error messages and help.
    package var expectation: String {
        switch self {
        case .flag: "yes or no"
        case .number(let range):
            "a number from \(CommandTime.text(range.lowerBound)) to "
                + CommandTime.text(range.upperBound)
        case .time(let canBeNone):
            "a time such as 12.5 or 1:02:03" + (canBeNone ? ", or 'no'" : "")
        case .track: "a track number from 1, 'no' or 'auto'"
        case .choice(let choices): choices.joined(separator: ", ")
        case .ratio: "a ratio such as 16:9 or 1.85, or 'no'"
        case .text: "text"
        case .list, .map: "nothing: the property is read-only"
        }
    }

    /// Returns a number clamped to the range of the form.
    func clamped(_ number: Double) -> Double {
        guard case .number(let range) = self else { return number }
        return min(max(number, range.lowerBound), range.upperBound)
    }
}
