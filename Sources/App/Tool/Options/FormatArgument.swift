// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// What an effect's file is written in, as people type it.
struct FormatArgument {
    let format: EffectFormat

    /// What an option reads it with.
    init(argument: String) throws {
        guard let format = EffectFormat(rawValue: argument) else {
            throw ValidationError("use one of \(Self.names)")
        }
        self.format = format
    }

    static let completion = CompletionKind.list(EffectFormat.allCases.map(\.rawValue))

    /// For help.
    static let names = EffectFormat.allCases.map(\.rawValue).joined(separator: ", ")
}
