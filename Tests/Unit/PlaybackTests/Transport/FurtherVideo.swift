// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A video track beside the first one in a `TransportWorld`: its thread and its frame queue.
struct FurtherVideo {
    let track: AssetTrack
    /// The number of its frames; 0 if it cannot be decoded.
    let count: Int
    var isEnabled = false
    /// Boolean values that indicate whether it waits for the demuxer, and has a thread.
    var isRequested = false
    var isAdded = false
    var generation = -1
    /// The first decoded frame, and the next one to decode.
    private(set) var start = 0
    var position = 0
    var hasEnded = false
    var isDry = false

    var hasFrame: Bool { position > start || hasEnded }

    init(track: AssetTrack, count: Int) {
        self.track = track
        self.count = count
    }

    mutating func begin(_ generation: Int, at frame: Int) {
        self.generation = generation
        (start, position) = (frame, frame)
        (hasEnded, isDry) = (false, false)
    }
}
