// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

extension MediaTime {
    /// Creates a time from `value/timescale`, the form in which the tool and ffprobe print
    /// rationals.
    init?(rational text: some StringProtocol) {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let value = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0
        else { return nil }
        self.init(value: value, timescale: scale)
    }
}
