// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadTime

/// The presentation time and a hash of all samples of a frame, for comparisons.
struct SeenPicture: Equatable {
    var time: MediaTime
    var pixels: Int

    init(_ frame: VideoFrame) {
        time = frame.presentationTime
        pixels = frame.pixelBuffer.pixelHash
    }
}
