// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An item of a timeline, as a node of the tree that the file contains before it is flattened.
final class TimelineNode {
    enum Kind {
        case clip(Clip)
        case gap
        case transition(kind: String, inOffset: MediaTime, outOffset: MediaTime)
        /// Items that play at the same time. The last item is on top.
        case stack([TimelineNode])
        /// Items that play one after another. The media type is nil if it is neither video nor
        /// audio.
        case track([TimelineNode], MediaType?)
    }

    struct Clip {
        var media: TimelineMedia
        var availableRange: MediaTimeRange?
        var frameDuration: MediaTime
    }

    let kind: Kind
    let name: String
    /// The names of the enclosing items and of the item itself, for messages.
    let place: String
    let isEnabled: Bool
    /// The part of the item that plays, by the item's own clock; nil for the whole item.
    let sourceRange: MediaTimeRange?
    /// The speed at which the item plays, which does not change its duration. If it is 0, a single
    /// frame is shown for the whole duration.
    let speed: Double
    /// The duration on the timeline.
    let duration: MediaTime

    init(
        _ kind: Kind, name: String, place: String, isEnabled: Bool = true,
        sourceRange: MediaTimeRange? = nil, speed: Double = 1
    ) {
        self.kind = kind
        self.name = name
        self.place = place
        self.isEnabled = isEnabled
        self.sourceRange = sourceRange
        self.speed = speed
        duration = sourceRange?.duration ?? kind.duration
    }
}

extension TimelineNode.Kind {
    /// The duration of the item before it is cut.
    fileprivate var duration: MediaTime {
        switch self {
        case .clip(let clip): clip.availableRange?.duration ?? .zero
        case .gap, .transition: .zero
        case .stack(let children): children.map(\.duration).max() ?? .zero
        case .track(let children, _):
            children.reduce(leadingOffset(of: children)) { $0 + $1.duration }
                + trailingOffset(of: children)
        }
    }

    /// Returns the time that a transition at the start adds to the duration: its part before the
    /// cut.
    private func leadingOffset(of children: [TimelineNode]) -> MediaTime {
        if case .transition(_, let inOffset, _) = children.first?.kind { inOffset } else { .zero }
    }

    /// Returns the time that a transition at the end adds to the duration: its part after the cut.
    private func trailingOffset(of children: [TimelineNode]) -> MediaTime {
        if case .transition(_, _, let outOffset) = children.last?.kind { outOffset } else { .zero }
    }
}
