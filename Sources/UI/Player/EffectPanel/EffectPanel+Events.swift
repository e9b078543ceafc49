// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadLayers
public import PlayheadWindow

/// Pointer events, and keys that apply to the whole panel.
extension EffectPanel {
    /// Handles an event if it is for the panel.
    ///
    /// - Parameters:
    ///   - event: An event of the window.
    ///   - pixelRatio: The number of pixels in a screen coordinate.
    /// - Returns: A Boolean value that indicates whether the panel handled the event. If so,
    ///   nothing else should handle it.
    public func handle(_ event: WindowEvent, pixelRatio: Double) -> Bool {
        switch event {
        case .key(let key) where key.key == .tab && key.modifiers.isEmpty:
            guard !isEmpty else { return false }
            if key.action == .press { isVisible.toggle() }
            return true
        case .key(let key) where key.key == .escape && isVisible && state.picking != nil:
            state.picking = nil
            return true
        case .key(let key) where isVisible && edit != nil: return handleWhileTyping(key)
        case .text(let scalar) where isVisible: return type(scalar)
        case .key(let key) where isVisible && key.shortcut == "r" && key.modifiers.isEmpty:
            if key.action == .press { resetAll() }
            return true
        case .key(let key) where isVisible: return handle(key)
        case .pointerMoved(let point):
            guard drag != nil else { return false }
            move(to: SIMD2(point.x, point.y) * pixelRatio)
            return true
        case .button(let button):
            guard button.isPressed else {
                defer { (drag, hasPress) = (nil, false) }
                return hasPress
            }
            guard isVisible else { return false }
            let point = SIMD2(button.position.x, button.position.y) * pixelRatio
            hasPress =
                switch button.button {
                case .left: press(at: point, isDouble: button.clickCount == 2)
                case .right: resetInput(at: point)
                default: bounds.contains([point.x, point.y])
                }
            return hasPress
        case .scrolled(let scroll):
            let point = SIMD2(scroll.position.x, scroll.position.y) * pixelRatio
            guard isVisible, bounds.contains([point.x, point.y]) else { return false }
            self.scroll.scroll(by: -scroll.y * 48 * scale)
            changeHandler()
            return true
        default: return false
        }
    }

    private func press(at point: SIMD2<Double>, isDouble: Bool) -> Bool {
        endTyping()
        focus = nil
        guard bounds.contains(point) else { return pressPicture(at: point) }
        guard let (row, place) = row(at: point) else { return true }
        let inside = SIMD2(point.x - bounds.x, point.y - bounds.y + scroll.offset)
        if isDouble, row.control.isResetByDoubleClick { return resetInput(at: point) }
        switch row.control {
        case .slider, .channel:
            focus = Focus(row)
            if place.value.map({ inside.x >= $0.x - 4 * scale }) == true {
                beginTyping(row)
            } else if place.control.map({ inside.x >= $0.x - 4 * scale }) == true {
                drag = .slider(row)
                move(to: point)
            }
        case .toggle where row.fold != nil:
            if place.toggle.map({ inside.x >= $0.x - 4 * scale }) == true {
                activate(row)
            } else {
                toggleFold(of: row)
            }
        default: activate(row)
        }
        changeHandler()
        return true
    }

    func toggleFold(of row: EffectPanelRow) {
        guard let fold = row.fold else { return }
        state.toggled.formSymmetricDifference([fold])
        // Until the next layers are built, the offset is limited by the old height.
        scroll.resize(content: form.height, viewport: bounds.height)
    }

    /// Performs the action of a click on a row.
    func activate(_ row: EffectPanelRow) {
        let place = row.input.map {
            EffectPanelRow.State.Place(effect: row.effect, input: $0)
        }
        switch row.control {
        case .none: toggleFold(of: row)
        case .slider, .channel, .share: break
        case .toggle(let isOn):
            if row.action == .split {
                state.isSplit.toggle()
            } else if row.action == .probe {
                state.isProbing.toggle()
            } else if let input = row.input {
                set(.bool(!isOn), input, row.effect)
            } else if effects.indices.contains(row.effect) {
                effects[row.effect].isEnabled = !isOn
            }
        case .menu, .color:
            if let place, state.open.remove(place) == nil { state.open.insert(place) }
        case .choice(let value, _):
            if let input = row.input { set(.long(value), input, row.effect) }
            if let place { state.open.remove(place) }
        case .point, .picker: state.picking = state.picking == place ? nil : place
        case .button:
            switch row.action {
            case .reset: resetAll()
            case .copy: copyHandler(commandLine)
            default: if let input = row.input { set(.event, input, row.effect) }
            }
        }
    }

    /// Handles a click outside of the panel, which picks a value, moves the divider, or inspects a
    /// pixel.
    private func pressPicture(at point: SIMD2<Double>) -> Bool {
        if isCovered(point) { return false }
        if let place = state.picking, effects.indices.contains(place.effect) {
            let instance = effects[place.effect]
            guard instance.effect.input(named: place.input)?.kind == .point2D else {
                // The colour is read from the input of the effect.
                state.picking = nil
                instance.probe(at: share(of: point))
                awaitedColor = place
                changeHandler()
                return true
            }
            drag = .point(place)
            move(to: point)
            state.picking = nil
            return true
        }
        if state.isSplit, abs(point.x - splitPlace * Double(size.width)) < 8 * scale {
            drag = .split
            return true
        }
        guard state.isProbing else { return false }
        for effect in effects { effect.probe(at: share(of: point)) }
        changeHandler()
        return true
    }

    private func move(to point: SIMD2<Double>) {
        switch drag {
        case .slider(let row): slide(row, to: point)
        case .point(let place):
            guard effects.indices.contains(place.effect) else { return }
            let instance = effects[place.effect]
            guard let input = instance.effect.input(named: place.input) else { return }
            set(.point2D(input.point(at: share(of: point))), place.input, place.effect)
        case .split:
            splitPlace = min(max(point.x / Double(max(1, size.width)), 0.02), 0.98)
        case nil: return
        }
        changeHandler()
    }

    private func slide(_ row: EffectPanelRow, to point: SIMD2<Double>) {
        guard let name = row.input else { return }
        let index = rows.firstIndex { Focus($0) == Focus(row) }
        guard let index, let track = form.rows[index].control else { return }
        let share = Float(PanelLayers.share(at: point.x - bounds.x, of: track, scale: scale))
        switch row.control {
        case .slider(_, let range, let isWhole):
            let value = range.lowerBound + (range.upperBound - range.lowerBound) * share
            set(isWhole ? .long(nearest: value) : .float(value), name, row.effect)
        case .channel(let channel, _):
            guard var color = color(name, row.effect) else { return }
            color[channel] = share
            set(.color(color), name, row.effect)
        default: break
        }
    }

    /// Resets all effects to their default values and clears their persistent buffers. The settings
    /// are reset too.
    package func resetAll() {
        for effect in effects {
            effect.reset()
            effect.restart()
        }
        for setting in settings?.settings ?? [] { reset(setting) }
        changeHandler()
    }

    private func resetInput(at point: SIMD2<Double>) -> Bool {
        guard bounds.contains([point.x, point.y]) else { return false }
        if let (row, _) = row(at: point) { resetInput(of: row) }
        return true
    }

    func resetInput(of row: EffectPanelRow) {
        guard let name = row.input else { return }
        if row.effect == Self.settingsIndex {
            if let setting = setting(name) { reset(setting) }
        } else if effects.indices.contains(row.effect),
            let input = effects[row.effect].effect.input(named: name)
        {
            set(input.defaultValue, name, row.effect)
        }
        changeHandler()
    }

    private func setting(_ name: String) -> PanelSetting? {
        settings?.settings.first { $0.name == name }
    }

    private func reset(_ setting: PanelSetting) {
        guard setting.isSettable, setting.value != setting.defaultValue else { return }
        settings?.set(setting.nearest(to: setting.defaultValue), for: setting.name)
    }

    /// Sets an input or a setting. One that no longer exists is ignored.
    func set(_ value: EffectValue, _ name: String, _ index: Int) {
        guard index == Self.settingsIndex else {
            if effects.indices.contains(index) { try? effects[index].set(value, for: name) }
            return
        }
        guard let setting = setting(name), setting.isSettable else { return }
        switch value {
        case .bool(let isOn): settings?.set(isOn ? 1 : 0, for: name)
        case .long(let number): settings?.set(setting.nearest(to: Int(number)), for: name)
        default: break
        }
    }

    /// Returns the value of a colour input.
    func color(_ name: String, _ index: Int) -> SIMD4<Float>? {
        guard effects.indices.contains(index),
            case .color(let color) = effects[index].value(for: name)
        else { return nil }
        return color
    }

    /// Converts a point of the window to a position in the video, where (0, 0) is the video's lower
    /// left corner and (1, 1) its upper right corner.
    private func share(of point: SIMD2<Double>) -> SIMD2<Float> {
        let whole = SIMD2(Double(max(1, size.width)), Double(max(1, size.height)))
        let place = picturePlace(point) ?? point / whole
        return SIMD2(Float(min(max(place.x, 0), 1)), Float(min(max(1 - place.y, 0), 1)))
    }

    /// Sets the input for which a colour was picked, once the pixel has been read.
    func takePickedColor() {
        guard let place = awaitedColor, effects.indices.contains(place.effect) else { return }
        let instance = effects[place.effect]
        guard let read = instance.probe?.readings.first?.value else { return }
        awaitedColor = nil
        set(.color([read.x, read.y, read.z, 1]), place.input, place.effect)
        changeHandler()
    }
}
