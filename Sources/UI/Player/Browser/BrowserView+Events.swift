// SPDX-License-Identifier: Apache-2.0

package import PlayheadWindow

/// Control by keys and the pointer.
extension BrowserView {
    /// Handles an event of the window. Function keys and keys with Control keep their bindings.
    ///
    /// - Parameter pixelRatio: The number of pixels in a screen coordinate.
    /// - Returns: A Boolean value that indicates whether the view handled the event.
    package func handle(_ event: WindowEvent, pixelRatio: Double) -> Bool {
        guard isVisible else { return false }
        func place(_ point: WindowPoint) -> SIMD2<Double> { SIMD2(point.x, point.y) * pixelRatio }
        switch event {
        case .key(let key): return press(key)
        case .text(let scalar): perform(.type(scalar))
        case .pointerMoved(let point): perform(.move(place(point)))
        case .pointerEntered(let isInside):
            if !isInside { perform(.leaveWindow) }
            // The controls follow the pointer too.
            return false
        case .button(let button):
            guard button.isPressed else {
                perform(.release)
                return true
            }
            switch button.button {
            case .left:
                perform(.press(place(button.position), clickCount: button.clickCount))
            case .other(4): perform(.leave)
            default: break
            }
        case .scrolled(let scroll):
            if scroll.y != 0 { perform(.wheel(scroll.y)) }
        default: return false
        }
        return true
    }

    private func press(_ key: KeyEvent) -> Bool {
        let isFunction = key.key != .unknown && (1...25).map(Key.function).contains(key.key)
        let isReload = key.key == .function(5) && key.modifiers.isEmpty
        guard !isFunction || isReload,
            key.modifiers.isDisjoint(with: [.control, .super]), key.key != .pause,
            key.key != .printScreen
        else { return false }
        // The release of a key belongs to its press.
        guard key.action != .release, let event = event(for: key) else {
            if key.action == .press, isReload { reload() }
            return true
        }
        if key.action == .repeat, !event.isRepeatable { return true }
        perform(event)
        return true
    }

    private func event(for key: KeyEvent) -> BrowserModel.Event? {
        if key.modifiers == .alt {
            return key.key == .up || key.key == .left ? .leave : nil
        }
        switch key.key {
        case .left: return .step(.left)
        case .right: return .step(.right)
        case .up: return .step(.up)
        case .down: return .step(.down)
        case .pageUp: return .step(.pageUp)
        case .pageDown: return .step(.pageDown)
        case .home: return .step(.first)
        case .end: return .step(.last)
        case .enter, .keypadEnter: return .open
        case .backspace: return .deleteBackward
        case .escape: return .escape
        default: return nil
        }
    }
}

extension BrowserModel.Event {
    /// A Boolean value that indicates whether a held key repeats the event.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .step: true
        default: false
        }
    }
}
