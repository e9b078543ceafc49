// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Pictures that were drawn for a vsync to come when the timeline was then stopped, or slowed down.
///
/// They are on their way to a screen, or on it, and begin later than where the timeline is: sound was heard
/// up to there and no further. Nothing is stepped back by that. Where the timeline stands, the farthest such
/// picture is the one of that time, also for who comes later; as it goes on, each output keeps its own until
/// the timeline gets there.
extension FrameQueue {
    /// Where the timeline was stopped or slowed down, and how far ahead of that pictures may have been drawn.
    struct Setback {
        /// `invalid` where there was none, or the playhead has been moved since.
        var time = MediaTime.invalid
        var lead = MediaTime.zero
    }

    /// Further ahead than this nobody draws for a vsync to come, at rate 1: two of a display of 30 Hz.
    private static let drawingLead = MediaTime(value: 1, timescale: 10)

    /// Notes that the timeline is stopped, or slowed down, at a time.
    ///
    /// - Parameter rate: at which it went.
    func setBack(at time: MediaTime, rate: Double) {
        monitor.withLock {
            $0.setback = Setback(time: time, lead: Self.drawingLead * max(1, rate.magnitude))
        }
    }

    /// `time`, or where the timeline was stopped there, when the picture begins that is seen.
    ///
    /// - Parameter drawn: what all outputs drew last.
    func seenTime(at time: MediaTime, drawn: @autoclosure () -> [UInt64]) -> MediaTime {
        monitor.withLock { state in
            guard let index = state.seenIndex(at: time, drawn: drawn),
                index != state.index(at: time)
            else { return time }
            return state.entries[index].frame.presentationTime
        }
    }
}

extension FrameQueue.State {
    /// Index of the frame that is visible at `time`, or of one that was drawn before a setback.
    ///
    /// - Parameters:
    ///   - viewer: the picture that the one who asks drew last.
    ///   - drawn: what all outputs drew last; looked at where the timeline stands only.
    func seenIndex(
        at time: MediaTime, by viewer: UInt64? = nil, drawn: () -> [UInt64]
    ) -> Int? {
        let visible = index(at: time)
        guard let visible, setback.time.isNumeric else { return visible }
        let isForward = direction == .forward
        let ahead = isForward ? time - setback.time : setback.time - time
        guard ahead >= .zero, ahead <= setback.lead else { return visible }
        if ahead == .zero {
            let drawn = drawn()
            return farthest(from: visible, where: drawn.contains) ?? visible
        }
        return viewer.flatMap { viewer in farthest(from: visible) { $0 == viewer } } ?? visible
    }

    /// Index of the farthest of some pictures, from the one that is visible to the last that may have been
    /// drawn for a vsync to come; nil where none is there.
    private func farthest(from visible: Int, where isDrawn: (UInt64) -> Bool) -> Int? {
        let isForward = direction == .forward
        var index = visible
        var farthest: Int?
        while entries.indices.contains(index) {
            // Backwards, a picture begins to be seen where the one after it begins.
            let edge = entries[isForward || index == visible ? index : index + 1]
            let lead = (edge.frame.presentationTime - setback.time).magnitude
            if index != visible, lead > setback.lead { break }
            if isDrawn(entries[index].frame.pixelBuffer.identifier) { farthest = index }
            index += isForward ? 1 : -1
        }
        return farthest
    }
}
