// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A cache of decoded frames around the scrubbing position. When the user returns to a frame that
/// was decoded before, the frame is shown at once, without decoding from a keyframe again.
///
/// - Concurrency: any thread. A lock is held during a search.
/// - Capacity: a number of bytes. When it is exceeded, the frames farthest from the newest target
///   are removed.
final class ScrubCache: Sendable {
    /// A frame near a target, and a Boolean value that indicates whether the frame is visible at
    /// that target.
    struct Hit {
        var frame: VideoFrame
        var isExact: Bool
    }

    private struct State {
        /// The frames, in presentation order.
        var frames: [VideoFrame] = []
        var byteCount = 0
        var target = MediaTime.zero
        var byteLimit = 0

        /// Returns the number of frames that begin before a time.
        func count(before time: MediaTime) -> Int {
            var range = 0..<frames.count
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                if frames[middle].presentationTime < time {
                    range = (middle + 1)..<range.upperBound
                } else {
                    range = range.lowerBound..<middle
                }
            }
            return range.lowerBound
        }

        mutating func trim() {
            while byteCount > byteLimit, let first = frames.first, let last = frames.last {
                let isFirstFarther =
                    target - first.presentationTime > last.presentationTime - target
                let frame = isFirstFarther ? frames.removeFirst() : frames.removeLast()
                byteCount -= frame.pixelBuffer.byteCount
            }
        }
    }

    private let state = Mutex(State())

    /// Adds a frame, unless the cache is full of frames that are nearer to the newest target.
    func keep(_ frame: VideoFrame) {
        state.withLock { state in
            let place = state.count(before: frame.presentationTime)
            let isKnown =
                place < state.frames.count
                && state.frames[place].presentationTime == frame.presentationTime
            guard !isKnown else { return }
            state.frames.insert(frame, at: place)
            state.byteCount += frame.pixelBuffer.byteCount
            state.trim()
        }
    }

    /// Returns the frame that is visible at a new target or, if it is not cached, the nearest
    /// frame; nil if the cache is empty.
    func hit(at target: MediaTime, byteLimit: Int) -> Hit? {
        state.withLock { state in
            state.target = target
            state.byteLimit = byteLimit
            let limit = target + FrameQueue.tolerance
            // A frame that begins before the end of the tolerance has begun. A frame that begins
            // exactly at that end counts as later.
            let next = state.count(before: limit)
            let begun = next > 0 ? state.frames[next - 1] : nil
            if let begun, begun.isVisible(at: target) {
                return Hit(frame: begun, isExact: true)
            }
            guard next < state.frames.count else {
                return begun.map { Hit(frame: $0, isExact: false) }
            }
            let later = state.frames[next]
            guard let begun, target - begun.presentationTime < later.presentationTime - target
            else { return Hit(frame: later, isExact: false) }
            return Hit(frame: begun, isExact: false)
        }
    }

    /// Returns the end of the frames that are cached without a gap from a time on; nil if the frame
    /// that is visible at that time is not cached.
    func end(ofFramesFrom time: MediaTime) -> MediaTime? {
        state.withLock { state in
            let next = state.count(before: time + FrameQueue.tolerance)
            guard next > 0, state.frames[next - 1].isVisible(at: time) else { return nil }
            var end = state.frames[next - 1].end
            for frame in state.frames[next...] {
                guard frame.presentationTime <= end + FrameQueue.tolerance else { break }
                end = frame.end
            }
            return end
        }
    }

    /// The size of the frames, in bytes.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Removes all frames.
    func clear() {
        state.withLock { state in
            state.frames = []
            state.byteCount = 0
        }
    }
}

extension VideoFrame {
    fileprivate var end: MediaTime {
        duration.isNumeric ? presentationTime + duration : presentationTime
    }

    /// Returns whether the frame has begun at a time and has not ended.
    fileprivate func isVisible(at time: MediaTime) -> Bool {
        if duration.isNumeric, presentationTime + duration > time + FrameQueue.tolerance {
            return true
        }
        return presentationTime + FrameQueue.tolerance >= time
    }
}
