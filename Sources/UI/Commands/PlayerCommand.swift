// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A command to a player window, from a key, a menu, a script or a socket.
///
/// Commands have mpv's names and text form if mpv has the command:
///
///     let command = try PlayerCommand("seek -60 exact")
///     try window.perform(command)
///
/// - Concurrency: a value; any thread.
/// - Errors: `CommandError` for text that is not a command.
/// - Corresponds to: the commands of mpv's `input.conf`.
package enum PlayerCommand: Sendable, Hashable {
    /// `seek 5`, `seek -60 exact`, `seek 1:00 absolute`.
    case seek(SeekTarget, precision: SeekPrecision = .automatic)
    /// Seeks to the newest part of a live stream.
    case seekLive
    /// Returns to the position before the last seek.
    case revertSeek
    case frameStep
    case frameBackStep
    /// `set speed 1`.
    case set(PlayerProperty, PropertyValue)
    /// `add volume 5`.
    case add(PlayerProperty, Double)
    /// `multiply speed 1.1`.
    case multiply(PlayerProperty, Double)
    /// `cycle pause`, `cycle audio down`.
    case cycle(PlayerProperty, isForward: Bool = true)
    /// `cycle-values video-aspect-override 16:9 4:3`.
    case cycleValues(PlayerProperty, [PropertyValue])
    /// Sets the start of the A-B loop at the first call, sets its end at the second, and clears
    /// both at the third.
    case abLoop
    case loadFile(String, LoadMode = .replace)
    case playlistNext
    case playlistPrevious
    /// Plays the entry at an index of the playlist.
    case playlistPlay(index: Int)
    /// Removes all entries but the current one from the playlist.
    case playlistClear
    /// Removes the entry at an index from the playlist. Nil removes the current entry and plays the
    /// next one.
    case playlistRemove(index: Int?)
    /// Moves an entry of the playlist in front of another, or to the end.
    case playlistMove(from: Int, before: Int)
    /// Shuffles the playlist; the current entry keeps playing.
    case playlistShuffle
    /// Stops playback and keeps the window.
    case stop
    case screenshot(ScreenshotContent = .subtitles)
    case screenshotToFile(String, ScreenshotContent = .subtitles)
    /// Shows text for a duration; nil is the default.
    case showText(String, duration: MediaTime? = nil)
    /// Prints text on the terminal.
    case printText(String)
    /// Shows the position on screen for a moment.
    case showProgress
    /// Shows a page of statistics for some seconds, or until it is toggled off.
    case showStatistics(page: Int? = nil, stays: Bool = false)
    /// Shows or hides the list of keys.
    case showKeys
    case showPlaylist
    case showTracks
    /// Shows or hides the view that trims the file.
    case trim
    /// Shows or hides the folder of the file.
    case browse
    /// Removes all effects.
    case clearEffects
    /// Resets the values and the history of all effects.
    case resetEffects
    /// Adds a subtitle file.
    case subtitleAdd(String)
    /// Seeks by a number of subtitles.
    case subtitleSeek(Int)
    /// Shifts subtitles so that another one shows now.
    case subtitleStep(Int)
    /// A message to the host program: `script-message NAME ARGUMENT …`.
    case message(String, [String])
    /// Performs the binding of a key: `keypress Ctrl+LEFT`.
    case keyPress(KeyChord)
    /// Binds a key to commands until the window is closed.
    case keyBind(KeyChord, CommandSequence)
    /// Quits with an exit status; nil leaves the exit status to the program.
    case quit(status: UInt8? = nil)
    /// Quits and remembers the position.
    case quitWatchLater(status: UInt8? = nil)
    /// Does nothing. Binding a key to it removes the key's binding.
    case ignore

    /// The target of a seek.
    package enum SeekTarget: Sendable, Hashable {
        /// A distance from the current position.
        case relative(MediaTime)
        /// A time from the start, or from the end if negative.
        case absolute(MediaTime)
        /// A distance from the current position, in percent of the duration.
        case relativePercent(Double)
        case percent(Double)
    }

    /// The precision of a seek.
    package enum SeekPrecision: String, Sendable, Hashable {
        /// The default, which is exact.
        case automatic = ""
        case keyframes
        case exact
    }

    /// The change of the playlist when a file is loaded.
    package enum LoadMode: String, Sendable, Hashable, CaseIterable {
        case replace
        case append
        /// Appends the file, and plays it if nothing plays.
        case appendPlay = "append-play"
        /// Inserts the file after the current entry.
        case insertNext = "insert-next"
        /// Inserts the file after the current entry, and plays it if nothing plays.
        case insertNextPlay = "insert-next-play"
    }

    /// The content of a screenshot.
    package enum ScreenshotContent: String, Sendable, Hashable, CaseIterable {
        /// The video at its own size, with subtitles.
        case subtitles
        /// The video at its own size, without subtitles.
        case video
        /// The window.
        case window
    }

    /// A Boolean value that indicates whether holding the key down repeats the command.
    package var isRepeatable: Bool {
        switch self {
        case .seek, .frameStep, .frameBackStep, .add, .multiply, .subtitleStep, .subtitleSeek:
            true
        default: false
        }
    }
}
