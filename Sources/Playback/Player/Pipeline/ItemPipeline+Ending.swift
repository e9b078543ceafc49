// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// What a pipeline tells its player, which may have to act on it.
enum PipelineEvent: Sendable {
    /// Decoding has gone on, or the timeline has been changed.
    case advanced
    /// The playhead has reached the end.
    case ended
    /// The item cannot be played.
    case failed
}

/// Ending playback of an item.
extension ItemPipeline {
    /// Where playback ends, what then happens, and after whom it began.
    struct Ending {
        var action = Player.ActionAtItemEnd.pause
        /// As they were set; `invalid` for the item's own.
        var forward = MediaTime.invalid
        var reverse = MediaTime.invalid
        /// Where playback ends on account of `forward`: there, or where the playhead is that was put
        /// beyond it.
        private(set) var limit = MediaTime.invalid
        /// Pictures that begin here or later are not shown.
        private(set) var visibleEnd = MediaTime.invalid
        /// Where playback backwards ends on account of `reverse`, likewise.
        private(set) var reverseLimit = MediaTime.invalid
        /// Whether the item is its player's current one.
        var isCurrent = false
        /// Whether the player has not been told yet that the end has been reached.
        var isUnannounced = false
        /// What the renderer and the frame queue were last told, and when the timer is to fire.
        var noted = (
            end: MediaTime.invalid, visibleEnd: MediaTime.invalid, alarm: MediaTime.invalid
        )
        var timer: TimebaseTimer?
        /// The start that was declared after another item's end, until that has come, and where in
        /// this item.
        var succession: (moment: Succession, position: MediaTime)?

        /// The playhead has been put to `time`.
        mutating func seek(to time: MediaTime) {
            let isBeyond = forward.isNumeric && time > forward
            limit = isBeyond ? time : forward
            visibleEnd = isBeyond ? .invalid : forward
            reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
        }

        /// At the end that playback was given, the last frame before it is shown: how far before
        /// `time` that ends, at least.
        func leadTime(to time: MediaTime) -> MediaTime {
            guard forward.isNumeric, time <= forward else { return .zero }
            return max(.zero, time - forward + FrameQueue.tolerance * Int32(2))
        }
    }

    func setActionAtEnd(_ action: Player.ActionAtItemEnd) {
        control.change { control in
            control.ending.action = action
            guard action != .none, control.hasPlayedToEnd, control.isRunning else { return }
            // Nothing was done when the end was reached: it is done now.
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

    /// Where reading broke off before anything came of where a seek has led, playback is over there:
    /// it would run on over the picture of another time. With the lock held.
    ///
    /// - Returns: whether something is there.
    func settleFailure(_ control: inout Control) -> Bool {
        guard control.readingError != nil, !control.hasVideo else { return true }
        let time = timebase.time
        if let renderer = control.renderer, renderer.bufferedTimeRange.end > time { return true }
        if control.videoTrack != nil { control.videoEnd = time }
        if control.audioTrack != nil { control.audioEnd = time }
        return false
    }

    /// Playback has come to its end, in either direction; says whether the timeline was stopped.
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
        // The rate goes over to the item that follows.
        if control.staysAtEnd { control.desiredRate = 0 }
        timebase.setRate(0, time: end, atMasterTime: .zero)
    }

    /// Lets sound and pictures know where they end. With the lock held.
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

    /// Sees to it that the end is noticed when it is reached, and gives whether it has been, once.
    /// With the lock held.
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

    /// Tells the player. Never with a lock held.
    func announce(_ event: PipelineEvent) {
        eventHandler(event)
    }
}

extension ItemPipeline.Control {
    /// Where playback ends: where it was told to, or once every track has been decoded to its end,
    /// where the item does if that is earlier.
    var playbackEnd: MediaTime? {
        guard ending.limit.isNumeric else { return naturalEnd }
        return min(naturalEnd ?? ending.limit, ending.limit)
    }

    /// Whether playback has ended, and nothing is left to play.
    var isOver: Bool { hasPlayedToEnd && ending.action != .none }

    /// Whether no other item follows at the end that playback has come to: none does backwards.
    var staysAtEnd: Bool { ending.action != .advance || endedInReverse }
}
