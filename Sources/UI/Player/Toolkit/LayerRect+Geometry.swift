// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

extension LayerRect {
    /// Returns the rectangle reduced by a margin on each side.
    func inset(by margin: Double) -> LayerRect {
        LayerRect(
            x: x + margin, y: y + margin, width: max(0, width - 2 * margin),
            height: max(0, height - 2 * margin))
    }

    /// Returns the rectangle moved down by a distance.
    func moved(by distance: Double) -> LayerRect {
        LayerRect(x: x, y: y + distance, width: width, height: height)
    }

    /// A Boolean value that indicates whether two rectangles overlap.
    func intersects(_ other: LayerRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height
            && other.y < y + height
    }
}

extension FormLayout.Row {
    /// Returns the row moved down by a distance.
    func moved(by distance: Double) -> FormLayout.Row {
        var row = self
        row.frame = frame.moved(by: distance)
        row.sign = sign?.moved(by: distance)
        row.labelRect = labelRect.moved(by: distance)
        row.control = control?.moved(by: distance)
        row.value = value?.moved(by: distance)
        row.toggle = toggle?.moved(by: distance)
        return row
    }
}
