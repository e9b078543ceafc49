// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCommands
import PlayheadEffects
import PlayheadPlayback
import PlayheadWindow

/// The view that shows a folder.
extension PlayerWindow {
    func connectBrowser() {
        browserView.changeHandler = { [weak self] in self?.setNeedsUpdate() }
        browserView.sayHandler = { [weak self] in self?.say($0) }
        browserView.escapeHandler = { [weak self] in
            guard let self else { return }
            if player.currentItem != nil {
                hideBrowser()
            } else if window.isFullscreen {
                window.toggleFullscreen()
            } else {
                try? perform(.quit())
            }
        }
    }

    /// The absolute path of the file that is open; nil if none is.
    private var openPath: String? {
        guard let asset = player.currentItem?.asset as? URLAsset,
            case .file(let path) = asset.location
        else { return nil }
        return ExactPath(path).absolute.text
    }

    /// Ends the file and shows the folder that the player was started with.
    package func returnToBrowser() {
        guard mayLeave(.folder, then: { [weak self] in self?.returnToBrowser() }) else { return }
        endPresses()
        let path = openPath
        try? controller.perform(.stop, isSilent: true)
        resumesAfterBrowsing = false
        // Files that are chosen in a folder one after another share a window of one size.
        keepsAspectRatio = false
        browserView.reload(selecting: path)
        browserView.show()
    }

    /// Shows the folder, and pauses the file; or hides it, and resumes the file.
    ///
    /// - Throws: `CommandError` if the program shows no folders.
    func toggleBrowser() throws(CommandError) {
        if browserView.isVisible {
            // Without a file there is nothing else to show.
            if player.currentItem != nil { hideBrowser() }
            return
        }
        guard browserView.folderReader != nil else {
            throw .failed("this program shows no folders; use 'playhead play'")
        }
        // The end of a drag may resume the file.
        endPresses()
        resumesAfterBrowsing = player.timeControlStatus != .paused
        player.pause()
        let shown = browserView.trail.last.map(ExactPath.init)
        if let folder = browserFolder(), ExactPath(folder) != shown {
            browserView.open(folder, selecting: openPath)
        } else if shown == nil {
            browserView.open(browserView.defaultFolder())
        } else {
            browserView.reload(selecting: openPath)
        }
        browserView.show()
    }

    /// Ends what a button or a key does that is held down, because the folder takes the release.
    private func endPresses() {
        let point = WindowPoint(x: -1, y: -1)
        let release = WindowEvent.button(
            PointerButtonEvent(button: .left, isPressed: false, position: point))
        _ = trimView.handle(release, pixelRatio: 1)
        _ = effectPanel.handle(release, pixelRatio: 1)
        view.endPress()
        for effect in effects { effect.releaseKeys() }
    }

    private func hideBrowser() {
        browserView.hide()
        if resumesAfterBrowsing { player.play() }
        resumesAfterBrowsing = false
    }

    /// Hides the folder if a file has started to play in another way, such as by a media key.
    func updateBrowser() {
        if browserView.isVisible, player.currentItem != nil, player.timeControlStatus != .paused {
            browserView.hide()
        }
    }

    func takesForBrowser(_ event: WindowEvent) -> Bool {
        // A page is above the folder.
        if pages.fillsWindow { return false }
        if pages.page != nil, case .key(let key) = event, key.key == .escape { return false }
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        return browserView.handle(event, pixelRatio: ratio)
    }

    /// Returns from a file to the folder if the key is one that would otherwise leave full screen,
    /// and there is nothing to leave.
    func returnsToBrowser(_ chord: KeyChord) -> Bool {
        guard browserView.isHome, !browserView.isVisible, chord.name == "ESC",
            chord.modifiers.isEmpty, !window.isFullscreen, output == nil,
            // The user may have bound the key to something else.
            bindings[chord]?.commands == KeyBindings.standard[chord]?.commands
        else { return false }
        returnToBrowser()
        return true
    }
}
