// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// `--effect` and `--set`, which several commands take.
struct EffectOptions: ParsableArguments {
    @Option(
        name: .customLong("effect"),
        help: ArgumentHelp(
            "Apply an effect: a built-in name, or the path of a file. Repeatable.",
            valueName: "fx"))
    var names: [String] = []

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "What effects' files are written in: \(FormatArgument.names). Told by what they hold "
                + "where not given.", valueName: "format"))
    var format: FormatArgument?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set an effect's input, such as tolerance=0.3, or chroma_key.tolerance=0.3. Repeatable.",
            valueName: "name=value"))
    var assignments: [String] = []

    /// The effects, with their inputs set.
    func load() throws -> [EffectInstance] {
        let instances = try names.map {
            EffectInstance(try EffectLibrary.load($0, format: format?.format))
        }
        for assignment in assignments { try assign(assignment, to: instances) }
        return instances
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
                throw ValidationError("--set \(assignment): there is no --effect \(effect)")
            }
        }
        targets = targets.filter { $0.value(for: input) != nil }
        guard let target = targets.first else {
            throw ValidationError("--set \(assignment): no effect has an input \(input)")
        }
        try target.set(parsing: value, for: input)
    }
}
