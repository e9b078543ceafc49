// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Frames for reverse playback.
///
/// Frames arrive in groups, the latest group first. Each group is complete and in presentation
/// order. A frame is looked up by its item time as usual, so each frame is visible for its own
/// interval, mirrored in time. Ahead of the playhead, there is always one group in addition to the
/// one that plays.
///
/// - Capacity: half of `reverseByteLimit`. When it is exceeded, the decoder waits. The other half
///   is for the group that is being decoded. The queue also counts as full if it contains two
///   groups with a duration of `reverseSpan`.
extension FrameQueue {
    /// The total duration of the queued groups at which the queue counts as full. Decoding a short
    /// group takes less time than this.
    static let reverseSpan = MediaTime(value: 2, timescale: 1)

    /// Adds a group. Its frames begin before those in the queue.
    ///
    /// - Returns: false if the playhead has passed all of the group; nil if the group was outdated.
    func push(group: [VideoFrame], generation: Int, timebase: Timebase) -> Bool? {
        let now = timebase.time
        return monitor.change { state in
            if state.isClosed || state.generation != generation { return nil }
            state.insert(group: group)
            let isInTime = group.first.map { now + Self.tolerance >= $0.presentationTime } ?? true
            state.discard(behind: now)
            return isInTime
        }
    }

    /// Returns whether a frame that begins after `time` has been decoded.
    func hasFrame(after time: MediaTime) -> Bool {
        monitor.withLock { state in
            state.entries.last.map { $0.frame.presentationTime > time } ?? false
        }
    }

    /// Waits until there is space for another group. Returns false if a newer generation has begun
    /// or the queue has been closed.
    func waitForGroupRoom(generation: Int, timebase: Timebase) -> Bool {
        var patience = Self.shortestLook
        while true {
            let changes = monitor.withLock { $0.timelineChanges }
            let now = timebase.time
            let result: Bool? = monitor.change { state in
                if state.isClosed || state.generation != generation { return false }
                state.discard(behind: now)
                return state.isFull ? nil : true
            }
            if let result { return result }
            waitForRoom(
                generation: generation, timebase: timebase, changes: changes, patience: &patience)
        }
    }
}

extension FrameQueue.State {
    var hasEnoughGroups: Bool {
        if byteCount > reverseByteLimit / 2 { return true }
        guard let first = entries.first, let last = entries.last, first.group > last.group else {
            return false
        }
        let span = last.frame.presentationTime - first.frame.presentationTime
        return span >= FrameQueue.reverseSpan
    }

    /// Returns whether the frame that is due at `time` has not been decoded yet.
    func lacksFrame(at time: MediaTime) -> Bool {
        guard !hasEnded, let first = entries.first else { return false }
        return time + FrameQueue.tolerance < first.frame.presentationTime
    }

    mutating func insert(group: [VideoFrame]) {
        guard !group.isEmpty else { return }
        held = nil
        decodedCount += group.count
        groupCount += 1
        for frame in group { byteCount += frame.pixelBuffer.byteCount }
        entries.insert(
            contentsOf: group.map { FrameQueue.Entry(frame: $0, group: groupCount) }, at: 0)
    }
}
