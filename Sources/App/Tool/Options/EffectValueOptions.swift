// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `--format` and `--set`: how effects are read, and what their inputs are set to.
struct EffectValueOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "What effects' files are written in: \(FormatArgument.names). Told by what they hold "
                + "where not given.", valueName: "format"),
        completion: FormatArgument.completion,
        transform: FormatArgument.init(argument:))
    var format: FormatArgument?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set an effect's input, such as tolerance=0.3, or chroma_key.tolerance=0.3; a picture by "
                + "its path. Repeatable.", valueName: "name=value"))
    var assignments: [String] = []

    /// Sets inputs as `--set` says.
    func assign(to instances: [EffectInstance]) throws {
        for assignment in assignments { try assign(assignment, to: instances) }
    }

    private func assign(_ assignment: String, to instances: [EffectInstance]) throws {
        guard let equals = assignment.firstIndex(of: "=") else {
            throw ValidationError("--set \(assignment): write NAME=VALUE or FX.NAME=VALUE")
        }
        let key = assignment[..<equals]
        let value = String(assignment[assignment.index(after: equals)...])
        var targets = instances
        var input = String(key)
        if let dot = key.lastIndex(of: ".") {
            let effect = String(key[..<dot])
            input = String(key[key.index(after: dot)...])
            targets = instances.filter { $0.effect.name == effect }
            if targets.isEmpty {
                let names = instances.map { "'\($0.effect.name)'" }.joined(separator: ", ")
                throw ValidationError(
                    "--set \(assignment): no --effect is called \(effect)"
                        + (names.isEmpty ? "" : "; there is \(names)"))
            }
        }
        targets = targets.filter { $0.value(for: input) != nil }
        guard let target = targets.first else {
            throw ValidationError("--set \(assignment): no effect has an input \(input)")
        }
        if target.effect.input(named: input)?.kind == .image {
            do {
                try target.set(try EffectLibrary.picture(path: value), readFrom: value, for: input)
            } catch let error as EffectError {
                throw error
            } catch {
                throw ToolError(.mediaFailure, "--set \(assignment): \(error)")
            }
        } else {
            try target.set(parsing: value, for: input)
        }
    }
}
