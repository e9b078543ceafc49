// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The newest frames output by a decoder, in order of presentation: a seek may land on them without
/// decoding again.
///
/// - Concurrency: the video decoding thread only.
struct RecentFrames {
    /// The size limit: twenty frames of 1080p.
    static let byteLimit = 64 << 20
    static let minimumFrames = 3

    private(set) var frames: [VideoFrame] = []
    private(set) var byteCount = 0

    var first: VideoFrame? { frames.first }

    /// Adds a frame, and removes the oldest beyond a number and a size. If times step back, as in
    /// damaged streams, the order cannot be searched: the earlier frames are removed.
    mutating func append(
        _ frame: VideoFrame, atMost count: Int, byteLimit: Int = RecentFrames.byteLimit
    ) {
        let byteLimit = min(byteLimit, Self.byteLimit)
        if let last = frames.last, frame.presentationTime <= last.presentationTime {
            self = RecentFrames()
        }
        frames.append(frame)
        byteCount += frame.pixelBuffer.byteCount
        while frames.count > count
            || (byteCount > byteLimit && frames.count > Self.minimumFrames)
        {
            byteCount -= frames.removeFirst().pixelBuffer.byteCount
        }
    }

    /// Returns the index of the last frame that has begun at a time; nil before the first.
    func index(at time: MediaTime) -> Int? {
        let limit = time + FrameQueue.tolerance
        return frames.lastIndex { $0.presentationTime <= limit }
    }
}

extension VideoFrame {
    /// The frame with a new identifier, which outputs take for a new one.
    var shownAgain: VideoFrame {
        var frame = self
        frame.pixelBuffer = PixelBuffer(sharing: pixelBuffer)
        return frame
    }
}
