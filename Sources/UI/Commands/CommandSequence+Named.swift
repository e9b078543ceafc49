// SPDX-License-Identifier: Apache-2.0

extension CommandSequence.Step {
    /// Creates a command from named arguments, as in a JSON object.
    ///
    ///     try CommandSequence.Step(name: "seek", arguments: ["target": "5", "flags": "exact"])
    ///
    /// - Parameters:
    ///   - arguments: the arguments, by their names in mpv's manual. An argument that the manual
    ///     calls `name` is `property` or `key` here, because `name` is the name of the command.
    ///   - prefixes: command prefixes such as `no-osd`.
    package init(
        name: String, arguments: [String: String], prefixes: [String] = []
    ) throws(CommandError) {
        if let unknown = prefixes.first(where: { !CommandSequence.prefixes.contains($0) }) {
            throw .unknownCommand(unknown)
        }
        guard PlayerCommand.names.contains(name) else { throw .unknownCommand(name) }
        if Self.listed.contains(name) {
            throw .missingArgument(command: name, argument: "its arguments as a list")
        }
        let names = Self.argumentNames[name] ?? []
        if let unknown = arguments.keys.sorted().first(where: { !names.contains($0) }) {
            throw .tooManyArguments(command: name, first: unknown)
        }
        var words = prefixes + [name]
        // Arguments before the last one that is present are required.
        for argument in names.prefix(1 + (names.lastIndex { arguments[$0] != nil } ?? -1)) {
            guard let word = arguments[argument] else {
                throw .missingArgument(command: name, argument: argument)
            }
            words.append(word)
        }
        try self.init(words: words)
    }

    /// The commands that take any number of arguments.
    private static let listed: Set<String> = ["cycle-values", "script-message", "script-binding"]

    /// The argument names of the other commands, in order. Commands that are not listed take no
    /// arguments.
    private static let argumentNames: [String: [String]] = [
        "seek": ["target", "flags"], "set": ["property", "value"], "add": ["property", "value"],
        "multiply": ["property", "value"], "cycle": ["property", "value"],
        "loadfile": ["url", "flags", "index"], "playlist-play-index": ["index"],
        "playlist-remove": ["index"], "playlist-move": ["index1", "index2"],
        "screenshot": ["flags"],
        "screenshot-to-file": ["filename", "flags"], "show-text": ["text", "duration"],
        "print-text": ["text"], "loadlist": ["url", "flags"], "playlist-next": ["flags"],
        "playlist-prev": ["flags"], "stop": ["flags"],
        "show-statistics": ["flags", "page"], "sub-add": ["url"], "sub-seek": ["skip"],
        "sub-step": ["skip"], "quit": ["code"], "quit-watch-later": ["code"],
        "keypress": ["key"], "keybind": ["name", "cmd"],
    ]
}
