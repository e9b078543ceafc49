// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// What an effect's file is written in, as people type it.
struct FormatArgument: ExpressibleByArgument {
    let format: EffectFormat

    init?(argument: String) {
        guard let format = EffectFormat(rawValue: argument) else { return nil }
        self.format = format
    }

    /// For help.
    static let names = EffectFormat.allCases.map(\.rawValue).joined(separator: ", ")
}
