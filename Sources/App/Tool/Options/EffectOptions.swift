// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

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
    ///
    /// - Parameter transition: `--transition`'s, which `--set` sets too.
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

    /// Pictures that are no films, and that nobody gave, are transparent, which nobody would look for. The
    /// built-in effects do without.
    private static func tellMissingPictures(of instance: EffectInstance, films: [String]) {
        let effect = instance.effect
        guard !effect.isBuiltIn else { return }
        for input in effect.inputs
        where input.kind == .image && !films.contains(input.name)
            && instance.value(for: input.name) == .image(nil)
        {
            Console.note(
                "\(effect.path): its input '\(input.name)' has no picture and is transparent; give it one "
                    + "with --set \(input.name)=FILE")
        }
    }
}
