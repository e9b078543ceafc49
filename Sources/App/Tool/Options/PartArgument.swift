// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A part of a film on the command line: where it begins and ends, as in `1:00-1:30`.
struct PartArgument {
    var start: MediaTime
    var end: MediaTime

    /// What an option reads it with.
    init(argument: String) throws {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = CommandTime.parse(String(parts[0])),
            let end = CommandTime.parse(String(parts[1])), start < end
        else {
            throw ValidationError("write where it begins and ends, as in 1:00-1:30")
        }
        (self.start, self.end) = (start, end)
    }
}
