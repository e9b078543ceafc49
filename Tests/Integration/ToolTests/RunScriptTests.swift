// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The script `run`, in a checkout where everything is already built.
struct RunScriptTests {
    /// A checkout in which `playhead` is a stand-in: it prints its arguments, and finds no display
    /// for a window.
    private let checkout = TemporaryFolder()

    init() throws {
        let manager = FileManager.default
        let build = checkout.appending(".build/release")
        try manager.createDirectory(at: build, withIntermediateDirectories: true)
        try manager.createDirectory(
            at: checkout.appending("Sources"), withIntermediateDirectories: true)
        try Data().write(to: checkout.appending("Package.swift"))
        try manager.copyItem(
            at: Checkout.root.appending(path: "run"), to: checkout.appending("run"))
        let tool = build.appending(path: "playhead")
        try Data(
            """
            #!/bin/sh
            printf '[%s]' "$@"
            [ "$*" = play ] || [ "$1" = inspect ] || exit 0
            exit ${STATUS:-3}
            """.utf8
        ).write(to: tool)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
        // Newer than all inputs of the build.
        try Data().write(to: checkout.appending(".build/playhead.stamp"))
    }

    private func run(
        _ arguments: String..., environment: [String: String?] = [:]
    ) throws -> ProcessRunner.Result {
        try ProcessRunner.run(
            [checkout.appending("run").path] + arguments, environment: environment)
    }

    @Test func `run plays files and passes other commands on`() throws {
        #expect(try run("film.mp4", "--loop").text == "[play][film.mp4][--loop]")
        #expect(try run("a film.mp4").text == "[play][a film.mp4]")
        #expect(try run("--headless").text == "[play][--headless]")
        #expect(try run("play", "film.mp4").text == "[play][film.mp4]")
        #expect(try run("--help").text == "[--help]")
        let inspect = try run("inspect", "film.mp4", environment: ["STATUS": "2"])
        #expect(inspect.text == "[inspect][film.mp4]")
        #expect(inspect.status == 2)
    }

    @Test func `run knows every command of the tool`() throws {
        struct Manual: Decodable {
            struct Command: Decodable {
                var commandName: String
                var subcommands: [Command]?
            }
            var command: Command
        }
        let text = try Tool.run("--experimental-dump-help").standardOutput
        let manual = try JSONDecoder().decode(Manual.self, from: Data(text))
        let commands = try #require(manual.command.subcommands).map(\.commandName)
        #expect(commands.contains("play"))
        for command in commands { #expect(try run(command).text.hasPrefix("[\(command)]")) }
    }

    @Test func `run without arguments plays the built-in clip`() throws {
        let result = try run(environment: ["STATUS": "0"])
        #expect(result.text == "[play]")
        #expect(result.status == 0)
    }

    @Test func `run without a display plays five seconds without a window`() throws {
        let result = try run()
        let picture = checkout.appending("Output/playhead.png").path
        #expect(result.status == 0)
        #expect(
            result.text == "[play][play][--headless][--duration][5][--screenshot][\(picture)]")
        #expect(result.standardError.contains("without a window"))
        #expect(result.standardError.contains("the last frame is in \(picture)"))
    }

    @Test func `other failures are passed on unchanged`() throws {
        let result = try run(environment: ["STATUS": "2"])
        #expect(result.text == "[play]")
        #expect(result.status == 2)
    }
}
