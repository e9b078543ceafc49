// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Pictures that were taken for a vsync to come when a pause came first.
///
/// They are on their way to a screen, or on it, and begin later than where the timeline stands: sound was
/// heard up to there and no further. Nothing is stepped back by that: as long as the playhead stands, such
/// a picture is the one of that time, also for who comes later.
extension FrameQueue {
    /// Further ahead than this nobody draws for a vsync to come, at rate 1: two of a display of 30 Hz.
    private static let drawingLead = MediaTime(value: 1, timescale: 10)

    /// Notes that a pause has stopped the timeline, which went at a rate.
    func pause(at time: MediaTime, rate: Double) {
        monitor.withLock { $0.pause = (time, Self.drawingLead * max(1, rate.magnitude)) }
    }

    /// `time`, or where a pause stopped the timeline there, when the picture begins that is seen.
    ///
    /// - Parameter taken: what all outputs took last.
    func seenTime(at time: MediaTime, taken: @autoclosure () -> [UInt64]) -> MediaTime {
        monitor.withLock { state in
            guard let index = state.seenIndex(at: time, taken: taken),
                index != state.index(at: time)
            else { return time }
            return state.entries[index].frame.presentationTime
        }
    }
}

extension FrameQueue.State {
    /// Index of the frame that is visible at `time`, or where a pause stopped the timeline there, of the
    /// one that is seen: what the viewer took, if that was for a vsync to come, else the nearest that
    /// anybody did.
    ///
    /// - Parameters:
    ///   - viewer: the picture that the one who asks took last.
    ///   - taken: what all outputs took last; looked at where the viewer's own does not decide.
    func seenIndex(
        at time: MediaTime, by viewer: UInt64? = nil, taken: () -> [UInt64]
    ) -> Int? {
        let visible = index(at: time)
        guard let visible, time == pause.time else { return visible }
        if let viewer, let index = nearest(from: visible, where: { $0 == viewer }) { return index }
        let taken = taken()
        return nearest(from: visible, where: taken.contains) ?? visible
    }

    /// Index of the nearest of some pictures, from the one that is visible where a pause stopped the
    /// timeline to the last that may have been taken for a vsync to come; nil where none is there.
    private func nearest(from visible: Int, where isTaken: (UInt64) -> Bool) -> Int? {
        let isForward = direction == .forward
        var index = visible
        while entries.indices.contains(index) {
            // Backwards, a picture begins to be seen where the one after it begins.
            let edge = entries[isForward || index == visible ? index : index + 1]
            let lead = (edge.frame.presentationTime - pause.time).magnitude
            if index != visible, lead > pause.lead { return nil }
            if isTaken(entries[index].frame.pixelBuffer.identifier) { return index }
            index += isForward ? 1 : -1
        }
        return nil
    }
}
