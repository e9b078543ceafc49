// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The options `--format` and `--set`.
struct EffectValueOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Format of effect files: \(FormatArgument.names). Detected from their contents by "
                + "default.", valueName: "format"),
        completion: FormatArgument.completion,
        transform: FormatArgument.init(argument:))
    var format: FormatArgument?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set an effect input, such as tolerance=0.3 or chroma_key.tolerance=0.3. The value of "
                + "an image input is a path. Repeatable.", valueName: "name=value"))
    var assignments: [String] = []

    /// Applies the assignments of `--set`.
    func assign(to instances: [EffectInstance]) throws {
        for assignment in assignments { try assign(assignment, to: instances) }
    }

    private func assign(_ assignment: String, to instances: [EffectInstance]) throws {
        guard let equals = assignment.firstIndex(of: "=") else {
            throw ValidationError(
                "--set: expected NAME=VALUE or FX.NAME=VALUE, found '\(assignment)'")
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
                    "--set \(assignment): no --effect is named '\(effect)'"
                        + (names.isEmpty ? "" : "; use \(names)"))
            }
        }
        targets = targets.filter { $0.value(for: input) != nil }
        guard let target = targets.first else {
            throw ValidationError("--set \(assignment): no effect has an input '\(input)'")
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
