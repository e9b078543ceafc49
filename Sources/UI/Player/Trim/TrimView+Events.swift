// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime
public import PlayheadWindow

/// Control by keys and the pointer.
extension TrimView {
    /// Handles an event of the window. Keys that the view does not use keep their bindings.
    ///
    /// - Parameter pixelRatio: The number of pixels in a screen coordinate.
    /// - Returns: A Boolean value that indicates whether the view handled the event.
    public func handle(_ event: WindowEvent, pixelRatio: Double) -> Bool {
        guard isVisible, session != nil else { return false }
        followItem()
        func place(_ point: WindowPoint) -> SIMD2<Double> { SIMD2(point.x, point.y) * pixelRatio }
        switch event {
        case .key(let key): return press(key)
        case .text(let scalar): return type(scalar)
        case .pointerMoved(let point): return move(to: place(point))
        case .button(let button):
            let point = place(button.position)
            guard button.isPressed else { return release() }
            return press(at: point, isLeft: button.button == .left)
        case .scrolled(let scroll): return turnWheel(scroll, at: place(scroll.position))
        default: return false
        }
    }

    // MARK: Keys

    private func press(_ key: KeyEvent) -> Bool {
        guard let event = event(for: key) else { return false }
        // The release of a key belongs to its press.
        guard key.action != .release else { return true }
        if key.action == .repeat {
            switch event {
            case .step, .move, .moveToKeyframe, .undo, .redo: break
            default: return true
            }
        }
        perform(event)
        return true
    }

    private func event(for key: KeyEvent) -> TrimSession.Event? {
        let modifiers = key.modifiers
        switch key.key {
        case .left, .right:
            let isForward = key.key == .right
            switch modifiers {
            case []: return .step(isForward ? 1 : -1)
            case .shift: return .move(seconds: isForward ? 1 : -1)
            case .control: return .moveToKeyframe(isForward: isForward)
            default: return nil
            }
        case .home where modifiers.isEmpty: return .moveToLimit(isEnd: false)
        case .end where modifiers.isEmpty: return .moveToLimit(isEnd: true)
        case .tab where modifiers.isSubset(of: .shift): return .selectOther
        case .escape: return .escape
        case .enter, .keypadEnter:
            if session?.question != nil { return .confirm }
            switch modifiers {
            case []: return .save(.exact)
            case .shift: return .save(.keyframes)
            case .control: return replaceHandler == nil ? nil : .replaceSource
            default: return nil
            }
        case .delete where modifiers.isEmpty:
            guard case .leave = session?.question else { return nil }
            return .discard
        default: break
        }
        guard modifiers.contains(.control), modifiers.isSubset(of: [.control, .shift]) else {
            return nil
        }
        let letter = key.name?.lowercased()
        if letter == "z" || letter == nil && key.key == Key("z") {
            return modifiers.contains(.shift) ? .redo : .undo
        }
        return letter == "y" ? .redo : nil
    }

    private func type(_ scalar: Unicode.Scalar) -> Bool {
        let middle = session.map { $0.place(of: $0.selected) } ?? .zero
        switch scalar {
        case "(": perform(.setAtPlayhead(.start))
        case ")": perform(.setAtPlayhead(.end))
        case "+", "=": perform(.zoom(0.5, around: middle))
        case "-": perform(.zoom(2, around: middle))
        default: return false
        }
        return true
    }

    // MARK: Pointer

    private func press(at point: SIMD2<Double>, isLeft: Bool) -> Bool {
        guard let session, layout.panel.contains(point) else { return false }
        hasPress = true
        guard isLeft else { return true }
        let start = layout.x(of: session.marks.start, in: session.visible)
        let end = layout.x(of: session.marks.end, in: session.visible)
        if let handle = layout.handle(at: point, start: start, end: end) {
            // The edge of the handle, and not its middle, follows the pointer.
            grip = point.x - (handle == .start ? start : end)
            perform(.press(handle))
        } else if layout.track.contains(point) {
            grip = 0
            perform(.pressStrip(layout.time(at: point.x, in: session.visible)))
        }
        return true
    }

    private func move(to point: SIMD2<Double>) -> Bool {
        guard let session, session.drag != nil else { return hasPress }
        perform(.drag(layout.time(at: point.x - grip, in: session.visible)))
        return true
    }

    private func release() -> Bool {
        guard hasPress else { return false }
        hasPress = false
        perform(.release)
        return true
    }

    private func turnWheel(_ scroll: ScrollEvent, at point: SIMD2<Double>) -> Bool {
        guard let session, layout.panel.contains(point) else { return false }
        if scroll.x != 0 { perform(.scroll(-scroll.x * 0.1)) }
        guard scroll.y != 0 else { return true }
        let factor = min(max(1 - scroll.y * 0.2, 0.5), 2)
        perform(.zoom(factor, around: layout.time(at: point.x, in: session.visible)))
        return true
    }
}
