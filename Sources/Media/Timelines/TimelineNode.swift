// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An item of a timeline as its file has it: a tree, before it is flattened.
final class TimelineNode {
    enum Kind {
        case clip(Clip)
        case gap
        case transition(kind: String, inOffset: MediaTime, outOffset: MediaTime)
        /// Items that play together, the last one on top.
        case stack([TimelineNode])
        /// Items that play one after another; nil for a type of media that is neither video nor
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
    /// The names of the items around it, and its own.
    let place: String
    let isEnabled: Bool
    /// The part of the item that plays, by its own clock; nil for all of it.
    let sourceRange: MediaTimeRange?
    /// The speed at which the item plays; its duration stays. 0 for a frame that stands still.
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
    /// The duration of an item that is not cut.
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

    /// The time that a transition at the start adds to the duration: its part before the cut.
    private func leadingOffset(of children: [TimelineNode]) -> MediaTime {
        if case .transition(_, let inOffset, _) = children.first?.kind { inOffset } else { .zero }
    }

    /// The time that a transition at the end adds to the duration: its part after the cut.
    private func trailingOffset(of children: [TimelineNode]) -> MediaTime {
        if case .transition(_, _, let outOffset) = children.last?.kind { outOffset } else { .zero }
    }
}
