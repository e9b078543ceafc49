// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The format of an effect file on the command line.
struct FormatArgument {
    let format: EffectFormat

    /// Parses an argument.
    init(argument: String) throws {
        guard let format = EffectFormat(rawValue: argument) else {
            throw ValidationError("expected one of \(Self.names)")
        }
        self.format = format
    }

    static let completion = CompletionKind.list(EffectFormat.allCases.map(\.rawValue))

    /// The names for help texts.
    static let names = EffectFormat.allCases.map(\.rawValue).joined(separator: ", ")
}
