// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The beginning of backward playback.
struct Reversal: Sendable {
    /// The generation of the resulting frames.
    var generation: Int
    /// The item time of the first frame.
    var time: MediaTime
    /// The maximum size of decoded frames, in bytes, including those being decoded.
    var byteLimit: Int
}
