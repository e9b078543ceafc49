// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadPresentation
public import PlayheadWindow

/// What happens to the window: keys, pointer, dropped files, and the window's own affairs.
extension PlayerWindow {
    /// The keys, for help texts: what stands in `KeyBindings.standard`.
    public nonisolated static var keyHelp: [(key: String, action: String)] {
        KeyBindings.standard.rows.map { ($0.title, $0.help) }
    }

    func handle(_ event: WindowEvent) {
        switch event {
        case .dropped(let paths): dropHandler(paths)
        case .iconifiedChanged(let isIconified): setHidden(isIconified)
        case .closeRequested: closeHandler()
        case .refreshNeeded, .framebufferResized, .contentScaleChanged:
            presenter.setNeedsDisplay()
        default: break
        }
        if let stroke = keyReader.stroke(event) { perform(stroke) }
    }

    /// Does what a key is bound to, and says what is wrong where it cannot.
    private func perform(_ stroke: KeyReader.Stroke) {
        guard let binding = bindings[stroke.chord],
            binding.commands.isRepeatable || !stroke.isRepeat
        else { return }
        do throws(CommandError) {
            try controller.perform(binding.commands)
        } catch {
            say("\(stroke.chord.title): \(error)")
        }
    }

    /// Whether a key closes the window, for windows that have no more keys than that.
    public nonisolated static func quits(_ event: KeyEvent) -> Bool {
        let chord =
            KeyChord(event).flatMap { KeyBindings.standard[$0] }
        return chord?.commands == CommandSequence(.quit)
    }
}
