// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadPresentation
public import PlayheadWindow

/// What happens to the window: keys, pointer, dropped files, and the window's own affairs.
extension PlayerWindow {
    /// The keys, for help texts: what stands in `KeyBindings.standard`.
    package nonisolated static var keyHelp: [(key: String, action: String)] {
        KeyBindings.standard.rows.map { ($0.title, $0.help) }
    }

    func handle(_ event: WindowEvent) {
        if takesForEffectPanel(event) { return }
        switch event {
        case .dropped(let paths): dropHandler(paths)
        case .iconifiedChanged(let isIconified): setHidden(isIconified)
        case .monitorsChanged: followMonitors()
        case .closeRequested: closeHandler()
        case .framebufferResized, .contentScaleChanged:
            // At once, or the old picture would be seen in the new size.
            update()
            presenter.surfaceDidResize()
        case .refreshNeeded: presenter.setNeedsDisplay()
        default: break
        }
        guard isOpen else { return }
        // The controls first; then what is bound to it.
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        let isTaken = view.handle(event, pixelRatio: ratio)
        if let stroke = keyReader.stroke(event), !isTaken { perform(stroke) }
        switch event {
        case .key, .text, .pointerMoved, .pointerEntered, .button, .scrolled, .fullscreenChanged:
            setNeedsUpdate()
        default: break
        }
    }

    /// Does what a key is bound to, and says what is wrong where it cannot.
    private func perform(_ stroke: KeyReader.Stroke) {
        if stroke.chords.contains(where: turnPage) { return }
        guard let binding = stroke.chords.lazy.compactMap({ self.bindings[$0] }).first,
            binding.commands.isRepeatable || !stroke.isRepeat
        else { return }
        do throws(CommandError) {
            try controller.perform(binding.commands)
        } catch {
            say("\(stroke.chord.title): \(error)")
        }
    }

    /// Does what a key is bound to, without anybody who presses it.
    func press(_ chord: KeyChord) throws(CommandError) {
        if turnPage(chord) { return }
        guard let binding = bindings[chord] else { return }
        // One may be bound to pressing another.
        guard pressedKeys.insert(chord).inserted else { throw .failed("'\(chord)' presses itself") }
        defer { pressedKeys.remove(chord) }
        try controller.perform(binding.commands)
    }

    /// What keys do to the page that is seen: Escape takes it away, digits turn statistics.
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

    /// Whether a key closes the window, for windows that have no more keys than that.
    public nonisolated static func quits(_ event: KeyEvent) -> Bool {
        [KeyChord(event), KeyChord(latinOf: event)].contains { chord in
            chord.flatMap { KeyBindings.standard[$0] }?.commands == CommandSequence(.quit())
        }
    }
}
