// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// An event that a pipeline reports to its player.
enum PipelineEvent: Sendable {
    /// Decoding has progressed, or the timeline has changed.
    case advanced
    /// The playhead has reached the end.
    case ended
    /// The item cannot be played.
    case failed
}

/// The end of an item's playback.
extension ItemPipeline {
    /// The end of playback, the action there, and the predecessor.
    struct Ending {
        var action = EndAction.pause
        /// The ends as they were set; `invalid` for those of the item.
        var forward = MediaTime.invalid
        var reverse = MediaTime.invalid
        /// The time at which playback ends because of `forward`: that time, or the playhead if it
        /// was moved beyond it.
        private(set) var limit = MediaTime.invalid
        /// The time from which frames are not shown.
        private(set) var visibleEnd = MediaTime.invalid
        /// The time at which backward playback ends because of `reverse`.
        private(set) var reverseLimit = MediaTime.invalid
        /// A Boolean value that indicates whether the item is its player's current one.
        var isCurrent = false
        /// A Boolean value that indicates whether the end has not been reported to the player yet.
        var isUnannounced = false
        /// The state last passed to the renderer and the frame queue, and the time of the timer.
        var noted = (
            end: MediaTime.invalid, visibleEnd: MediaTime.invalid, alarm: MediaTime.invalid
        )
        var timer: TimebaseTimer?
        /// The start that was declared for another item's end, until that has come, and the
        /// position in this item.
        var succession: (moment: Succession, position: MediaTime)?

        /// Handles a move of the playhead to `time`.
        mutating func seek(to time: MediaTime) {
            let isBeyond = forward.isNumeric && time > forward
            limit = isBeyond ? time : forward
            visibleEnd = isBeyond ? .invalid : forward
            reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
        }

        /// Returns the minimum distance before `time` at which the last frame before the set end of
        /// playback ends.
        func leadTime(to time: MediaTime) -> MediaTime {
            guard forward.isNumeric, time <= forward else { return .zero }
            return max(.zero, time - forward + FrameQueue.tolerance * Int32(2))
        }
    }

    func setActionAtEnd(_ action: EndAction) {
        control.change { control in
            control.ending.action = action
            guard action != .none, control.hasPlayedToEnd, control.isRunning else { return }
            // The action was not performed when the end was reached: it is performed now.
            let end = control.endedInReverse ? control.reverseEnd : control.playbackEnd
            finish(&control, at: end ?? timebase.time)
            control.ending.isUnannounced = true
        }
        frames.timelineChanged()
        evaluate()
    }

    func setEnds(forward: MediaTime? = nil, reverse: MediaTime? = nil) {
        control.change { control in
            let playhead = control.seek?.target ?? timebase.time
            control.ending.forward = forward ?? control.ending.forward
            control.ending.reverse = reverse ?? control.ending.reverse
            control.ending.seek(to: playhead)
            // An end that has been moved away from the playhead has not been reached.
            if control.hasPlayedToEnd, !control.isRunning {
                control.hasPlayedToEnd =
                    control.endedInReverse
                    ? playhead <= control.reverseEnd
                    : control.playbackEnd.map { playhead >= $0 } ?? false
            }
        }
        evaluate()
        tellOutputs(.willChange)
    }

    /// Keeps the playhead within the item once its end is known: playback stops there, and a seek
    /// beyond it ends there. With the lock held.
    func settleAtEnd(_ control: inout Control) -> Bool {
        guard control.seek == nil, !control.hasPlayedToEnd else { return false }
        if control.direction == .reverse { return settleAtStart(&control) }
        guard let end = control.playbackEnd else { return false }
        let time = timebase.time
        guard time > end || (control.isRunning && time >= end) else { return false }
        guard control.isRunning else {
            timebase.setRate(0, time: end, atMasterTime: .zero)
            return true
        }
        return reachEnd(&control, at: end, inReverse: false)
    }

    /// Ends playback if reading failed before anything was decoded at the target of a seek: the
    /// timeline would run while the frame of another time is visible. With the lock held.
    ///
    /// - Returns: A Boolean value that indicates whether anything is decoded.
    func settleFailure(_ control: inout Control) -> Bool {
        guard control.readingError != nil, !control.hasVideo else { return true }
        let time = timebase.time
        if let renderer = control.renderer, renderer.bufferedTimeRange.end > time { return true }
        if control.videoTrack != nil { control.videoEnd = time }
        if control.audioTrack != nil { control.audioEnd = time }
        return false
    }

    /// Handles the end of playback in either direction; returns whether the timeline was stopped.
    func reachEnd(_ control: inout Control, at end: MediaTime, inReverse: Bool) -> Bool {
        control.hasPlayedToEnd = true
        control.endedInReverse = inReverse
        control.endCount += 1
        control.ending.isUnannounced = true
        if control.ending.action == .none { return false }
        finish(&control, at: end)
        return true
    }

    private func finish(_ control: inout Control, at end: MediaTime) {
        stop(&control)
        // The rate is passed to the next item.
        if control.staysAtEnd { control.desiredRate = 0 }
        timebase.setRate(0, time: end, atMasterTime: .zero)
    }

    /// Passes the end to audio and video. With the lock held.
    func noteEnd(_ control: inout Control) {
        let end = control.playbackEnd ?? .invalid
        if control.ending.noted.end != end {
            control.ending.noted.end = end
            control.renderer?.endTime = end
        }
        let visibleEnd = control.ending.visibleEnd
        if control.ending.noted.visibleEnd != visibleEnd {
            control.ending.noted.visibleEnd = visibleEnd
            frames.setEnd(visibleEnd)
        }
    }

    /// Schedules the detection of the end, and returns once whether it has been reached. With the
    /// lock held.
    func takeEnd(_ control: inout Control) -> Bool {
        let end = control.direction == .forward ? control.playbackEnd : control.reverseEnd
        let alarm = control.hasPlayedToEnd ? .invalid : end ?? .invalid
        if control.ending.noted.alarm != alarm {
            control.ending.noted.alarm = alarm
            setEndTimer(&control, at: alarm)
        }
        defer { control.ending.isUnannounced = false }
        return control.ending.isUnannounced
    }

    private func setEndTimer(_ control: inout Control, at time: MediaTime) {
        if let timer = control.ending.timer {
            timer.fireTime = time
            return
        }
        control.ending.timer = timebase.addTimer(at: time) { [weak self] _ in
            guard let self else { return }
            self.control.change { $0.ending.noted.alarm = .invalid }
            self.evaluate()
        }
    }

    /// Reports an event to the player. Never with a lock held.
    func announce(_ event: PipelineEvent) {
        eventHandler(event)
    }
}

extension ItemPipeline.Control {
    /// The end of playback: the set one, or that of the item, once every track has been decoded to
    /// its end, if that is earlier.
    var playbackEnd: MediaTime? {
        guard ending.limit.isNumeric else { return naturalEnd }
        return min(naturalEnd ?? ending.limit, ending.limit)
    }

    /// A Boolean value that indicates whether playback has ended and nothing is left to play.
    var isOver: Bool { hasPlayedToEnd && ending.action != .none }

    /// A Boolean value that indicates whether no other item follows; always true at the end of
    /// backward playback.
    var staysAtEnd: Bool { ending.action != .advance || endedInReverse }
}
