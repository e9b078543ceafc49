// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// `--effect`, `--preset` and what belongs to them, which several commands take.
struct EffectOptions: ParsableArguments {
    @Option(
        name: .customLong("effect"),
        help: ArgumentHelp(
            "Apply an effect: a built-in name, or the path of a file. Repeatable.",
            valueName: "fx"), completion: .effect)
    var names: [String] = []

    @Option(
        name: .customLong("preset"),
        help: ArgumentHelp(
            "Set effects as a file says, which 'playhead effect preset' writes; without --effect, "
                + "apply those that it is of.", valueName: "json"),
        completion: .file(extensions: ["json"]))
    var preset: String?

    @OptionGroup var values: EffectValueOptions

    var format: EffectFormat? { values.format?.format }

    /// The effects, with their inputs set.
    func load() throws -> [EffectInstance] {
        var instances = try names.map {
            EffectInstance(try EffectLibrary.load($0, format: format))
        }
        if let preset {
            let preset = try EffectPreset(path: preset)
            if instances.isEmpty {
                instances = try preset.makeInstances()
            } else {
                try preset.apply(to: instances) { try EffectLibrary.picture(path: $0) }
            }
        }
        try values.assign(to: instances)
        return instances
    }
}
