// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAuthoring
public import PlayheadCommands
import PlayheadControls
import PlayheadEffects
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
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
        controller.addPerformer { [weak self] (command) throws(CommandError) in
            guard let self else { return false }
            defer { setNeedsUpdate() }
            return try performItself(command)
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
            PropertyAccess(get: { [weak self] in
                guard let effects = self?.effects, !effects.isEmpty else { return nil }
                return .flag(effects.contains { $0.isEnabled })
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
        case .showStatistics(let page, let stays): showStatistics(page ?? 1, stays: stays)
        case .showKeys: pages.toggle(.keys)
        case .showPlaylist: pages.toggle(.playlist, stays: false)
        case .showTracks: pages.toggle(.tracks, stays: false)
        case .resetEffects: try resetEffects()
        default: return false
        }
        return true
    }

    private func resetEffects() throws(CommandError) {
        guard !effects.isEmpty else { throw .unavailable(.effects) }
        effectPanel.resetAll()
        say("Effects as they were first")
    }

    private func takeScreenshot(
        _ content: PlayerCommand.ScreenshotContent, path: String?
    ) throws(CommandError) {
        guard let handler = screenshotHandler else { throw .unsupported("screenshot") }
        let size = player.currentItem?.presentationSize ?? .zero
        let (width, height) = (Int(size.width.rounded()), Int(size.height.rounded()))
        let image =
            content == .window || width < 1 || height < 1
            ? presenter.image()
            : presenter.image(
                of: view.filmScene(
                    width: width, height: height, hasSubtitles: content == .subtitles),
                width: width, height: height)
        if let image { handler(image, path) }
    }
}
