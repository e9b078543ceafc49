// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// The controls of forms.
extension PanelLayers {
    private func points(_ value: Double) -> Double { (value * scale).rounded() }

    /// Adds a track that is filled up to a fraction of its length, with a knob if it can be
    /// dragged.
    mutating func slider(_ rect: LayerRect, share: Double, hasKnob: Bool = true) {
        let share = share.isNaN ? 0 : min(max(share, 0), 1)
        let height = points(4)
        var track = LayerRect(
            x: rect.x, y: (rect.y + (rect.height - height) / 2).rounded(), width: rect.width,
            height: height)
        fill(track, PanelPalette.line, radius: height / 2)
        let knob = hasKnob ? min(points(14), rect.width) : 0
        let end = (rect.width - knob) * share
        track.width = end + knob / 2
        if track.width >= 1 {
            fill(track, PanelPalette.accent, radius: min(height, track.width) / 2)
        }
        guard hasKnob else { return }
        fill(
            LayerRect(
                x: (rect.x + end).rounded(), y: (rect.y + (rect.height - knob) / 2).rounded(),
                width: knob, height: knob), [1, 1, 1, 1], radius: knob / 2)
    }

    /// Returns the position of a slider's knob for an x coordinate, from 0 to 1.
    static func share(at x: Double, of rect: LayerRect, scale: Double) -> Double {
        let knob = min((14 * scale).rounded(), rect.width)
        let way = rect.width - knob
        return way > 0 ? min(max((x - rect.x - knob / 2) / way, 0), 1) : 0
    }

    /// Adds a switch.
    mutating func toggle(_ rect: LayerRect, isOn: Bool) {
        fill(rect, isOn ? PanelPalette.accent : PanelPalette.line, radius: rect.height / 2)
        let inset = points(2)
        let side = rect.height - 2 * inset
        fill(
            LayerRect(
                x: isOn ? rect.x + rect.width - side - inset : rect.x + inset, y: rect.y + inset,
                width: side, height: side), [1, 1, 1, 1], radius: side / 2)
    }

    /// Adds the background of a field or a button.
    mutating func box(_ rect: LayerRect, color: SIMD4<Float> = PanelPalette.hover) {
        fill(rect, color, radius: points(5))
    }

    /// Adds a patch of a colour, with an edge that is visible on any background.
    mutating func swatch(_ rect: LayerRect, color: SIMD4<Float>) {
        let line = max(1, scale.rounded(.down))
        fill(rect, PanelPalette.dim, radius: points(5))
        fill(
            LayerRect(
                x: rect.x + line, y: rect.y + line, width: max(0, rect.width - 2 * line),
                height: max(0, rect.height - 2 * line)),
            SIMD4(color.x, color.y, color.z, 1), radius: points(4))
    }

    /// Adds the thumb of a scroll bar if the content is longer than the viewport.
    mutating func scrollBar(_ scroll: ScrollState, in viewport: LayerRect) {
        let width = points(4)
        guard let thumb = scroll.thumb(in: viewport, width: width, inset: points(3)) else { return }
        fill(thumb, PanelPalette.dim, radius: width / 2)
    }
}
