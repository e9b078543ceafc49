// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadCommands
import PlayheadPlayback
import PlayheadTime
import Testing

/// `${property}` in text, by "Property Expansion" of mpv's manual.
@Suite @MainActor struct PropertyExpansionTests {
    private let player: Player
    private let controller: PlayerController

    init() async throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 4000, timescale: 1)), sounds: [])
        media.name = "test film.mkv"
        let item = PlayerItem(asset: SyntheticAsset(media))
        player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        controller = PlayerController(player: player)
        try await item.waitUntilReady()
        try controller.perform("seek 3723.5 absolute exact")
    }

    @Test(arguments: [
        ("${time-pos}|${=time-pos}|${duration}", "01:02:03|3723.5|01:06:40"),
        ("${percent-pos}|${volume}|${speed}|${pause}", "93|100|1|yes"),
        ("${filename}, ${filename/no-ext}", "test film.mkv, test film"),
        (
            "${nonsense}|${nonsense:other}|${chapter}|${chapter:none}",
            "(error)|other|(unavailable)|none"
        ),
        ("${?pause==no:plays}${!pause==no:stands}", "stands"),
        ("${?path:of ${filename}}${!path:nothing}", "of test film.mkv"),
        ("${?chapter:in one}${!chapter:in none}", "in none"),
        ("${track-list/0/type} ${track-list/count} ${track-list/9/type}", "video 1 (unavailable)"),
        ("${time-pos/full}|${=time-pos/full}|${duration/full}", "01:02:03.500|3723.5|01:06:40.000"),
        ("$$ $x $>${path}", "$ $x ${path}"), ("a ${b", "a ${b"), ("", ""), ("$", "$"),
    ])
    func `properties expand to their values`(text: String, expected: String) {
        #expect(controller.expanded(text) == expected)
    }

    @Test func `values that are set are expanded, and read when they are`() throws {
        try controller.perform("set volume ${=chapter:40}; set speed ${=volume}")
        #expect(controller.value(of: .volume) == .number(40))
        #expect(controller.value(of: .speed) == .number(16))
        try controller.perform("cycle-values volume ${=speed} 20")
        #expect(controller.value(of: .volume) == .number(16))
        try controller.perform("cycle-values volume ${=speed} 20")
        #expect(controller.value(of: .volume) == .number(20))
        #expect(throws: CommandError.self) { try controller.perform("set volume ${path}") }
        // An invalid expansion is reported at once, like any other error.
        #expect(throws: CommandError.self) { try CommandSequence("raw set volume ${=speed}") }
        #expect(throws: CommandError.self) { try CommandSequence("set volume loud") }
        let text = "set volume ${=speed}; cycle-values volume ${=speed} 20"
        #expect(try CommandSequence(text).description == text)
        #expect(try CommandSequence(CommandSequence(text).description) == CommandSequence(text))
        // Also in lists, if programs request it.
        let words = ["set", "volume", "${=percent-pos}"]
        #expect(throws: CommandError.self) { try CommandSequence.Step(words: words) }
        try controller.perform(
            CommandSequence([CommandSequence.Step(words: ["expand-properties"] + words)]))
        let volume = try #require(controller.value(of: .volume)?.number)
        #expect(abs(volume - 93.1) < 0.1)
    }

    @Test func `words of keys are expanded, those of programs where they ask for it`() throws {
        var reported: [String] = []
        controller.feedbackHandler = {
            if case .text(let text, _) = $0 { reported.append(text) }
        }
        try controller.perform(#"show-text "${filename}"; raw show-text "${filename}""#)
        let words = ["show-text", "${filename}"]
        for prefixes in [[], ["expand-properties"], ["no-osd", "raw"]] {
            try controller.perform(
                CommandSequence([CommandSequence.Step(words: prefixes + words)]))
        }
        #expect(reported == ["test film.mkv", "${filename}", "${filename}", "test film.mkv"])
        // Written text is parsed to the same command.
        for text in [#"show-text "${filename}""#, #"raw show-text "${filename}""#, "quit"] {
            let sequence = try CommandSequence(text)
            #expect(try CommandSequence(sequence.description) == sequence)
        }
    }
}
