// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A request to begin reverse playback.
struct Reversal: Sendable {
    /// The generation of the resulting frames.
    var generation: Int
    /// The item time of the first frame.
    var time: MediaTime
    /// The maximum size of decoded frames, in bytes. It includes frames that are being decoded.
    var byteLimit: Int
}
