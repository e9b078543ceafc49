// SPDX-License-Identifier: Apache-2.0

public import PlayheadCommands
import PlayheadDisplay
import PlayheadEffects
import PlayheadPlayback
import PlayheadPresentation
import PlayheadTime
import PlayheadWindow

/// The commands and properties that take a window.
extension PlayerWindow {
    /// Performs a command as a key would.
    ///
    /// - Throws: `CommandError`.
    public func perform(_ command: PlayerCommand) throws(CommandError) {
        try controller.perform(command)
    }

    /// Plays, or pauses.
    public func togglePlaying() { try? controller.perform(.cycle(.pause)) }

    func provideWindow() {
        controller.feedbackHandler = { [weak self] in self?.show($0) }
        controller.addPerformer { [weak self] (command) throws(CommandError) in
            try self?.performItself(command) ?? false
        }
        controller.provide(
            .fullscreen,
            PropertyAccess(get: { [window] in .flag(window.isFullscreen) }) { [window] value in
                guard value.isTrue != window.isFullscreen else { return }
                window.toggleFullscreen()
            })
        controller.provide(
            .isOnTop,
            PropertyAccess(get: { [window] in .flag(window.isFloating) }) { [window] value in
                window.isFloating = value.isTrue
            })
        controller.provide(
            .effects,
            PropertyAccess(get: { [effects] in
                effects.isEmpty ? nil : .flag(!effects.allSatisfy { !$0.isEnabled })
            }) { [weak self] (value) throws(CommandError) in
                guard let self, !self.effects.isEmpty else { throw .unavailable(.effects) }
                for effect in self.effects { effect.isEnabled = value.isTrue }
                presenter.setNeedsDisplay()
            })
    }

    private func performItself(_ command: PlayerCommand) throws(CommandError) -> Bool {
        switch command {
        case .quit, .quitWatchLater: closeHandler()
        case .loadFile(let path, .replace): dropHandler([path])
        case .screenshot(let content): try takeScreenshot(content, path: nil)
        case .screenshotToFile(let path, let content): try takeScreenshot(content, path: path)
        case .showStatistics: toggleStatistics()
        default: return false
        }
        return true
    }

    private func takeScreenshot(
        _ content: PlayerCommand.ScreenshotContent, path: String?
    ) throws(CommandError) {
        guard let handler = screenshotHandler else { throw .unsupported("screenshot") }
        guard let image = presenter.image() else { return }
        handler(image, path)
    }

    /// Tells what was done.
    private func show(_ feedback: PlayerFeedback) {
        switch feedback {
        case .text(let text, _), .level(let text, _): say(text)
        case .progress:
            guard let item = player.currentItem else { return }
            let total =
                item.duration.isNumeric
                ? " / \(PlayerController.clock(item.duration))" : ""
            say(PlayerController.clock(item.currentTime) + total)
        }
    }
}
