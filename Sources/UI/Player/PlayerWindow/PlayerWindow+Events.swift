// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadPresentation
public import PlayheadWindow

/// The events of the window.
extension PlayerWindow {
    func handle(_ event: WindowEvent) {
        if takesForBrowser(event) { return setNeedsUpdate() }
        // A folder covers the trim view and the effect panel, and so does a page that fills the
        // window with the trim view.
        let isBrowsing = browserView.isVisible
        let isTrimmed = !isBrowsing && !pages.fillsWindow && takesForTrimView(event)
        let isTyped = isTrimmed || !isBrowsing && takesForEffectPanel(event)
        passToShaders(event, isTyped: isTyped || isBrowsing)
        if isTyped { return }
        if scrollsPage(event) { return }
        switch event {
        case .dropped(let paths): dropHandler(paths)
        case .iconifiedChanged(let isIconified): setHidden(isIconified)
        case .monitorsChanged: followMonitors()
        case .closeRequested: if mayQuit() { closeHandler() }
        case .framebufferResized, .contentScaleChanged:
            // Without this update, the old frame is shown at the new size.
            update()
            presenter.surfaceDidResize()
        case .refreshNeeded: presenter.setNeedsDisplay()
        default: break
        }
        guard isOpen else { return }
        // The controls handle events first, then the key bindings.
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        let isTaken = view.handle(event, pixelRatio: ratio)
        if let stroke = keyReader.stroke(event), !isTaken { perform(stroke) }
        switch event {
        case .key, .text, .pointerMoved, .pointerEntered, .button, .scrolled, .fullscreenChanged:
            setNeedsUpdate()
        default: break
        }
    }

    /// Scrolls the list of keys with the wheel and with the usual keys.
    private func scrollsPage(_ event: WindowEvent) -> Bool {
        let line = 40 * window.contentScale
        let page = Double(window.framebufferSize.height) * 0.8
        let distance: Double
        switch event {
        case .scrolled(let scroll): distance = -scroll.y * 2 * line
        case .key(let key) where key.action != .release && key.modifiers.isEmpty:
            switch key.key {
            case .up: distance = -line
            case .down: distance = line
            case .pageUp: distance = -page
            case .pageDown: distance = page
            case .home: distance = -Double.greatestFiniteMagnitude
            case .end: distance = Double.greatestFiniteMagnitude
            default: return false
            }
        default: return false
        }
        guard pages.scroll(by: distance) else { return false }
        setNeedsUpdate()
        return true
    }

    /// Performs the commands that are bound to a key, and shows their errors.
    private func perform(_ stroke: KeyReader.Stroke) {
        if stroke.chords.contains(where: turnPage) { return }
        // A key that is held down does not leave full screen and then the file.
        if !stroke.isRepeat, stroke.chords.contains(where: returnsToBrowser) { return }
        guard let binding = stroke.chords.lazy.compactMap({ self.bindings[$0] }).first,
            binding.commands.isRepeatable || !stroke.isRepeat
        else { return }
        do throws(CommandError) {
            try controller.perform(binding.commands)
        } catch {
            say("\(stroke.chord.title): \(error)")
        }
    }

    /// Performs the commands that are bound to a chord.
    func press(_ chord: KeyChord) throws(CommandError) {
        if turnPage(chord) || returnsToBrowser(chord) { return }
        guard let binding = bindings[chord] else { return }
        // A key can be bound to a command that presses a key.
        guard pressedKeys.insert(chord).inserted else {
            throw .failed("the binding of '\(chord)' presses '\(chord)' again; change the binding")
        }
        defer { pressedKeys.remove(chord) }
        try controller.perform(binding.commands)
    }

    /// Handles the keys of a visible page: Escape hides the page, and digits select a page of
    /// statistics.
    private func turnPage(_ chord: KeyChord) -> Bool {
        guard pages.page != nil, chord.modifiers.isEmpty else { return false }
        if chord.name == "ESC" {
            hideStatistics()
            return true
        }
        guard pages.showsStatistics, let number = Int(chord.name), (1...5).contains(number) else {
            return false
        }
        pages.turn(to: number)
        return true
    }

    /// Returns whether a key closes a window that uses no other keys.
    public nonisolated static func quits(_ event: KeyEvent) -> Bool {
        [KeyChord(event), KeyChord(latinOf: event)].contains { chord in
            chord.flatMap { KeyBindings.standard[$0] }?.commands == CommandSequence(.quit())
        }
    }
}
