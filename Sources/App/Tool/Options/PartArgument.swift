// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A range of times on the command line, such as `1:00-1:30`.
struct PartArgument {
    var start: MediaTime
    var end: MediaTime

    /// Parses an argument.
    init(argument: String) throws {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = CommandTime.parse(String(parts[0])),
            let end = CommandTime.parse(String(parts[1])), start < end
        else {
            throw ValidationError("expected a start and an end such as 1:00-1:30")
        }
        (self.start, self.end) = (start, end)
    }
}
