// SPDX-License-Identifier: Apache-2.0

/// A feature of a timeline that is not supported.
public struct TimelineNote: Sendable, Hashable, CustomStringConvertible {
    /// The names of the track and the clip.
    public var place: String
    /// The problem, and how the feature is replaced, as a clause without a full stop.
    public var text: String

    package init(place: String, text: String) {
        self.place = place
        self.text = text
    }

    /// One line with the place and the text.
    public var description: String { place.isEmpty ? text : "\(place): \(text)" }
}
