// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Something that a player window can be told to do, by a key, a menu, a script or a socket.
///
/// Commands have mpv's names and text form, where mpv has the command:
///
///     let command = try PlayerCommand("seek -60 exact")
///     try window.perform(command)
///
/// - Concurrency: a value; any thread.
/// - Errors: `CommandError` for text that is no command.
/// - Corresponds to: the commands of mpv's `input.conf`.
package enum PlayerCommand: Sendable, Hashable {
    /// `seek 5`, `seek -60 exact`, `seek 1:00 absolute`.
    case seek(SeekTarget, precision: SeekPrecision = .automatic)
    /// Back to where the film was before the last seek.
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
    /// Sets the beginning of a part to repeat, then its end, then ends it.
    case abLoop
    case loadFile(String, LoadMode = .replace)
    case playlistNext
    case playlistPrevious
    /// The film at a place in the playlist, from 0.
    case playlistPlay(index: Int)
    /// Takes all films out of the playlist but the one that plays.
    case playlistClear
    /// Takes a film out of the playlist, that at a place, from 0, or the one that plays: the next is played then.
    case playlistRemove(index: Int?)
    /// Puts a film of the playlist before another; after all others where there is none at that place.
    case playlistMove(from: Int, before: Int)
    /// Brings the playlist into another order by chance; what plays goes on.
    case playlistShuffle
    /// Ends the film; the window stays.
    case stop
    case screenshot(ScreenshotContent = .subtitles)
    case screenshotToFile(String, ScreenshotContent = .subtitles)
    /// Words for a while; nil for the usual time.
    case showText(String, duration: MediaTime? = nil)
    /// Words for the terminal.
    case printText(String)
    /// Time and bar, for a moment.
    case showProgress
    /// A page of statistics for some seconds, or until the next time.
    case showStatistics(page: Int? = nil, stays: Bool = false)
    /// What the keys do, until the next time.
    case showKeys
    case showPlaylist
    case showTracks
    /// Takes all effects away.
    case clearEffects
    /// Everything about effects as it was first: values, and what they remember of former frames.
    case resetEffects
    /// Adds a file of subtitles.
    case subtitleAdd(String)
    /// Seeks to the subtitle before or after, by their count.
    case subtitleSeek(Int)
    /// Moves subtitles so that the one before or after is seen now.
    case subtitleStep(Int)
    /// Something that a program has added: `script-message NAME ARGUMENT …`.
    case message(String, [String])
    /// What a key is bound to: `keypress Ctrl+LEFT`.
    case keyPress(KeyChord)
    /// Has a key do something else than before, as long as the window is there.
    case keyBind(KeyChord, CommandSequence)
    /// Ends; with a status for the program, from 0 to 255, or with its own.
    case quit(status: UInt8? = nil)
    /// Ends, remembering where the film was.
    case quitWatchLater(status: UInt8? = nil)
    /// Nothing: what a key is bound to that is to do nothing.
    case ignore

    /// Where a seek leads.
    package enum SeekTarget: Sendable, Hashable {
        /// From where the film is.
        case relative(MediaTime)
        /// From the beginning; what is negative, from the end.
        case absolute(MediaTime)
        /// From where the film is, in percent of its duration.
        case relativePercent(Double)
        case percent(Double)
    }

    /// Which picture a seek lands on.
    package enum SeekPrecision: String, Sendable, Hashable {
        /// Exactly, but where that would take long and nobody can tell.
        case automatic = ""
        case keyframes
        case exact
    }

    /// What becomes of the film that plays.
    package enum LoadMode: String, Sendable, Hashable, CaseIterable {
        case replace
        case append
        /// Appends, and plays if nothing does.
        case appendPlay = "append-play"
        /// Puts it behind the film that plays.
        case insertNext = "insert-next"
        /// The same, and plays if nothing does.
        case insertNextPlay = "insert-next-play"
    }

    /// What a screenshot shows.
    package enum ScreenshotContent: String, Sendable, Hashable, CaseIterable {
        /// The film in its own size, with subtitles.
        case subtitles
        /// The film in its own size, without.
        case video
        /// The window as it is.
        case window
    }

    /// Whether holding its key down does it again and again.
    package var isRepeatable: Bool {
        switch self {
        case .seek, .frameStep, .frameBackStep, .add, .multiply, .subtitleStep, .subtitleSeek:
            true
        default: false
        }
    }
}
