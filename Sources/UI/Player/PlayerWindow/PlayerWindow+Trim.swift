// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadCommands
import PlayheadPlayback
import PlayheadTime
import PlayheadWindow

/// The view that trims the file.
extension PlayerWindow {
    func connectTrimView() {
        trimView.changeHandler = { [weak self] in self?.setNeedsUpdate() }
        trimView.replaceHandler = { [weak self] path in
            guard let self else { return }
            trimView.close()
            if let playlist = controller.playlist {
                playlist.reopen()
            } else {
                try? perform(.loadFile(path))
            }
        }
    }

    /// Asks before quitting if a part is marked that has not been saved.
    ///
    /// - Parameter command: The command that is performed if the user has the part saved.
    /// - Returns: A Boolean value that indicates whether the program may quit now. A second request
    ///   may.
    package func mayQuit(by command: PlayerCommand = .quit()) -> Bool {
        mayLeave(.quit) { [weak self] in try? self?.perform(command) }
    }

    /// Asks before another file is opened if a part is marked that has not been saved.
    ///
    /// - Parameter handler: A function that opens the other file. It is called later if the user
    ///   has the part saved.
    /// - Returns: A Boolean value that indicates whether the other file may be opened now. A second
    ///   request may.
    package func mayLeaveFile(then handler: @escaping @MainActor () -> Void) -> Bool {
        mayLeave(.otherFile, then: handler)
    }

    /// Asks before a command is performed that leaves the file.
    ///
    /// - Returns: A Boolean value that indicates whether the command may be performed now.
    func mayPerform(_ command: PlayerCommand) -> Bool {
        guard leavesFile(command) else { return true }
        return mayLeaveFile { [weak self] in try? self?.perform(command) }
    }

    /// Asks before the file is left if something would be lost.
    func mayLeave(
        _ leaving: TrimSession.Leaving, then handler: @escaping @MainActor () -> Void
    ) -> Bool {
        let mayLeave = trimView.mayLeave(leaving, then: handler)
        if !mayLeave {
            // A page or a folder would hide the question.
            hideStatistics()
            browserView.hide()
            setNeedsUpdate()
        } else if leaving != .quit, trimView.hasUnsavedWork {
            // A command that leaves the file in several steps is not asked about again.
            sayDiscarded()
            trimView.close()
        }
        return mayLeave
    }

    private func sayDiscarded() {
        say(
            trimView.hasUnsavedMarks
                ? "The marks of the last file are discarded" : "Saving was cancelled")
    }

    /// Returns whether a command of the playlist replaces or removes the current item.
    private func leavesFile(_ command: PlayerCommand) -> Bool {
        let playlist = controller.playlist
        func hasEntry(_ offset: Int) -> Bool {
            guard let playlist else {
                return offset > 0 && (player as? QueuePlayer)?.items.count ?? 0 > 1
            }
            return playlist.isRepeated
                || playlist.files.indices.contains((playlist.position ?? -1) + offset)
        }
        switch command {
        case .stop: return true
        case .playlistNext: return hasEntry(1)
        case .playlistPrevious: return hasEntry(-1)
        case .playlistPlay(let index): return playlist?.files.indices.contains(index) ?? false
        case .playlistRemove(let index):
            return playlist != nil && (index == nil || index == playlist?.position)
        case .loadFile(_, .appendPlay), .loadFile(_, .insertNextPlay):
            return player.currentItem?.hasPlayedToEnd ?? true
        default: return false
        }
    }

    /// Shows or hides the trim view.
    ///
    /// - Throws: `CommandError` if what plays is not a video in a file.
    func toggleTrimView() throws(CommandError) {
        if trimView.isVisible { return trimView.hide() }
        guard let item = player.currentItem, item.status == .readyToPlay else {
            throw .failed("no file is open to trim; open a video")
        }
        do throws(MediaError) {
            try trimView.open(item)
        } catch {
            throw .failed(error.description)
        }
        player.pause()
    }

    /// Follows the item.
    func updateTrimView() {
        guard trimView.session != nil else { return }
        guard let item = player.currentItem, trimView.isOpen(for: item.asset) else {
            if trimView.hasUnsavedWork { sayDiscarded() }
            return trimView.close()
        }
        trimView.item = item
    }

    func takesForTrimView(_ event: WindowEvent) -> Bool {
        // Escape hides a page before the view below it.
        if pages.page != nil, case .key(let key) = event, key.key == .escape { return false }
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        return trimView.handle(event, pixelRatio: ratio)
    }
}
