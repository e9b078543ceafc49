// SPDX-License-Identifier: Apache-2.0

/// Which values a property can have.
package enum PropertyForm: Sendable, Hashable {
    case flag
    /// A number within bounds; beyond them, the nearer one is meant.
    case number(ClosedRange<Double>)
    /// Seconds, also written as `1:02:03.5`; where it can be none, `no` says that it is.
    case time(canBeNone: Bool)
    /// The number of a track, from 1, or `no`, or `auto` for the file's choice.
    case track
    /// One of some words, in the order in which they are cycled through.
    case choice([String])
    /// A shape, as `16:9` or `1.85`, or `no`, which -1 and 0 mean too; with those that are cycled through.
    case ratio([String])
    case text
    /// Several values; these are only read.
    case list
    /// Values by their names; these, too.
    case map

    /// What a person may write for it, for errors and help.
    package var expectation: String {
        switch self {
        case .flag: "yes or no"
        case .number(let range):
            "a number from \(CommandTime.text(range.lowerBound)) to "
                + CommandTime.text(range.upperBound)
        case .time(let canBeNone):
            "a time such as 12.5 or 1:02:03" + (canBeNone ? ", or no" : "")
        case .track: "a track's number from 1 on, no, or auto"
        case .choice(let choices): choices.joined(separator: ", ")
        case .ratio: "a ratio such as 16:9 or 1.85, or no"
        case .text: "text"
        case .list, .map: "nothing: it can only be read"
        }
    }

    /// The value nearest to a number; not for those that are no numbers.
    func clamped(_ number: Double) -> Double {
        guard case .number(let range) = self else { return number }
        return min(max(number, range.lowerBound), range.upperBound)
    }
}
