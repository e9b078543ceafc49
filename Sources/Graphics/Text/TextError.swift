// SPDX-License-Identifier: Apache-2.0

/// Why text cannot be drawn.
public enum TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// libass did not start.
    case unavailable
    /// No font has a single one of the characters asked for.
    case noFont(family: String)

    public var description: String {
        switch self {
        case .unavailable:
            "libass does not start: out of memory"
        case .noFont(let family):
            "no font for '\(family)' was found; on Debian: apt install fonts-dejavu-core"
        }
    }
}
