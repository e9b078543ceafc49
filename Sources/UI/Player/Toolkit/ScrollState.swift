// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// The part of a long content that is visible in a viewport.
struct ScrollState: Equatable {
    /// The distance from the top of the content to the top of the viewport, in pixels.
    private(set) var offset = 0.0
    private(set) var contentHeight = 0.0
    private(set) var viewportHeight = 0.0

    var canScroll: Bool { contentHeight > viewportHeight }

    private var limit: Double { max(0, contentHeight - viewportHeight) }

    /// Sets the sizes of the content and the viewport, and limits the offset to them.
    mutating func resize(content: Double, viewport: Double) {
        (contentHeight, viewportHeight) = (content, max(0, viewport))
        scroll(by: 0)
    }

    mutating func scroll(by distance: Double) {
        offset = min(max(0, offset + distance), limit)
    }

    /// Scrolls by the shortest distance that makes a part of the content visible.
    mutating func reveal(_ top: Double, height: Double) {
        offset = min(max(offset, top + height - viewportHeight), top)
        scroll(by: 0)
    }

    /// Returns the thumb of a scroll bar at the right edge of a viewport; nil if the whole content
    /// is visible.
    func thumb(in viewport: LayerRect, width: Double, inset: Double) -> LayerRect? {
        guard canScroll, viewport.height > 2 * inset else { return nil }
        let track = viewport.height - 2 * inset
        let height = min(max(track * viewportHeight / contentHeight, 2 * width), track)
        return LayerRect(
            x: viewport.x + viewport.width - width - inset,
            y: viewport.y + inset + (track - height) * (limit > 0 ? offset / limit : 0),
            width: width, height: height)
    }
}
