// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead effect …`: lists effects and their inputs, checks effects, and measures their cost.
struct EffectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effect", abstract: "Lists, explains, checks and begins effects.",
        subcommands: [
            List.self, Info.self, EffectLintCommand.self, EffectNewCommand.self,
            EffectBenchCommand.self, EffectPresetCommand.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the built-in effects.")

        @Flag(help: "Write JSON: all that info prints of each.")
        var json = false

        func run() throws {
            let effects = try EffectLibrary.builtInNames.map { try EffectLibrary.load($0) }
            if json {
                Console.print(try Console.json(effects.map { EffectReport($0) }, pretty: true))
                return
            }
            let width = effects.map(\.name.count).max() ?? 0
            for effect in effects {
                let space = String(repeating: " ", count: width - effect.name.count + 2)
                Console.print(effect.name + space + effect.summary)
            }
        }
    }

    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Print what an effect does and its inputs.")

        @Argument(
            help: "A built-in name, or the path of a file in any of the formats.",
            completion: .effect)
        var effect: String

        @Option(
            help: ArgumentHelp(
                "What the file is written in: \(FormatArgument.names).",
                valueName: "format"),
            completion: FormatArgument.completion,
            transform: FormatArgument.init(argument:))
        var format: FormatArgument?

        @Flag(help: "Write JSON.")
        var json = false

        func run() throws {
            let report = EffectReport(try EffectLibrary.load(effect, format: format?.format))
            if json {
                Console.print(try Console.json(report, pretty: true))
            } else {
                for line in report.lines { Console.print(line) }
            }
        }
    }
}
