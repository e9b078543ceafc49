// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The options of transitions.
struct TransitionOptions: ParsableArguments {
    @Option(
        name: .customLong("transition"),
        help: ArgumentHelp(
            "Transition effect between files: the path of a gl-transition or an ISF transition.",
            valueName: "fx"),
        completion: .file())
    var name: String?

    @Option(
        name: .customLong("transition-duration"),
        help: ArgumentHelp("Duration of the transition, in seconds.", valueName: "seconds"))
    var seconds: Double = 1

    func validate() throws {
        guard seconds >= 0.1, seconds <= 60 else {
            throw ValidationError("--transition-duration \(seconds): expected 0.1 to 60 seconds")
        }
    }

    /// Loads the effect; returns nil without `--transition`.
    func load(_ format: EffectFormat?) throws -> EffectInstance? {
        guard let name else { return nil }
        let effect = try EffectLibrary.load(name, format: format)
        guard effect.kind == .transition else {
            throw ToolError(
                .wrongUsage,
                "--transition \(name): expected a transition, found a \(effect.kind.rawValue); use "
                    + "--effect, or a file with startImage, endImage and progress")
        }
        return EffectInstance(effect)
    }
}
