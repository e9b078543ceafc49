// SPDX-License-Identifier: Apache-2.0

/// The reason why text cannot be drawn.
public enum TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// libass could not be initialised.
    case unavailable
    /// No font has any of the characters of the text.
    case noFont(family: String)

    /// The problem and, if there is one, the remedy.
    public var description: String {
        switch self {
        case .unavailable:
            "libass does not start: out of memory"
        case .noFont(let family):
            "no font for '\(family)' was found; on Debian: apt install fonts-dejavu-core"
        }
    }
}
