// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadCommands
import PlayheadDisplay
import PlayheadEffects
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadWindow

/// The commands and properties that need a window.
extension PlayerWindow {
    /// Performs a command in the way that a key does.
    ///
    /// - Throws: `CommandError`.
    package func perform(_ command: PlayerCommand) throws(CommandError) {
        try controller.perform(command)
    }

    /// Plays if playback is paused, and pauses otherwise.
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
        controller.provide(.windowScale, windowScale)
        provideFacts()
        controller.provide(
            .page, PropertyAccess(get: { [weak self] in .text(self?.uppermost ?? "no") }))
        controller.provide(
            .objectCount,
            PropertyAccess(get: { [weak self] in
                // The render thread answers later. The next request returns this answer.
                self?.askRenderer()
                return (self?.rendererState?.objectCounts.values.reduce(0, +)).map {
                    .number(Double($0))
                }
            }))
        controller.provide(
            .effects,
            PropertyAccess(get: { [weak self] in
                guard let effects = self?.effects, !effects.isEmpty else { return nil }
                return .flag(effects.contains { $0.isEnabled })
            }) { [weak self] (value) throws(CommandError) in
                guard let self, !self.effects.isEmpty else { throw .unavailable(.effects) }
                for effect in self.effects { effect.isEnabled = value.isTrue }
                presenter.setNeedsDisplay()
                output?.setNeedsDisplay()
            })
    }

    /// Provides the properties of the window and its monitor.
    private func provideFacts() {
        func fact(
            _ property: PlayerProperty,
            _ body: @escaping @MainActor (PlayerWindow) -> PropertyValue?
        ) {
            controller.provide(
                property,
                PropertyAccess(get: { [weak self] in
                    guard let self, window.isOpen else { return nil }
                    return body(self)
                }))
        }
        fact(.windowWidth) { .number(Double($0.window.framebufferSize.width)) }
        fact(.windowHeight) { .number(Double($0.window.framebufferSize.height)) }
        fact(.windowDimensions) { .map($0.dimensions) }
        fact(.isMinimized) { .flag($0.window.isIconified) }
        fact(.isFocused) { .flag($0.window.isFocused) }
        fact(.displayNames) { .list($0.window.monitor.map { [.text($0.name)] } ?? []) }
        fact(.displayFrameRate) { ($0.window.monitor?.refreshRate).map { .number(Double($0)) } }
        fact(.displayWidth) { ($0.window.monitor?.size.width).map { .number(Double($0)) } }
        fact(.displayHeight) { ($0.window.monitor?.size.height).map { .number(Double($0)) } }
        fact(.droppedFrameCount) { .number(Double($0.presenter.ledger.droppedCount)) }
        fact(.drawnFrameCount) { .number(Double($0.presenter.ledger.drawnCount)) }
        fact(.missedVsyncCount) { .number(Double($0.presenter.ledger.missedVsyncCount)) }
    }

    /// The size of the window and the distances of the video from its edges, with the field names
    /// of mpv's `osd-dimensions`.
    private var dimensions: [String: PropertyValue] {
        let (size, picture) = (window.framebufferSize, view.pictureRect)
        let (width, height) = (Double(size.width), Double(size.height))
        return [
            "w": .number(width), "h": .number(height), "par": .number(1),
            "aspect": .number(height > 0 ? width / height : 0),
            "ml": .number(picture.x.rounded()), "mt": .number(picture.y.rounded()),
            "mr": .number((width - picture.x - picture.width).rounded()),
            "mb": .number((height - picture.y - picture.height).rounded()),
        ]
    }

    private func performItself(_ command: PlayerCommand) throws(CommandError) -> Bool {
        switch command {
        case .quit, .quitWatchLater: if mayQuit(by: command) { closeHandler() }
        case .keyPress(let chord): try press(chord)
        case .keyBind(let chord, let commands): bind(chord, to: commands)
        case .loadFile(let path, .replace): dropHandler([path])
        case .screenshot(let content): try takeScreenshot(content, path: nil)
        case .screenshotToFile(let path, let content): try takeScreenshot(content, path: path)
        case .showStatistics(let page, let stays): showStatistics(page ?? 1, stays: stays)
        case .showKeys: pages.toggle(.keys)
        case .showPlaylist: pages.toggle(.playlist, stays: false)
        case .showTracks: pages.toggle(.tracks, stays: false)
        case .trim: try toggleTrimView()
        case .browse: try toggleBrowser()
        case .clearEffects:
            guard !effects.isEmpty else { throw .unavailable(.effects) }
            effects = []
            say("Effects removed")
        case .resetEffects: try resetEffects()
        default: return !mayPerform(command)
        }
        return true
    }

    private func bind(_ chord: KeyChord, to commands: CommandSequence) {
        if commands.steps.map(\.command) == [.ignore] {
            bindings.unbind(chord)
        } else {
            bindings.bind(KeyBinding([chord], commands, help: commands.description))
        }
    }

    /// The size of the window as a multiple of the video's size.
    private var windowScale: PropertyAccess {
        PropertyAccess(get: { [weak self] in
            guard let self, let film = player.currentItem?.presentationSize, film != .zero,
                !window.isFullscreen
            else { return nil }
            let size = view.pictureSettings.turned(width: film.width, height: film.height)
            return .number(
                min(
                    Double(window.framebufferSize.width) / size.width,
                    Double(window.framebufferSize.height) / size.height))
        }) { [weak self] (value) throws(CommandError) in
            guard let self, let film = player.currentItem?.presentationSize, film != .zero,
                !window.isFullscreen, let scale = value.number
            else { throw .unavailable(.windowScale) }
            let size = view.pictureSettings.turned(width: film.width, height: film.height)
            // On high-density displays, a screen coordinate is more than one pixel.
            let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
            // The window is limited to the size of the monitor, so that the controls stay
            // reachable.
            let monitor = window.monitor?.size ?? WindowSize(width: 1920, height: 1080)
            let most = min(
                Double(monitor.width) * ratio / size.width,
                Double(monitor.height) * ratio / size.height)
            window.size = WindowSize(
                width: Int((size.width * min(scale, most) / ratio).rounded()),
                height: Int((size.height * min(scale, most) / ratio).rounded())
            ).grown(to: .least)
        }
    }

    /// The part of the window that the next Escape hides; nil if the next Escape leaves full
    /// screen.
    private var uppermost: String? {
        if effectPanel.isEscapable { return "effects" }
        if browserView.isVisible {
            let isFirst = window.isFullscreen && player.currentItem == nil
            return pages.page?.name ?? (isFirst ? nil : "folder")
        }
        return view.escapable ?? pages.page?.name ?? (trimView.isVisible ? "trim" : nil)
    }

    private func resetEffects() throws(CommandError) {
        guard !effects.isEmpty else { throw .unavailable(.effects) }
        effectPanel.resetAll()
        say("Effects reset")
    }

    private func takeScreenshot(
        _ content: PlayerCommand.ScreenshotContent, path: String?
    ) throws(CommandError) {
        guard let handler = screenshotHandler else { throw .unsupported("screenshot") }
        let film = player.currentItem?.presentationSize ?? .zero
        let size = view.pictureSettings.turned(width: film.width, height: film.height)
        let (width, height) = (Int(size.width.rounded()), Int(size.height.rounded()))
        let image =
            content == .window || width < 1 || height < 1
            ? presenter.image()
            : presenter.image(
                of: view.filmScene(
                    width: width, height: height, hasSubtitles: content == .subtitles),
                width: width, height: height)
        guard let image else { throw .failed("there is no frame to capture") }
        do {
            try handler(image, path)
        } catch {
            throw .failed("\(error)")
        }
    }
}
