// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

extension PlayerCommand {
    /// Parses one command.
    ///
    /// - Throws: `CommandError` if the text is invalid, or contains no command or several.
    package init(_ text: String) throws(CommandError) {
        let commands = try CommandWords.split(text)
        guard commands.count == 1 else { throw .unknownCommand(text) }
        try self.init(words: commands[0])
    }

    /// Creates a command from its words, as in a JSON array.
    ///
    /// - Precondition: there is at least one word.
    package init(words: [String]) throws(CommandError) {
        try self.init(words: words, expandsProperties: false)
    }

    /// Creates a command from its words.
    ///
    /// - Parameter expandsProperties: whether values may contain `${property}`. If so, they are
    ///   parsed after the expansion.
    init(words: [String], expandsProperties: Bool) throws(CommandError) {
        precondition(!words.isEmpty, "a command has a name")
        var arguments = CommandArguments(words, expandsProperties: expandsProperties)
        guard let reader = Self.readers[words[0]] else { throw .unknownCommand(words[0]) }
        self = try reader(&arguments)
        try arguments.end()
    }

    /// The names of all commands.
    package static let names: [String] = readers.keys.sorted()

    private typealias Reader =
        @Sendable (inout CommandArguments) throws(CommandError) -> PlayerCommand

    /// The parsers of the arguments, by the name of the command. The names are mpv's if mpv has the
    /// command.
    private static let readers: [String: Reader] = [
        "seek": { (words) throws(CommandError) in try seek(&words) },
        "seek-live": { (_) throws(CommandError) in .seekLive },
        "revert-seek": { (_) throws(CommandError) in .revertSeek },
        "frame-step": { (_) throws(CommandError) in .frameStep },
        "frame-back-step": { (_) throws(CommandError) in .frameBackStep },
        "set": { (words) throws(CommandError) in
            let property = try words.property(isSet: true)
            return .set(property, try words.value(of: property))
        },
        "add": { (words) throws(CommandError) in
            .add(try words.property(isSet: true), try words.optionalNumber("amount") ?? 1)
        },
        "multiply": { (words) throws(CommandError) in
            .multiply(try words.property(isSet: true), try words.number("factor"))
        },
        "cycle": { (words) throws(CommandError) in
            let property = try words.property(isSet: true)
            return .cycle(
                property, isForward: try words.choice("direction", ["up", "down"]) != "down")
        },
        "cycle-values": { (words) throws(CommandError) in
            let property = try words.property(isSet: true)
            var values = [try words.value(of: property)]
            while words.hasMore { values.append(try words.value(of: property)) }
            return .cycleValues(property, values)
        },
        "ab-loop": { (_) throws(CommandError) in .abLoop },
        "loadfile": { (words) throws(CommandError) in
            let path = try words.word("a path or URL")
            let mode = try words.choice("mode") ?? PlayerCommand.LoadMode.replace
            // mpv's index argument, which these modes ignore.
            _ = try words.optionalInteger("index")
            return .loadFile(path, mode)
        },
        // `loadfile` opens playlists too.
        "loadlist": { (words) throws(CommandError) in
            .loadFile(try words.word("a path or URL"), try words.choice("mode") ?? .replace)
        },
        // Programs written for mpv pass a flag. It is ignored.
        "playlist-next": { (words) throws(CommandError) in
            _ = try words.choice("flag", ["weak", "force"])
            return .playlistNext
        },
        "playlist-prev": { (words) throws(CommandError) in
            _ = try words.choice("flag", ["weak", "force"])
            return .playlistPrevious
        },
        "playlist-play-index": { (words) throws(CommandError) in
            .playlistPlay(index: try words.integer("index"))
        },
        "playlist-clear": { (_) throws(CommandError) in .playlistClear },
        "playlist-remove": { (words) throws(CommandError) in
            .playlistRemove(index: try words.integer("index", unless: "current"))
        },
        "playlist-move": { (words) throws(CommandError) in
            .playlistMove(from: try words.integer("index"), before: try words.integer("index"))
        },
        "playlist-shuffle": { (_) throws(CommandError) in .playlistShuffle },
        "stop": { (words) throws(CommandError) in
            _ = try words.choice("flag", ["keep-playlist"])
            return .stop
        },
        "screenshot": { (words) throws(CommandError) in
            .screenshot(try words.choice("content") ?? .subtitles)
        },
        "screenshot-to-file": { (words) throws(CommandError) in
            .screenshotToFile(
                try words.word("a path"), try words.choice("content") ?? .subtitles)
        },
        "show-text": { (words) throws(CommandError) in try showText(&words) },
        "print-text": { (words) throws(CommandError) in .printText(try words.word("words")) },
        "show-progress": { (_) throws(CommandError) in .showProgress },
        "show-statistics": { (words) throws(CommandError) in
            let stays = try words.choice("how long", ["once", "stays"]) == "stays"
            return .showStatistics(page: try words.optionalInteger("page"), stays: stays)
        },
        "show-keys": { (_) throws(CommandError) in .showKeys },
        "show-playlist": { (_) throws(CommandError) in .showPlaylist },
        "show-tracks": { (_) throws(CommandError) in .showTracks },
        "trim": { (_) throws(CommandError) in .trim },
        "browse": { (_) throws(CommandError) in .browse },
        "reset-effects": { (_) throws(CommandError) in .resetEffects },
        "script-binding": { (words) throws(CommandError) in try scriptBinding(&words) },
        "script-message": { (words) throws(CommandError) in
            .message(try words.word("a name"), words.rest())
        },
        "clear-effects": { (_) throws(CommandError) in .clearEffects },
        "sub-add": { (words) throws(CommandError) in .subtitleAdd(try words.word("a path")) },
        "sub-seek": { (words) throws(CommandError) in .subtitleSeek(try words.integer("count")) },
        "sub-step": { (words) throws(CommandError) in .subtitleStep(try words.integer("count")) },
        "keypress": { (words) throws(CommandError) in
            .keyPress(try KeyChord(try words.word("a key")))
        },
        "keybind": { (words) throws(CommandError) in
            .keyBind(
                try KeyChord(try words.word("a key")),
                try CommandSequence(try words.word("commands")))
        },
        "quit": { (words) throws(CommandError) in .quit(status: try words.exitStatus()) },
        "quit-watch-later": { (words) throws(CommandError) in
            .quitWatchLater(status: try words.exitStatus())
        },
        "ignore": { (_) throws(CommandError) in .ignore },
    ]

    /// `seek TARGET [FLAG[+FLAG] …]`.
    private static func seek(
        _ words: inout CommandArguments
    ) throws(CommandError) -> PlayerCommand {
        let target = try words.word("a time")
        var kind = "relative"
        var precision = SeekPrecision.automatic
        for flag in words.rest().flatMap({ $0.split(separator: "+").map(String.init) }) {
            switch flag {
            case "relative", "absolute", "relative-percent", "absolute-percent": kind = flag
            case "exact", "keyframes": precision = SeekPrecision(rawValue: flag) ?? .automatic
            default:
                throw .wrongValue(
                    argument: "flag", value: flag,
                    expected: "relative, absolute, relative-percent, absolute-percent, exact or "
                        + "keyframes")
            }
        }
        if kind.hasSuffix("percent") {
            guard let percent = Double(target), percent.isFinite else {
                throw .wrongValue(argument: "target", value: target, expected: "a number")
            }
            return .seek(
                kind == "relative-percent" ? .relativePercent(percent) : .percent(percent),
                precision: precision)
        }
        guard let time = CommandTime.parse(target) else {
            throw .wrongValue(
                argument: "target", value: target, expected: "a time such as 5, -60 or 1:02:03")
        }
        return .seek(kind == "absolute" ? .absolute(time) : .relative(time), precision: precision)
    }

    private static func showText(
        _ words: inout CommandArguments
    ) throws(CommandError) -> PlayerCommand {
        let text = try words.word("words")
        // mpv's default bindings show its lists this way.
        if text == "${playlist}" { return .showPlaylist }
        if text == "${track-list}" { return .showTracks }
        let milliseconds = try words.optionalInteger("duration")
        // As in mpv, the third argument is a level. It has no effect.
        _ = try words.optionalInteger("level")
        return .showText(
            text,
            // As in mpv, -1 is the default duration.
            duration: milliseconds.flatMap { $0 == -1 ? nil : $0 }.map {
                MediaTime(value: Int64(max(0, $0)), timescale: 1000)
            })
    }

    /// Parses a call of mpv's statistics script, which mpv's default bindings contain.
    private static func scriptBinding(
        _ words: inout CommandArguments
    ) throws(CommandError) -> PlayerCommand {
        let name = try words.word("a name")
        switch name {
        case "stats/display-stats": return .showStatistics()
        case "stats/display-stats-toggle": return .showStatistics(stays: true)
        case "stats/display-page-4": return .showKeys
        default: throw .unsupported("script-binding \(name)")
        }
    }
}
