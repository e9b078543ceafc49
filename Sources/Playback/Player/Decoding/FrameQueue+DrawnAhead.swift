// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Frames that were drawn for a future vsync before the timeline was stopped or slowed down.
///
/// These frames are on their way to a screen, or already visible. They begin after the time at
/// which the timeline was stopped, because audio was heard only up to that time. Nevertheless the
/// video does not step back. While the timeline is stopped, the latest of these frames counts as
/// the visible frame, for new outputs too. When the timeline continues, each output keeps the frame
/// that it has until the timeline reaches that frame.
extension FrameQueue {
    /// The time at which the timeline was stopped or slowed down, and how far ahead frames may have
    /// been drawn.
    struct DrawnAhead {
        /// The time at which the timeline was stopped or slowed down; `invalid` if neither has
        /// happened, or if the playhead has been moved since then.
        var time = MediaTime.invalid
        var lead = MediaTime.zero
    }

    /// The maximum time ahead for which frames are drawn, at rate 1: two vsyncs of a 30 Hz display.
    private static let drawingLead = MediaTime(value: 1, timescale: 10)

    /// Records that the timeline is stopped or slowed down at a time.
    ///
    /// - Parameter rate: The rate before the change.
    func recordDrawnAhead(at time: MediaTime, rate: Double) {
        monitor.withLock {
            $0.drawnAhead = DrawnAhead(time: time, lead: Self.drawingLead * max(1, rate.magnitude))
        }
    }

    /// Returns `time`, or the beginning of the visible frame if the timeline was stopped at `time`.
    ///
    /// - Parameter drawn: The last frames that the outputs drew.
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
    /// Returns the index of the frame that is visible at `time`, or of a frame that was drawn
    /// before the timeline was stopped or slowed down.
    ///
    /// - Parameters:
    ///   - viewer: The last frame that the caller drew.
    ///   - drawn: The last frames that the outputs drew. It is read only while the timeline is
    ///     stopped.
    func seenIndex(
        at time: MediaTime, by viewer: UInt64? = nil, drawn: () -> [UInt64]
    ) -> Int? {
        let visible = index(at: time)
        guard let visible, drawnAhead.time.isNumeric else { return visible }
        let isForward = direction == .forward
        let ahead = isForward ? time - drawnAhead.time : drawnAhead.time - time
        guard ahead >= .zero, ahead <= drawnAhead.lead else { return visible }
        if ahead == .zero {
            let drawn = drawn()
            return farthest(from: visible, where: drawn.contains) ?? visible
        }
        return viewer.flatMap { viewer in farthest(from: visible) { $0 == viewer } } ?? visible
    }

    /// Returns the index of the latest frame that satisfies a condition. The search covers the
    /// frames from the visible one to the last that may have been drawn for a future vsync. Returns
    /// nil if there is no such frame.
    private func farthest(from visible: Int, where isDrawn: (UInt64) -> Bool) -> Int? {
        let isForward = direction == .forward
        var index = visible
        var farthest: Int?
        while entries.indices.contains(index) {
            // In reverse, a frame becomes visible at the beginning of the frame after it.
            let edge = entries[isForward || index == visible ? index : index + 1]
            let lead = (edge.frame.presentationTime - drawnAhead.time).magnitude
            if index != visible, lead > drawnAhead.lead { break }
            if isDrawn(entries[index].frame.pixelBuffer.identifier) { farthest = index }
            index += isForward ? 1 : -1
        }
        return farthest
    }
}
