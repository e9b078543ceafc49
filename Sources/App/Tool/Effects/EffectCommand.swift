// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead effect …`: lists effects and their inputs, checks effects, and measures their cost.
struct EffectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effect", abstract: "List, describe, check, measure and create effects.",
        subcommands: [
            List.self, Info.self, EffectLintCommand.self, EffectNewCommand.self,
            EffectBenchCommand.self, EffectPresetCommand.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the built-in effects.")

        @Flag(help: "Print JSON, with everything that 'effect info' prints.")
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
            commandName: "info", abstract: "Show what an effect does, and its inputs.")

        @Argument(
            help: "Built-in name, or path of an effect file.",
            completion: .effect)
        var effect: String

        @Option(
            help: ArgumentHelp(
                "Format of the file: \(FormatArgument.names). Detected from its contents by "
                    + "default.",
                valueName: "format"),
            completion: FormatArgument.completion,
            transform: FormatArgument.init(argument:))
        var format: FormatArgument?

        @Flag(help: "Print JSON.")
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
