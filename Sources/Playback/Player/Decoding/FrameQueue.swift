// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The queue between the video decoding thread and the consumers of frames.
///
/// It is a window of decoded frames around the playhead, in presentation order. Outputs look up the
/// frame that is due at a time. Frames behind the playhead are discarded, even if no output took
/// them. While the window is full, the decoder waits.
///
/// - Concurrency: one writer, which may wait, and any number of readers, which never wait. The lock
///   is held for a few comparisons, and never during decoding.
/// - Capacity: `frameLimit` frames, or fewer if they exceed `byteLimit` bytes. At least
///   `minimumFrames` frames are kept, or two frames if many tracks share the memory. For reverse
///   playback, see `FrameQueue+Reverse.swift`.
final class FrameQueue: Sendable {
    /// The maximum number of frames: the visible frame, and the frames for steps back. Eight frames
    /// are 133 ms at 60 fps. Decoding is rarely late by more than that.
    static let frameLimit = StepState.limit + 1
    /// The number of frames that are kept even if they exceed `byteLimit`. Four frames are 67 ms,
    /// and enough for decoders that output two or three frames at once.
    static let minimumFrames = 4
    /// The maximum size: four frames of 1080p. Eight frames rarely help, and take twice the memory.
    /// Decoders hold twice as many internally.
    static let byteLimit = 12 << 20

    static let tolerance = VideoFrame.timeTolerance

    struct Entry {
        var frame: VideoFrame
        /// The number of the frame's group in reverse playback. The first group is the latest in
        /// item time.
        var group = 0
        var isTaken = false
    }

    struct State {
        var generation = 0
        /// The direction of playback.
        var direction = PlaybackDirection.forward
        /// In reverse playback: the maximum size of all frames, in bytes, and the number of groups
        /// so far.
        var reverseByteLimit = 0
        var groupCount = 0
        var entries: [Entry] = []
        /// The frame that was visible when a seek began. It stays until the first frame of the seek
        /// arrives.
        var held: VideoFrame?
        var hasEnded = false
        var isClosed = false
        var byteCount = 0
        var byteLimit = FrameQueue.byteLimit
        /// The size in bytes above which the queue keeps only two frames: the visible one and the
        /// next.
        var hardByteLimit = Int.max
        var decodedCount = 0
        var droppedCount = 0
        /// The time at which playback ends before the end of the media; `invalid` if no such time
        /// is set.
        var end = MediaTime.invalid
        /// The number of times that the timeline was started, stopped or moved.
        var timelineChanges = 0
        var drawnAhead = DrawnAhead()

        var isFull: Bool {
            if direction == .reverse { return hasEnoughGroups }
            return entries.count >= FrameQueue.frameLimit
                || (entries.count >= FrameQueue.minimumFrames && byteCount >= byteLimit)
                || (entries.count >= 2 && byteCount >= hardByteLimit)
        }

        /// Returns the index of the frame that is visible at `time`. It is the last frame that has
        /// begun, or the first frame if none has begun, so that a video whose first frame begins
        /// slightly late is not black.
        func index(at time: MediaTime) -> Int? {
            guard !entries.isEmpty else { return nil }
            let limit = time + FrameQueue.tolerance
            // The comparison is made in place. Passing the frames to a closure would copy them,
            // which costs reference counting.
            var index = entries.count - 1
            while index > 0 {
                let start = entries[index].frame.presentationTime
                if start <= limit, isShown(at: start) { break }
                index -= 1
            }
            return index
        }

        /// Returns whether a frame that begins at a time is shown. It is not shown if it begins at
        /// or after the end of playback that was set.
        func isShown(at start: MediaTime) -> Bool {
            !end.isNumeric || start + FrameQueue.tolerance < end
        }

        /// Discards frames behind the frame that is visible at `time`. The visible frame always
        /// stays.
        mutating func discard(behind time: MediaTime) {
            guard time.isNumeric, let index = index(at: time) else { return }
            let behind =
                direction == .forward ? 0..<index : (index + 1)..<entries.endIndex
            guard !behind.isEmpty else { return }
            for entry in entries[behind] {
                if !entry.isTaken { droppedCount += 1 }
                byteCount -= entry.frame.pixelBuffer.byteCount
            }
            entries.removeSubrange(behind)
        }

        /// Returns the one of two times that the playhead reaches first.
        func earlier(_ time: MediaTime, _ other: MediaTime) -> MediaTime {
            direction == .forward ? min(time, other) : max(time, other)
        }

        /// Returns the index of the frame that follows the one visible at `time`, in the direction
        /// of playback; nil if it has not been decoded.
        func nextIndex(after time: MediaTime) -> Int? {
            guard let index = index(at: time) else { return nil }
            if direction == .reverse { return index > 0 ? index - 1 : nil }
            return index + 1 < entries.count ? index + 1 : nil
        }

        /// Returns whether the queue shows frames on the way to the target of the seek that began
        /// `generation`.
        func takesHeld(_ generation: Int) -> Bool {
            !isClosed && self.generation == generation && entries.isEmpty
        }

        func isNearer(_ time: MediaTime, to target: MediaTime, generation: Int) -> Bool {
            guard takesHeld(generation) else { return false }
            guard let held else { return true }
            return (time - target).magnitude < (held.presentationTime - target).magnitude
        }

        mutating func insert(_ frame: VideoFrame) {
            held = nil
            decodedCount += 1
            byteCount += frame.pixelBuffer.byteCount
            // In damaged streams, times may step back. The queue stays in order nevertheless.
            let index =
                entries.lastIndex { $0.frame.presentationTime <= frame.presentationTime }
                .map { $0 + 1 } ?? 0
            entries.insert(Entry(frame: frame), at: index)
        }
    }

    let monitor: Monitor<State>
    private let extent: FrameExtent

    init(extent: FrameExtent = .unlimited) {
        self.extent = extent
        var state = State()
        state.entries.reserveCapacity(Self.frameLimit + 1)
        monitor = Monitor(state)
    }

    /// The result of adding a frame.
    enum PushResult {
        case stored
        /// A newer generation has begun, or the queue has been closed. The frame was dropped.
        case outdated
    }

    /// Adds a frame. If the queue is full, waits until the moving playhead frees space.
    func push(_ frame: VideoFrame, generation: Int, timebase: Timebase) -> PushResult {
        var patience = Self.shortestLook
        while true {
            // This is read before the time. If the timeline moves in between, the wait then ends at
            // once.
            let changes = monitor.withLock { $0.timelineChanges }
            let now = timebase.time
            let result: PushResult? = monitor.change { state in
                if state.isClosed || state.generation != generation { return .outdated }
                state.discard(behind: now)
                guard !state.isFull else { return nil }
                state.insert(frame)
                return .stored
            }
            if let result { return result }
            waitForRoom(
                generation: generation, timebase: timebase, changes: changes, patience: &patience)
        }
    }

    /// The interval, in nanoseconds, at which the queue checks for space if the clock does not
    /// determine when space becomes free.
    static let shortestLook: Int64 = 500_000
    private static let longestLook: Int64 = 16_000_000

    /// Waits until something changes, or until the playhead frees space: it reaches the second
    /// frame of the full queue or, in reverse, leaves the last frame.
    ///
    /// - Parameter patience: The minimum duration of the wait, in nanoseconds; `shortestLook`
    ///   initially. It grows if the due time has passed but the playhead has not moved, as with a
    ///   manual clock. With such a clock, a caller that waits for a frame makes space itself.
    func waitForRoom(generation: Int, timebase: Timebase, changes: Int, patience: inout Int64) {
        let next = monitor.withLock { state in
            let next =
                state.direction == .forward ? state.entries.dropFirst().first : state.entries.last
            return next?.frame.presentationTime
        }
        let due = next.flatMap { timebase.hostTime(at: $0) }?.nanoseconds
        let isOver: (inout State) -> Bool? = { state in
            let isOutdated = state.isClosed || state.generation != generation
            return isOutdated || state.timelineChanges != changes || !state.isFull ? true : nil
        }
        if let due {
            let wait = due - HostClock.nanoseconds
            _ = monitor.wait(nanoseconds: min(max(wait, patience), 50_000_000), until: isOver)
            if wait < 0 { patience = min(patience * 2, Self.longestLook) }
        } else {
            // The timeline is stopped. `timelineChanged` ends the wait.
            _ = monitor.wait(until: isOver)
        }
    }

    /// Records that the timebase has been started, stopped or moved.
    func timelineChanged() {
        monitor.change { $0.timelineChanges += 1 }
    }

    /// Discards all frames and begins a generation. The frame that is visible at `time` stays until
    /// the first new frame arrives.
    ///
    /// - Parameter reverseByteLimit: The maximum size of frames in reverse playback, in bytes; nil
    ///   for forward playback.
    func restart(generation: Int, visibleAt time: MediaTime, reverseByteLimit: Int? = nil) {
        monitor.change { state in
            if let index = state.index(at: time) {
                let frame = state.entries[index].frame
                state.held = extent.shows(frame, at: time) ? frame : nil
            }
            state.entries.removeAll(keepingCapacity: true)
            state.byteCount = 0
            state.generation = generation
            state.drawnAhead = DrawnAhead()
            state.direction = reverseByteLimit == nil ? .forward : .reverse
            state.reverseByteLimit = reverseByteLimit ?? 0
            state.hasEnded = false
        }
    }

    /// Sets the maximum size of frames in forward playback. It is limited to the default.
    ///
    /// - Parameter hardLimit: The size that is exceeded only for the visible frame and the next.
    func setByteLimit(_ limit: Int, hardLimit: Int) {
        monitor.change { state in
            state.byteLimit = min(limit, Self.byteLimit)
            state.hardByteLimit = hardLimit
        }
    }

    /// Shows nothing until the first frame of a generation arrives.
    func releaseHeld(generation: Int) {
        monitor.withLock { if $0.generation == generation { $0.held = nil } }
    }

    /// Sets the time at which playback ends before the end of the media; `invalid` to remove it.
    func setEnd(_ end: MediaTime) { monitor.change { $0.end = end } }

    /// Shows a frame on the way to a seek's target, if it is nearer to the target than the visible
    /// frame. The frame stays until the frame at the target arrives. Returns false if the frame is
    /// not nearer.
    ///
    /// - Parameter isExact: A Boolean value that indicates whether this is the frame at the target,
    ///   which is nearer than any other.
    func show(
        _ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int, isExact: Bool = false
    ) -> Bool {
        monitor.withLock { state in
            let start = frame.presentationTime
            let isNearer =
                isExact && state.held?.presentationTime != start
                ? state.takesHeld(generation)
                : state.isNearer(start, to: target, generation: generation)
            if isNearer { state.held = frame }
            return isNearer
        }
    }

    /// Returns whether a frame that begins at `time` would be shown on the way to a seek's target.
    func wouldShow(frameAt time: MediaTime, onTheWayTo target: MediaTime, generation: Int) -> Bool {
        monitor.withLock { $0.isNearer(time, to: target, generation: generation) }
    }

    /// Records that the last frame of a generation has been added.
    func finish(generation: Int) {
        monitor.change { state in
            if state.generation == generation { state.hasEnded = true }
        }
    }

    func close() {
        monitor.change { state in
            state.isClosed = true
            state.entries.removeAll()
            state.held = nil
        }
    }

    /// Returns the frame that is visible at `time`, and discards frames behind `playhead`. In
    /// reverse playback, a time that the playhead has passed is replaced by `playhead`.
    ///
    /// - Parameters:
    ///   - taking: A Boolean value that indicates whether the caller will show the frame, so that
    ///     it does not count as dropped.
    ///   - viewer: The last frame that the caller drew.
    ///   - drawn: The last frames that the outputs drew; see `State.seenIndex(at:by:drawn:)`.
    func frame(
        at time: MediaTime, playhead: MediaTime, taking: Bool, viewer: UInt64? = nil,
        drawn: @autoclosure () -> [UInt64] = []
    ) -> VideoFrame? {
        let (frame, madeRoom) = monitor.withLock { state -> (VideoFrame?, Bool) in
            let count = state.entries.count
            state.discard(behind: state.earlier(playhead, time))
            let isBehind = state.direction == .reverse && time > playhead
            let time = isBehind ? playhead : time
            guard let index = state.seenIndex(at: time, by: viewer, drawn: drawn) else {
                return (state.held, false)
            }
            // A frame that was drawn ahead is shown before its time.
            guard
                extent.shows(state.entries[index].frame, at: time)
                    || index != state.index(at: time)
            else { return (nil, state.entries.count < count) }
            if taking { state.entries[index].isTaken = true }
            return (state.entries[index].frame, state.entries.count < count)
        }
        if madeRoom { monitor.wake() }
        return frame
    }

    /// Returns the frame that is visible at `time + step` or, if that is the frame visible at
    /// `time`, the next frame. Returns nil if the frame has not been decoded.
    func upcomingFrame(after time: MediaTime, step: MediaTime) -> VideoFrame? {
        monitor.withLock { state in
            guard let next = state.nextIndex(after: time) else { return nil }
            let later = state.index(at: time + step)
            let index = later.flatMap { $0 == state.index(at: time) ? nil : $0 } ?? next
            let frame = state.entries[index].frame
            return state.isShown(at: frame.presentationTime) ? frame : nil
        }
    }

    /// Returns the frames that follow the one visible at `time`, in the direction of playback.
    func following(_ time: MediaTime, count: Int) -> [PixelBuffer] {
        monitor.withLock { state in
            guard let index = state.index(at: time) else { return [] }
            let range =
                state.direction == .forward
                ? (index + 1)..<state.entries.count : max(0, index - count)..<index
            let frames = state.entries[range].filter {
                state.isShown(at: $0.frame.presentationTime)
            }.map(\.frame.pixelBuffer)
            return Array((state.direction == .forward ? frames : frames.reversed()).prefix(count))
        }
    }

    /// Moves by `count` frames from `time`, as far as frames have been decoded, and returns the
    /// result.
    ///
    /// - Returns: the start of the frame that was reached, the number of steps, and whether this is
    ///   the last frame of the media.
    func step(
        from time: MediaTime, by count: Int
    ) -> (time: MediaTime, taken: Int, isLast: Bool) {
        monitor.withLock { state in
            guard let index = state.index(at: time) else { return (time, 0, state.hasEnded) }
            let last =
                state.entries.lastIndex { state.isShown(at: $0.frame.presentationTime) } ?? index
            let target = min(index + count, max(index, last))
            let isLast = last < state.entries.count - 1 || state.hasEnded
            return (
                state.entries[target].frame.presentationTime, target - index,
                isLast && target >= last
            )
        }
    }

    /// Returns whether the frame that is visible at `time` has ended, but the next frame is
    /// missing.
    func isStarved(at time: MediaTime) -> Bool {
        monitor.withLock { state in
            if state.direction == .reverse { return state.lacksFrame(at: time) }
            guard !state.hasEnded, let frame = state.entries.last?.frame else { return false }
            return frame.duration.isNumeric && time >= frame.presentationTime + frame.duration
        }
    }

    /// Waits until it is certain which frame is visible at `time`, which is when the next one has
    /// been decoded or the stream has ended. Returns the time at which the next frame begins; nil
    /// at the end, or after `nanoseconds`. In reverse playback, the next frame is the one that
    /// precedes the visible frame.
    func waitForFrame(
        after time: MediaTime, playhead: MediaTime, nanoseconds: Int64
    ) -> MediaTime? {
        monitor.change { $0.discard(behind: $0.earlier(playhead, time)) }
        let next = monitor.wait(nanoseconds: nanoseconds) { state -> MediaTime?? in
            if let index = state.nextIndex(after: time) {
                let next = state.entries[index].frame
                return .some(state.isShown(at: next.presentationTime) ? next.presentationTime : nil)
            }
            return state.hasEnded || state.isClosed ? .some(nil) : nil
        }
        return next ?? nil
    }

    /// Returns whether enough has been decoded to start playback at `time`: either the frame after
    /// the visible one, so that it is available when it is due, or all frames up to the end.
    func isPrimed(at time: MediaTime) -> Bool {
        monitor.withLock { state in
            state.hasEnded || state.nextIndex(after: time) != nil
        }
    }

    /// Returns the size of the frame that is visible at `time`; nil if there is no frame.
    func presentationSize(at time: MediaTime) -> PresentationSize? {
        monitor.withLock { state in
            state.index(at: time).map { PresentationSize(state.entries[$0].frame.pixelBuffer) }
        }
    }

    /// Returns the time at which the frame that is visible at `time` is replaced by the next frame
    /// in a direction; nil if that is not known yet.
    func nextTime(after time: MediaTime, isForward: Bool) -> MediaTime? {
        monitor.withLock { state in
            guard let index = state.index(at: time) else { return nil }
            let next = isForward ? index + 1 : index
            guard state.entries.indices.contains(next), isForward || index > 0 else { return nil }
            return state.entries[next].frame.presentationTime
        }
    }

    /// A Boolean value that indicates whether nothing more is decoded until the playhead moves.
    var isFullOrEnded: Bool { monitor.withLock { $0.hasEnded || $0.isFull } }

    /// Discards frames behind `playhead`, and returns whether nothing more is decoded until the
    /// playhead moves.
    func isFullOrEnded(at playhead: MediaTime) -> Bool {
        monitor.change { state in
            state.discard(behind: playhead)
            return state.hasEnded || state.isFull
        }
    }

    /// Discards frames behind a playhead that begins there. They do not count as dropped.
    func passOver(before playhead: MediaTime) {
        monitor.change { state in
            let count = state.droppedCount
            state.discard(behind: playhead)
            state.droppedCount = count
        }
    }

    /// A Boolean value that indicates whether the last frame of the generation has been decoded.
    var hasEnded: Bool { monitor.withLock { $0.hasEnded } }

    /// A Boolean value that indicates whether there is a frame, or no frame will come.
    var hasFrameOrEnd: Bool { monitor.withLock { !$0.entries.isEmpty || $0.hasEnded } }

    /// Counts a frame that was decoded too late to be queued.
    func countSkipped() {
        monitor.withLock { state in
            state.decodedCount += 1
            state.droppedCount += 1
        }
    }

    /// The end of the last frame in forward playback; `invalid` if it is unknown or there are no
    /// frames.
    var end: MediaTime {
        monitor.withLock { state in
            guard let frame = state.entries.last?.frame, frame.duration.isNumeric else {
                return .invalid
            }
            return frame.presentationTime + frame.duration
        }
    }

    /// The size of the frames, in bytes.
    var byteCount: Int { monitor.withLock { $0.byteCount } }

    /// The number of frames.
    var depth: Int { monitor.withLock { $0.entries.count } }

    /// The counts since the item was opened.
    var counts: (decoded: Int, dropped: Int) {
        monitor.withLock { ($0.decodedCount, $0.droppedCount) }
    }
}
