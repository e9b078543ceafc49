// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// `playhead effect …`: what effects there are and what they take.
struct EffectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effect", abstract: "Lists effects and tells what they take.",
        subcommands: [List.self, Info.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the built-in effects.")

        func run() throws {
            for name in EffectLibrary.builtInNames {
                let effect = try EffectLibrary.effect(named: name)
                Console.print("\(name)  \(effect.summary)")
            }
        }
    }

    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Tells what an effect does and which inputs it has.")

        @Argument(help: "A built-in name, or the path of an ISF file.")
        var effect: String

        func run() throws {
            let effect = try EffectLibrary.effect(named: effect)
            Console.print("\(effect.name)  \(effect.summary)")
            for input in effect.inputs {
                Console.print("  \(input.name)  \(input.kind)  default \(input.defaultValue)")
            }
        }
    }
}
