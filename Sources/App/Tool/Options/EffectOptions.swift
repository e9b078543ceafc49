// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The options for effects and presets. Several commands share them.
struct EffectOptions: ParsableArguments {
    @Option(
        name: .customLong("effect"),
        help: ArgumentHelp(
            "Apply an effect: a built-in name or a file. Repeatable.",
            valueName: "fx"), completion: .effect)
    var names: [String] = []

    @Option(
        name: .customLong("preset"),
        help: ArgumentHelp(
            "Apply a preset that 'playhead effect preset' printed. With --effect, only its values "
                + "are applied.", valueName: "json"),
        completion: .file(extensions: ["json"]))
    var preset: String?

    @OptionGroup var values: EffectValueOptions

    var format: EffectFormat? { values.format?.format }

    /// Loads the effects and sets their inputs.
    ///
    /// - Parameter transition: the effect of `--transition`. `--set` applies to its inputs too.
    func load(besides transition: EffectInstance? = nil) throws -> [EffectInstance] {
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
        try values.assign(to: instances + (transition.map { [$0] } ?? []))
        for instance in instances {
            Self.tellMissingPictures(of: instance, films: ["inputImage", "startImage"])
        }
        if let transition {
            Self.tellMissingPictures(of: transition, films: ["startImage", "endImage"])
        }
        return instances
    }

    /// Prints a message for each image input that has no image, because such an input is
    /// transparent. Built-in effects handle this case, so they are excluded.
    private static func tellMissingPictures(of instance: EffectInstance, films: [String]) {
        let effect = instance.effect
        for warning in effect.warnings { Console.note(warning.description) }
        guard !effect.isBuiltIn else { return }
        for input in effect.inputs
        where input.kind == .image && !films.contains(input.name)
            && instance.value(for: input.name) == .image(nil)
        {
            Console.note(
                "\(effect.path): input '\(input.name)' has no image and is transparent; set one "
                    + "with --set \(input.name)=FILE")
        }
    }
}
