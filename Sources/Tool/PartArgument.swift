// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// A part of a film on the command line: where it begins and ends, as in `1:00-1:30`.
struct PartArgument: ExpressibleByArgument {
    var start: MediaTime
    var end: MediaTime

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = CommandTime.parse(String(parts[0])),
            let end = CommandTime.parse(String(parts[1])), start < end
        else { return nil }
        (self.start, self.end) = (start, end)
    }
}
