// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadEditing
import PlayheadUI

/// The options of transitions.
struct TransitionOptions: ParsableArguments {
    @Option(
        name: .customLong("transition"),
        help: ArgumentHelp(
            """
            Transition between files: dissolve, push-left, wipe-left (also -right, -top and \
            -bottom), or the path of a gl-transition or an ISF transition. Append :SECONDS for its \
            duration.
            """, valueName: "fx"),
        completion: .file())
    var argument: String?

    @Option(
        name: .customLong("transition-duration"),
        help: ArgumentHelp("Duration of the transition, in seconds.", valueName: "seconds"))
    var duration: Double = 1

    func validate() throws {
        guard (0.1...60).contains(duration) else {
            throw ValidationError("--transition-duration \(duration): expected 0.1 to 60 seconds")
        }
        if let argument, !(0.1...60).contains(seconds) {
            throw ValidationError("--transition \(argument): expected 0.1 to 60 seconds")
        }
    }

    /// The name and the duration of the transition. If the argument contains no duration,
    /// `duration` is used. Nil without `--transition`.
    private var parts: (name: String, seconds: Double)? {
        guard let argument else { return nil }
        guard let colon = argument.lastIndex(of: ":"), colon != argument.startIndex,
            let seconds = Double(argument[argument.index(after: colon)...]),
            !FileManager.default.fileExists(atPath: argument)
        else { return (argument, duration) }
        return (String(argument[..<colon]), seconds)
    }

    /// The name of the transition, or its path; nil without `--transition`.
    var name: String? { parts?.name }

    /// The duration of the transition, in seconds.
    var seconds: Double { parts?.seconds ?? duration }

    /// The transition; nil without `--transition`.
    var kind: VideoCompositionTransition.Kind? {
        name.map { VideoCompositionTransition.Kind(name: $0) ?? .effect($0) }
    }

    /// Loads the effect; returns nil without `--transition`.
    func load(_ format: EffectFormat?) throws -> EffectInstance? {
        guard let name, let kind else { return nil }
        guard case .effect = kind else { return EffectInstance(try kind.makeEffect()) }
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
