// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

extension MediaTime {
    /// A time written as `value/timescale`, as the tool and ffprobe write rationals.
    init?(rational text: some StringProtocol) {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let value = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0
        else { return nil }
        self.init(value: value, timescale: scale)
    }
}
