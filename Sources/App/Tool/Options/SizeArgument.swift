// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A size in pixels as people type it: `1280x720`.
struct SizeArgument {
    let width: Int
    let height: Int

    /// What an option reads it with.
    init(argument: String) throws {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...16384).contains(width), (1...16384).contains(height)
        else {
            throw ValidationError("write width and height as in 1280x720, each from 1 to 16384")
        }
        self.width = width
        self.height = height
    }
}
