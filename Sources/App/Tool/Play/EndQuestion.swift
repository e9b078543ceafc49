// SPDX-License-Identifier: Apache-2.0

/// Decides what is asked when a file with unsaved marks has played to its end. It is asked once, so
/// that the user can refuse; the file then stays open.
struct EndQuestion {
    /// The state of the player.
    struct State {
        /// A Boolean value that indicates whether the file is held at its end.
        var hasEnded: Bool
        /// A Boolean value that indicates whether the trim view is visible. If so, the file stays
        /// open without a question.
        var isTrimming: Bool
        /// A Boolean value that indicates whether another file follows.
        var hasNext: Bool
        /// A Boolean value that indicates whether a folder is shown after the last file.
        var hasFolder: Bool
        /// A Boolean value that indicates whether the last frame of the last file stays visible.
        var isIdle: Bool
    }

    /// The thing that follows the file.
    enum Next {
        case nextFile, folder, quit
    }

    private var isAsked = false

    /// Returns what to ask about; nil if nothing is to be asked.
    mutating func next(_ state: State) -> Next? {
        guard state.hasEnded else {
            isAsked = false
            return nil
        }
        guard !isAsked, !state.isTrimming, state.hasNext || !state.isIdle else { return nil }
        isAsked = true
        return state.hasNext ? .nextFile : state.hasFolder ? .folder : .quit
    }
}
