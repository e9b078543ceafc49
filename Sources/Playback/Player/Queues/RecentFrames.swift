// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The newest frames that came out of a decoder, in order of presentation: what a seek may land on
/// without anything being decoded again.
///
/// - Concurrency: the video decoding thread only.
struct RecentFrames {
    /// Twenty pictures of 1080p.
    static let byteLimit = 64 << 20
    static let minimumFrames = 3

    private(set) var frames: [VideoFrame] = []
    private(set) var byteCount = 0

    var first: VideoFrame? { frames.first }

    /// Adds a frame, and lets go of the oldest beyond so many, and beyond so many bytes. Frames whose times step back, as
    /// damaged streams' do, are in no order that could be searched: what came before is let go.
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

    /// The number of the last frame that has begun at a time; nil before the first.
    func index(at time: MediaTime) -> Int? {
        let limit = time + FrameQueue.tolerance
        return frames.lastIndex { $0.presentationTime <= limit }
    }
}

extension VideoFrame {
    /// The same frame as a picture of its own, which outputs that have had it take for a new one.
    var anew: VideoFrame {
        var frame = self
        frame.pixelBuffer = PixelBuffer(sharing: pixelBuffer)
        return frame
    }
}
