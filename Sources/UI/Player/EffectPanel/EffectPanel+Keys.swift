// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadLayers
import PlayheadWindow

/// The keys of rows: Up and Down choose a row. Left and Right change the row's number, or fold and
/// unfold the row. Digits and Enter type a number. Enter has the effect of a click. Backspace
/// resets the input. After Escape, no row is chosen. While a point is picked, the arrow keys move
/// it.
extension EffectPanel {
    /// The identity of a row. It stays the same when other rows are added or removed above it.
    struct Focus: Equatable {
        var effect: Int
        var input: String?
        var action: EffectPanelRow.Action?
        /// The channel of a colour, or the item of a menu.
        var part: Int?
        var fold: EffectPanelRow.State.Fold?

        /// Creates the identity of a row; nil if the row has no action.
        init?(_ row: EffectPanelRow) {
            (effect, input, action, fold) = (row.effect, row.input, row.action, row.fold)
            switch row.control {
            case .none where row.fold == nil: return nil
            case .share: return nil
            case .choice(let value, _): part = Int(value)
            case .channel(let channel, _): part = channel
            // The picker's row follows those of the channels.
            case .picker: part = 4
            case .none, .toggle, .slider, .menu, .point, .color, .button: part = nil
            }
        }
    }

    /// The step of an arrow key, in hundredths of a slider's range. With Shift, the step is one
    /// hundredth.
    private static let coarseStep: Float = 5

    var focusedRow: EffectPanelRow? {
        focus.flatMap { focus in rows.first { Focus($0) == focus } }
    }

    /// Handles a key.
    ///
    /// - Returns: A Boolean value that indicates whether the panel handled the key.
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
            guard isDown, let row = focusedRow else { return true }
            if row.fold != nil {
                if row.isOpen != (key.key == .right) { toggleFold(of: row) }
                changeHandler()
            } else {
                slide(row, by: key.key == .right ? step : -step)
            }
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
        default: return startsNumber(key)
        }
    }

    // MARK: Typing

    /// Returns whether a key starts a number. The text event that follows the key then begins to
    /// edit the row.
    private func startsNumber(_ key: KeyEvent) -> Bool {
        guard focusedRow?.control.isNumber == true, key.modifiers.isEmpty,
            let scalar = key.name?.unicodeScalars.first
        else { return false }
        return NumberField.accepts(scalar) && !scalar.properties.isAlphabetic
    }

    /// Handles a typed character.
    ///
    /// - Returns: A Boolean value that indicates whether the panel handled it.
    func type(_ scalar: Unicode.Scalar) -> Bool {
        if edit == nil {
            guard let row = focusedRow, row.control.isNumber, NumberField.accepts(scalar),
                !scalar.properties.isAlphabetic
            else { return false }
            beginTyping(row)
        }
        edit?.field.type(scalar)
        changeHandler()
        return true
    }

    func beginTyping(_ row: EffectPanelRow) {
        guard row.control.isNumber, let focus = Focus(row) else { return }
        self.focus = focus
        edit = (focus, NumberField(row.control.number))
    }

    /// Sets the input to the number that was typed, if it is valid.
    func endTyping() {
        guard let (focus, field) = edit else { return }
        edit = nil
        guard let number = field.value, let row = rows.first(where: { Focus($0) == focus }),
            let name = row.input
        else { return }
        let limit = Double(Float.greatestFiniteMagnitude)
        let value = Float(min(max(number, -limit), limit))
        switch row.control {
        case .slider(_, _, let isWhole):
            set(isWhole ? .long(nearest: value) : .float(value), name, row.effect)
        case .channel(let channel, _):
            guard var color = color(name, row.effect) else { return }
            color[channel] = min(max(value, 0), 1)
            set(.color(color), name, row.effect)
        default: return
        }
        changeHandler()
    }

    /// Handles a key while a number is typed.
    ///
    /// - Returns: A Boolean value that indicates whether the panel handled the key. It handles all
    ///   keys that produce characters.
    func handleWhileTyping(_ key: KeyEvent) -> Bool {
        let isDown = key.action != .release
        switch key.key {
        case .enter, .keypadEnter:
            if isDown { endTyping() }
        case .escape:
            if isDown { edit = nil }
        case .backspace, .delete:
            if isDown { edit?.field.deleteBackward() }
        case .up, .down:
            if isDown {
                endTyping()
                moveFocus(by: key.key == .down ? 1 : -1)
            }
        case .left, .right: break
        default: return key.name != nil && key.modifiers.isSubset(of: .shift)
        }
        changeHandler()
        return true
    }

    private static let directions: [Key: SIMD2<Float>] = [
        .left: [-1, 0], .right: [1, 0], .up: [0, 1], .down: [0, -1],
    ]

    func moveFocus(by step: Int) {
        let rows = rows
        let places = rows.indices.filter { Focus(rows[$0]) != nil }
        guard !places.isEmpty else { return }
        let current = places.firstIndex { Focus(rows[$0]) == focus }
        let next =
            current.map { min(max(0, $0 + step), places.count - 1) } ?? firstInput(rows, places)
        focus = Focus(rows[places[next]])
        let frame = form.rows[places[next]].frame
        scroll.resize(content: form.height, viewport: bounds.height)
        // At the first and the last row, the margin of the form is shown too.
        let isLast = next == places.count - 1
        scroll.reveal(
            next == 0 ? 0 : frame.y, height: isLast ? form.height - frame.y : frame.height)
        changeHandler()
    }

    /// The index of the first input, or 0. If no row has the focus, the up and down keys move it to
    /// this row, because inputs are changed more often than the switch that turns the effect on and
    /// off.
    private func firstInput(_ rows: [EffectPanelRow], _ places: [Int]) -> Int {
        places.firstIndex { rows[$0].input != nil } ?? 0
    }

    private func slide(_ row: EffectPanelRow, by step: Float) {
        guard let name = row.input else { return }
        switch row.control {
        case .slider(let value, let range, let isWhole):
            let part = (range.upperBound - range.lowerBound) * step / 100
            // Whole numbers move by at least 1.
            let moved = value + (isWhole ? (step < 0 ? min(part, -1) : max(part, 1)) : part)
            // A value outside of the range can move only towards it.
            let next = min(max(moved, min(value, range.lowerBound)), max(value, range.upperBound))
            set(isWhole ? .long(nearest: next) : .float(next), name, row.effect)
        case .channel(let channel, let value):
            guard var color = color(name, row.effect) else { return }
            color[channel] = min(max(value + step / 100, 0), 1)
            set(.color(color), name, row.effect)
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
            .point2D(point + input.point(at: step) - input.point(at: [0, 0])), place.input,
            place.effect)
        changeHandler()
    }

    private func press() {
        guard let row = focusedRow else { return }
        switch row.control {
        case .slider, .channel: beginTyping(row)
        case .choice:
            // The row disappears when its menu closes.
            activate(row)
            focus?.part = nil
        default: activate(row)
        }
        changeHandler()
    }
}
