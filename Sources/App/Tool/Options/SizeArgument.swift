// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A size in pixels on the command line: `1280x720`.
struct SizeArgument {
    let width: Int
    let height: Int

    /// Parses an argument.
    init(argument: String) throws {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...16384).contains(width), (1...16384).contains(height)
        else {
            throw ValidationError(
                "expected a width and a height such as 1280x720, each from 1 to 16384")
        }
        self.width = width
        self.height = height
    }
}
