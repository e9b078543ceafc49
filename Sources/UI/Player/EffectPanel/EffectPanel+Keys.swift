// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadLayers
import PlayheadWindow

/// The panel without a pointer: up and down choose a line, left and right change its number, Enter does what
/// a click does, Backspace sets the default, Escape lets go of the line. While a place is picked, the arrows
/// move it.
extension EffectPanel {
    /// Which line the keys are at, whatever lines come and go above it.
    struct Focus: Equatable {
        var effect: Int
        var input: String?
        var action: EffectPanelRow.Action?
        /// The channel of a colour, or the line of a menu, that it is.
        var part: Int?

        /// Nil for a line that nothing can be done with.
        init?(_ row: EffectPanelRow) {
            (effect, input, action) = (row.effect, row.input, row.action)
            switch row.control {
            case .none: return nil
            case .choice(let value, _): part = Int(value)
            case .channel(let channel, _): part = channel
            // Behind the channels.
            case .picker: part = 4
            case .toggle, .slider, .menu, .point, .color, .button: part = nil
            }
        }
    }

    /// Hundredths of a slider's range that a key goes by; one with shift.
    private static let coarseStep: Float = 5

    var focusedRow: EffectPanelRow? {
        focus.flatMap { focus in rows.first { Focus($0) == focus } }
    }

    /// - Returns: whether nobody else should have it.
    func handle(_ key: KeyEvent) -> Bool {
        guard key.modifiers.isEmpty || key.modifiers == .shift else { return false }
        let isDown = key.action != .release
        let step = key.modifiers == .shift ? 1 : Self.coarseStep
        if let place = state.picking, let direction = Self.directions[key.key] {
            if isDown { nudge(place, by: direction * step / 100) }
            return true
        }
        switch key.key {
        case .up where key.modifiers.isEmpty, .down where key.modifiers.isEmpty:
            if isDown { moveFocus(by: key.key == .down ? 1 : -1) }
            return true
        case _ where focus == nil: return false
        case .left, .right:
            if isDown, let row = focusedRow { slide(row, by: key.key == .right ? step : -step) }
            return true
        case .enter, .keypadEnter:
            if key.action == .press { press() }
            return true
        case .backspace, .delete:
            if isDown, let row = focusedRow { resetInput(of: row) }
            return true
        case .escape:
            if isDown { focus = nil }
            changeHandler()
            return true
        default: return false
        }
    }

    private static let directions: [Key: SIMD2<Float>] = [
        .left: [-1, 0], .right: [1, 0], .up: [0, 1], .down: [0, -1],
    ]

    private func moveFocus(by step: Int) {
        let rows = rows
        let places = rows.indices.filter { Focus(rows[$0]) != nil }
        guard !places.isEmpty else { return }
        let current = places.firstIndex { Focus(rows[$0]) == focus }
        let next =
            current.map { min(max(0, $0 + step), places.count - 1) } ?? firstInput(rows, places)
        focus = Focus(rows[places[next]])
        scroll(toRow: places[next])
        changeHandler()
    }

    /// The keys begin with what is changed most: an input, not the switch of the whole effect.
    private func firstInput(_ rows: [EffectPanelRow], _ places: [Int]) -> Int {
        places.firstIndex { rows[$0].input != nil } ?? 0
    }

    private func scroll(toRow index: Int) {
        // The margins above the first line and below the last are half a line together.
        let top = Double(index) * rowHeight
        scrolled = min(max(scrolled, top + 1.5 * rowHeight - bounds.height), top)
    }

    private func slide(_ row: EffectPanelRow, by step: Float) {
        guard let name = row.input, effects.indices.contains(row.effect) else { return }
        let instance = effects[row.effect]
        switch row.control {
        case .slider(let value, let range, let isWhole):
            let length = range.upperBound - range.lowerBound
            let moved = value + (isWhole ? (step < 0 ? -1 : 1) : length * step / 100)
            // One that was set beyond its range stays there until it comes back.
            let next = min(max(moved, min(value, range.lowerBound)), max(value, range.upperBound))
            set(isWhole ? .long(nearest: next) : .float(next), name, instance)
        case .channel(let channel, let value):
            guard case .color(var color) = instance.value(for: name) else { return }
            color[channel] = min(max(value + step / 100, 0), 1)
            set(.color(color), name, instance)
        default: return
        }
        changeHandler()
    }

    private func nudge(_ place: EffectPanelRow.State.Place, by step: SIMD2<Float>) {
        guard effects.indices.contains(place.effect) else { return }
        let instance = effects[place.effect]
        guard let input = instance.effect.input(named: place.input),
            case .point2D(let point) = instance.value(for: place.input)
        else { return }
        set(
            .point2D(point + input.point(at: step) - input.point(at: [0, 0])), place.input, instance
        )
        changeHandler()
    }

    private func press() {
        guard let row = focusedRow else { return }
        switch row.control {
        case .slider, .channel: return
        case .choice:
            // Its line goes with it.
            activate(row)
            focus?.part = nil
        default: activate(row)
        }
        changeHandler()
    }
}
