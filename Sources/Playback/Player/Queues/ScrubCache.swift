// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Synchronization

/// Decoded frames around the place where a hand scrubs: what has been decoded once is seen at once
/// when the hand comes back, though decoding has to begin at a keyframe again.
///
/// - Concurrency: any thread; under a lock that is held for a search.
/// - Capacity: so many bytes; beyond them, the frames farthest from the newest target are let go of.
final class ScrubCache: Sendable {
    /// A frame near a target, and whether it is the one that is visible there.
    struct Hit {
        var frame: VideoFrame
        var isExact: Bool
    }

    private struct State {
        /// In order of presentation.
        var frames: [VideoFrame] = []
        var byteCount = 0
        var target = MediaTime.zero
        var byteLimit = 0

        /// How many frames begin before a time.
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

    /// Keeps a frame, unless it is farther from the newest target than all there is room for.
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

    /// The frame that is visible at a new target, else the nearest; nil where there is none.
    func hit(at target: MediaTime, byteLimit: Int) -> Hit? {
        state.withLock { state in
            state.target = target
            state.byteLimit = byteLimit
            let limit = target + FrameQueue.tolerance
            // Those up to the tolerance have begun; one that begins right at it counts as later.
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

    /// What the frames take.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Lets go of everything.
    func clear() {
        state.withLock { state in
            state.frames = []
            state.byteCount = 0
        }
    }
}

extension VideoFrame {
    /// Whether it has begun at a time, and is not over.
    fileprivate func isVisible(at time: MediaTime) -> Bool {
        if duration.isNumeric, presentationTime + duration > time + FrameQueue.tolerance {
            return true
        }
        return presentationTime + FrameQueue.tolerance >= time
    }
}
