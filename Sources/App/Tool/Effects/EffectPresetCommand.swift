// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead effect preset`: writes the values of effects to a file.
struct EffectPresetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preset", abstract: "Print effects and their values as a preset.",
        discussion: """
            EXAMPLES:
              playhead effect preset --effect exposure --set stops=0.5 --effect vignette > warm.json
              playhead play film.mp4 --preset warm.json
            """)

    @OptionGroup var effects: EffectOptions

    @Option(help: "Name of the preset.")
    var name = ""

    func validate() throws {
        if effects.names.isEmpty, effects.preset == nil {
            throw ValidationError("--effect is missing; name at least one effect for the preset")
        }
    }

    func run() throws {
        let preset = EffectPreset(of: try effects.load(), name: name)
        Console.print(preset.json.trimmingCharacters(in: .newlines))
    }
}
