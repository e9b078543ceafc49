// SPDX-License-Identifier: Apache-2.0

/// Something that a timeline asks for and that is not done.
public struct TimelineNote: Sendable, Hashable, CustomStringConvertible {
    /// The track and the clip, by their names.
    public var place: String
    /// The problem and what is done instead, as a clause without a full stop.
    public var text: String

    package init(place: String, text: String) {
        self.place = place
        self.text = text
    }

    /// One line: place and text.
    public var description: String { place.isEmpty ? text : "\(place): \(text)" }
}
