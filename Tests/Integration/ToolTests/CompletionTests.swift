// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The completions that bash offers for a typed line, with the installed script.
@Suite("Completion", .enabled(if: ProcessRunner.has("bash"), "needs bash"))
struct CompletionTests {
    private let folder = TemporaryFolder()

    init() throws {
        for name in ["film one.mp4", "looks.json", "mine.fs", "words.srt"] {
            try Data().write(to: folder.appending(name))
        }
        let effects = folder.appending("effects")
        try FileManager.default.createDirectory(at: effects, withIntermediateDirectories: true)
        try Data().write(to: effects.appending(path: "other.fs"))
        try Data(try Tool.run("documents", "bash").standardOutput)
            .write(to: folder.appending("completions"))
    }

    /// - Parameter words: the words after the program's name; the last one is completed.
    private func offers(_ words: [String]) throws -> Set<String> {
        let script = """
            source ./completions
            function=$(complete -p playhead)
            function=${function##*-F }
            COMP_WORDS=("$@")
            COMP_LINE="$*"
            COMP_CWORD=$(($# - 1)) COMP_POINT=${#COMP_LINE}
            # Runs the program under test by the name in the script.
            playhead() { "$PLAYHEAD" "$@"; }
            "${function% playhead}" playhead "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try ProcessRunner.check(
            ["bash", "--norc", "-c", script, "bash", "playhead"] + words,
            environment: Tool.bare.merging(["PLAYHEAD": Tool.path]) { $1 }, directory: folder.url)
        return Set(result.text.split(separator: "\n").map { String($0) })
    }

    @Test func `media are completed as files, with and without a command`() throws {
        for command in [["play"], ["inspect"], ["frames"], []] {
            #expect(try offers(command + ["fi"]).contains("film one.mp4"), "\(command)")
        }
        #expect(try offers(["play", "film one.mp4", "wo"]) == ["words.srt"])
        #expect(try offers(["film one.mp4", "--mute", "wo"]) == ["words.srt"])
    }

    @Test func `completion offers commands first, and the arguments of play without one`() throws {
        #expect(try offers(["in"]) == ["inspect"])
        #expect(try offers([""]).isSuperset(of: ["play", "doctor", "film one.mp4"]))
        #expect(try offers(["film one.mp4", "--eff"]) == ["--effect"])
        #expect(try offers(["--eff"]) == ["--effect"])
        #expect(try offers(["inspect", "--eff"]).isEmpty)
    }

    @Test func `options complete their values`() throws {
        #expect(try offers(["--effect", "chroma"]) == ["chroma_key"])
        #expect(try offers(["play", "--effect", "mi"]) == ["mine.fs"])
        #expect(try offers(["render", "--effect", "effects/"]) == ["effects/other.fs"])
        #expect(try offers(["--preset", ""]).isSuperset(of: ["looks.json"]))
        #expect(try !offers(["--preset", ""]).contains("words.srt"))
        for option in [
            "--sub", "--transition", "--screenshot", "--stats-json", "--stats-csv", "--ipc",
        ] {
            #expect(try offers(["play", option, "wo"]) == ["words.srt"], "\(option)")
        }
        #expect(try offers(["play", "--screenshot-directory", ""]) == ["effects"])
        #expect(try offers(["render", "--codec", "h"]) == ["h264", "hevc"])
        #expect(try offers(["render", "-o", "wo"]) == ["words.srt"])
        #expect(try offers(["effect", "lint", "--format", "sh"]) == ["shadertoy"])
        #expect(try offers(["effect", "lint", "mi"]) == ["mine.fs"])
        #expect(try offers(["play", "--upload", ""]).isSuperset(of: ["direct", "ring", "mapped"]))
    }
}
