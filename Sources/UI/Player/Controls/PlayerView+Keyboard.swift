// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadTime
import PlayheadWindow

/// Keyboard control: Tab moves the focus, Enter or Space uses the focused element, arrows move a
/// slider, and Escape ends the focus.
extension PlayerView {
    /// Handles a key.
    ///
    /// - Returns: A Boolean value that indicates whether the controls handled the key.
    func press(_ event: KeyEvent, at time: MediaTime) -> Bool {
        guard event.action != .release, controlsMode != .never, model.kind != .none else {
            return false
        }
        if event.key == .tab {
            visibility.use(at: time)
            moveFocus(by: event.modifiers.contains(.shift) ? -1 : 1)
            return true
        }
        if state.openMenu != nil { return pressInMenu(event, at: time) }
        // Keys that follow Tab at once arrive before the controls have appeared.
        guard let focused = state.focused, isShown || visibility.isVisible(at: time),
            event.modifiers.isEmpty
        else { return false }
        switch (event.key, focused) {
        case (.escape, _): state.focused = nil
        case (.enter, _) where !focused.isSlider, (.space, _) where !focused.isSlider:
            activate(focused)
            state.hoveredItem = chosenItem
        case (.left, .volumeSlider), (.down, .volumeSlider): setVolume(model.volume - 0.05)
        case (.right, .volumeSlider), (.up, .volumeSlider):
            setVolume(min(1, model.volume + 0.05))
        case (.left, .scrubber): scrub(to: model.progress - keyStep)
        case (.right, .scrubber): scrub(to: model.progress + keyStep)
        default: return false
        }
        visibility.use(at: time)
        return true
    }

    /// The name of the part of the controls that Escape hides; nil if Escape hides nothing.
    package var escapable: String? {
        if state.openMenu != nil { return "menu" }
        return state.focused != nil && isShown ? "controls" : nil
    }

    private func pressInMenu(_ event: KeyEvent, at time: MediaTime) -> Bool {
        guard let kind = state.openMenu, let count = model.menus[kind]?.items.count else {
            return false
        }
        visibility.use(at: time)
        switch event.key {
        case .escape: state.openMenu = nil
        case .up: state.hoveredItem = ((state.hoveredItem ?? count) + count - 1) % count
        case .down: state.hoveredItem = ((state.hoveredItem ?? -1) + 1) % count
        case .home: state.hoveredItem = 0
        case .end: state.hoveredItem = count - 1
        case .enter, .space:
            if let item = state.hoveredItem { choose(item) }
        default: return false
        }
        if let item = state.hoveredItem { reveal(item) }
        return true
    }

    /// The distance that an arrow key moves the scrubber: a hundredth of the duration, but at most
    /// a second.
    private var keyStep: Double { 1 / Double(max(model.total ?? 100, 100)) }

    private func moveFocus(by step: Int) {
        state.openMenu = nil
        let order = layout.focusOrder
        guard !order.isEmpty else { return }
        let index = state.focused.flatMap { order.firstIndex(of: $0) }
        state.focused =
            index.map { order[($0 + step + order.count) % order.count] }
            ?? (step > 0 ? order[0] : order[order.count - 1])
    }
}
