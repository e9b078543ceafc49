// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// The geometry of the board, in points.
struct Table {
    private static let side = 4
    private static let origin = SIMD2<Double>(27, 23)
    private static let tile = 140.0
    private static let gap = 8.0

    func rect(of place: Int) -> LayerRect {
        LayerRect(
            x: Self.origin.x + Double(place % Self.side) * (Self.tile + Self.gap),
            y: Self.origin.y + Double(place / Self.side) * (Self.tile + Self.gap),
            width: Self.tile, height: Self.tile)
    }

    func place(at point: SIMD2<Double>) -> Int? {
        (0..<Self.side * Self.side).first { rect(of: $0).contains(point) }
    }

    /// Returns the rectangle of a tile while it is dragged from its place towards the gap, and the
    /// fraction of the way.
    func drag(
        _ place: Int, to gap: Int, by way: SIMD2<Double>
    ) -> (rect: LayerRect, share: Double) {
        var rect = rect(of: place)
        let goal = self.rect(of: gap)
        let whole = SIMD2(goal.x - rect.x, goal.y - rect.y)
        let share = min(max((way * whole).sum() / max((whole * whole).sum(), 1), 0), 1)
        rect.x += whole.x * share
        rect.y += whole.y * share
        return (rect, share)
    }

    @MainActor func layer(on stage: Stage) -> Layer {
        let length = Double(Self.side) * (Self.tile + Self.gap) - Self.gap + 24
        return stage.box(
            LayerRect(
                x: Self.origin.x - 12, y: Self.origin.y - 12, width: length, height: length),
            color: Palette.panel, cornerRadius: 18)
    }
}
