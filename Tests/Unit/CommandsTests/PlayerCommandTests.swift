// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadTime
import Testing

@Suite struct PlayerCommandTests {
    @Test(arguments: [
        ("seek 5", PlayerCommand.seek(.relative(MediaTime(value: 5, timescale: 1)))),
        (
            "seek -60 exact",
            .seek(.relative(MediaTime(value: -60, timescale: 1)), precision: .exact)
        ),
        (
            "seek 1:02.5 absolute+keyframes",
            .seek(.absolute(MediaTime(value: 625, timescale: 10)), precision: .keyframes)
        ),
        ("seek 50 absolute-percent", .seek(.percent(50))),
        ("frame-step", .frameStep), ("frame-back-step", .frameBackStep),
        ("cycle pause", .cycle(.pause)), ("cycle audio", .cycle(.audioTrack)),
        ("cycle sub down", .cycle(.subtitleTrack, isForward: false)),
        ("add volume 5", .add(.volume, 5)), ("add chapter -1", .add(.chapter, -1)),
        ("add sub-delay 0.1", .add(.subtitleDelay, 0.1)),
        ("set speed 1.0", .set(.speed, .number(1))),
        ("multiply speed 1/1.1", .multiply(.speed, 1 / 1.1)),
        ("ab-loop", .abLoop), ("screenshot", .screenshot()),
        ("screenshot window", .screenshot(.window)),
        (
            "cycle-values loop-file inf no",
            .cycleValues(.loopFile, [.text("inf"), .text("no")])
        ),
        ("script-binding stats/display-stats-toggle", .showStatistics(stays: true)),
        (
            "show-text \"a \\\"b\\\" ; c\" 500",
            .showText(
                "a \"b\" ; c", duration: MediaTime(value: 1, timescale: 2))
        ),
        ("script-message hello 'to you'", .message("hello", ["to you"])),
        ("quit", .quit()), ("playlist-clear", .playlistClear),
        ("playlist-remove 2", .playlistRemove(index: 2)),
        ("playlist-remove current", .playlistRemove(index: nil)),
        ("playlist-move 3 0", .playlistMove(from: 3, before: 0)),
        ("playlist-shuffle", .playlistShuffle),
    ])
    func `mpv's text is read`(text: String, command: PlayerCommand) throws {
        #expect(try PlayerCommand(text) == command)
    }

    @Test func `what a command prints is read as the same command`() throws {
        for row in KeyBindings.standard.rows {
            #expect(try CommandSequence(row.commands.description) == row.commands)
        }
        let odd = [
            PlayerCommand.loadFile("a film; \"with\" \\ everything #1.mp4", .append),
            .showText("two\nlines"), .showText(""), .message("#", ["", "'"]),
            .showStatistics(page: 3), .set(.loopStart, .no),
        ]
        for command in odd { #expect(try PlayerCommand(command.description) == command) }
        for text in [
            "quit 4", "quit-watch-later 0", "quit", "keypress Ctrl+LEFT", "keypress q",
            "playlist-remove current", "playlist-remove 1", "playlist-move 0 2",
            "keybind F5 \"seek 5; show-text ${path}\"", "keybind q ignore",
        ] {
            #expect(try PlayerCommand(text).description == text)
        }
        for text in [
            "keybind F5", "keybind nonsense quit", "keybind F5 nonsense", "quit 256", "quit -1",
            "quit soon", "keypress", "keypress nonsense", "playlist-remove",
        ] {
            #expect(throws: CommandError.self) { try PlayerCommand(text) }
        }
    }

    @Test(arguments: [
        ("sek 5", CommandError.unknownCommand("sek")),
        ("seek", .missingArgument(command: "seek", argument: "a time")),
        (
            "seek soon",
            .wrongValue(
                argument: "target", value: "soon", expected: "a time such as 5, -60 or 1:02:03")
        ),
        ("quit 1 then", .tooManyArguments(command: "quit", first: "then")),
        ("cycle volum", .unknownProperty("volum")),
        ("set duration 5", .readOnly(.duration)),
        (
            "set pause maybe",
            .wrongValue(
                argument: "pause", value: "maybe", expected: "yes or no")
        ),
        ("show-text \"open", .openQuote("show-text \"open")),
    ])
    func `invalid commands are reported`(text: String, error: CommandError) {
        #expect(throws: error) { try PlayerCommand(text) }
    }

    @Test func `errors name what was probably meant`() {
        #expect("\(CommandError.unknownCommand("sek"))".contains("'seek'"))
        #expect("\(CommandError.unknownProperty("volum"))".contains("'volume'"))
        #expect(!"\(CommandError.unknownCommand("xyzzy"))".contains("did you mean"))
    }

    @Test func `prefixes and several commands are read`() throws {
        let sequence = try CommandSequence("no-osd seek 5 ; osd-msg set pause yes # there")
        #expect(sequence.steps.map(\.isSilent) == [true, false])
        #expect(sequence.steps.map(\.command.words[0]) == ["seek", "set"])
        #expect(try CommandSequence("# nothing").steps.isEmpty)
    }

    @Test(arguments: [
        ("5", 5, 1), ("-5.25", -525, 100), ("1:02:03", 3723, 1), (".5", 5, 10), ("+2.", 2, 1),
        ("00:01.000000001", 1_000_000_001, 1_000_000_000),
    ])
    func `times are read exactly`(text: String, value: Int64, timescale: Int32) throws {
        #expect(CommandTime.parse(text) == MediaTime(value: value, timescale: timescale))
    }

    @Test(arguments: [
        "", "-", ".", "1:", ":1", "1:2:3:4", "5s", "1e3", "١", "9999999999",
        "1.123456789zzz",
        "9999999:0:0.123456789", "999999999:999999999:999999999.999999999",
    ])
    func `invalid times are refused`(text: String) {
        #expect(CommandTime.parse(text) == nil)
    }

    @Test func `every command and property has a row that describes it`() {
        #expect(CommandDescription.all.map(\.name).sorted() == PlayerCommand.names)
        #expect(Set(PropertyDescription.all.map(\.property)) == Set(PlayerProperty.allCases))
        #expect(CommandDescription.all.allSatisfy { !$0.help.isEmpty })
    }

    @Test func `a word that is not one of some is refused with those that are`() {
        #expect(throws: CommandError.self) { try PlayerCommand("loadfile a.mp4 sometimes") }
        do throws(CommandError) {
            _ = try PlayerCommand("screenshot everything")
        } catch {
            #expect(error.description.contains("subtitles, video, window"))
        }
    }
}
