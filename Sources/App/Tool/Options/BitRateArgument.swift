// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A bit rate on the command line: `800k`, `4M` or `2500000`, in bits per second.
struct BitRateArgument {
    let bitsPerSecond: Int

    /// Parses an argument.
    init(argument: String) throws {
        var digits = Substring(argument)
        var factor = 1.0
        switch digits.last {
        case "k", "K": factor = 1000
        case "m", "M": factor = 1_000_000
        default: break
        }
        if factor > 1 { digits.removeLast() }
        guard let value = Double(digits), (1000...2_000_000_000).contains(value * factor) else {
            throw ValidationError("expected a bit rate such as 800k or 4M, found '\(argument)'")
        }
        bitsPerSecond = Int((value * factor).rounded())
    }
}
