// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The newest frames that a decoder has output, in presentation order. A seek may land on one of
/// them without decoding it again.
///
/// - Concurrency: the video decoding thread only.
struct RecentFrames {
    /// The maximum size: twenty frames of 1080p.
    static let byteLimit = 64 << 20
    static let minimumFrames = 3

    private(set) var frames: [VideoFrame] = []
    private(set) var byteCount = 0

    var first: VideoFrame? { frames.first }

    /// Adds a frame, and removes the oldest frames beyond a number and a size. If times step back,
    /// as in damaged streams, all earlier frames are removed, because a search relies on the order
    /// of the times.
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

    /// Returns the index of the last frame that begins at or before a time; nil if there is no such
    /// frame.
    func index(at time: MediaTime) -> Int? {
        let limit = time + FrameQueue.tolerance
        return frames.lastIndex { $0.presentationTime <= limit }
    }
}

extension VideoFrame {
    /// The frame with a new identifier, so that outputs treat it as a new frame.
    var shownAgain: VideoFrame {
        var frame = self
        frame.pixelBuffer = PixelBuffer(sharing: pixelBuffer)
        return frame
    }
}
