// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `--transition` and how long it takes.
struct TransitionOptions: ParsableArguments {
    @Option(
        name: .customLong("transition"),
        help: ArgumentHelp(
            "Lead from each film to the next by an effect: the path of a gl-transition or a "
                + "transition of ISF's.", valueName: "fx"),
        completion: .file())
    var name: String?

    @Option(
        name: .customLong("transition-duration"),
        help: ArgumentHelp("Seconds that it takes.", valueName: "seconds"))
    var seconds: Double = 1

    func validate() throws {
        guard seconds >= 0.1, seconds <= 60 else {
            throw ValidationError("--transition-duration \(seconds): use 0.1 to 60 seconds")
        }
    }

    /// The effect; nil where none is asked for.
    func load(_ format: EffectFormat?) throws -> EffectInstance? {
        guard let name else { return nil }
        let effect = try EffectLibrary.load(name, format: format)
        guard effect.kind == .transition else {
            throw ToolError(
                .wrongUsage,
                "--transition \(name): it is a \(effect.kind.rawValue); use --effect, or a file with "
                    + "startImage, endImage and progress")
        }
        return EffectInstance(effect)
    }
}
