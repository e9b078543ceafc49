// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The handling of events: each event is passed to the transport, and the resulting actions are
/// performed.
extension ItemPipeline {
    /// Handles an event. Must not be called with the lock held.
    ///
    /// - Returns: the transport's answer; false if there is no answer.
    @discardableResult
    func post(_ event: TransportEvent) -> Bool {
        let (answer, after) = perform(event)
        perform(after)
        return answer
    }

    /// Handles an event that no thread waits for. No thread is woken.
    @discardableResult
    func note(_ event: TransportEvent) -> Bool {
        control.withLock { control in
            var work = Work()
            handleCounting(event, &control, &work)
            return work.answer
        }
    }

    /// Handles an event. Returns the transport's answer, and the actions that the caller has to
    /// perform without the lock.
    ///
    /// - Parameters:
    ///   - always: A Boolean value that indicates whether `body` is called even if the answer is
    ///     false.
    ///   - body: Called with the lock held, if the answer is true.
    func perform(
        _ event: TransportEvent, always: Bool = false, _ body: (inout Control) -> Void = { _ in }
    ) -> (answer: Bool, after: [TransportAction]) {
        let work = control.change { control -> Work in
            var work = Work()
            handleCounting(event, &control, &work)
            if always || work.answer { body(&control) }
            if work.isAnnounced, case .ready = control.phase,
                let size = frames.presentationSize(at: timebase.time)
            {
                control.presentationSize = size
            }
            return work
        }
        return (work.answer, work.after)
    }

    /// The actions that have to wait until the lock is released, and the answer.
    private struct Work {
        var after: [TransportAction] = []
        var answer = false
        var isAnnounced = false
    }

    /// Handles an event, and records how much media was played before it.
    private func handleCounting(
        _ event: TransportEvent, _ control: inout Control, _ work: inout Work
    ) {
        let (time, rate) = timebase.timeAndRate
        let (jumps, generation) = (control.timeJumps, control.generation)
        handle(event, &control, &work)
        let newTime = timebase.time
        let hasJumped =
            jumps != control.timeJumps || generation != control.generation
            || control.seek != nil || !control.steps.isEmpty
        // A stall and the end stop the timeline where the media ended, which is before `time`.
        let playedTime = rate < 0 ? max(time, newTime) : min(time, newTime)
        control.log.arrive(at: hasJumped ? time : playedTime, rate: rate)
        // A timeline that runs has gone on while the event was handled, which is played too.
        control.log.depart(at: hasJumped || rate == 0 ? newTime : playedTime)
    }

    private func handle(_ event: TransportEvent, _ control: inout Control, _ work: inout Work) {
        let (time, rate) = timebase.timeAndRate
        let now = TransportInstant(
            time: time, rate: rate, masterTime: timebase.master.time,
            hostNanoseconds: HostClock.nanoseconds)
        let view = PipelineView(pipeline: self, control)
        for action in control.handle(event, at: now, seeing: view) {
            switch action {
            case .answer(let answer): work.answer = answer
            case _ where !action.needsLock:
                if case .announce = action { work.isAnnounced = true }
                work.after.append(action)
            default:
                if let next = perform(action, &control, &work.after) {
                    handle(next, &control, &work)
                }
            }
        }
    }

    /// Performs an action with the lock held. Returns an event that results from it.
    private func perform(
        _ action: TransportAction, _ control: inout Control, _ after: inout [TransportAction]
    ) -> TransportEvent? {
        switch action {
        case .look: return .look
        case .lookAtStart: return .started
        case .moveTimeline(let time): timebase.setRate(0, time: time, atMasterTime: .zero)
        case .startTimeline(let rate, let time, let masterTime):
            timebase.setRate(rate, time: time, atMasterTime: masterTime, holdingUntilThen: true)
            isWakingSound.store(false, ordering: .relaxed)
        case .stopTimeline:
            let rate = timebase.rate
            // This is recorded before the change too, for a display that requests a frame in
            // between.
            recordDrawnAhead(at: timebase.time, rate: rate, control)
            timebase.rate = 0
            recordDrawnAhead(at: timebase.time, rate: rate, control)
            control.renderer?.pause()
            for feed in control.further.feeds { feed.renderer.pause() }
        case .changeRate(let rate, let start?):
            timebase.setRate(
                rate, time: timebase.time, atMasterTime: start, holdingUntilThen: true)
        case .changeRate(let rate, nil): timebase.rate = rate
        case .recordDrawnAhead(let time, let rate):
            recordDrawnAhead(at: time, rate: rate, control)
        case .restartFrames(let generation, let isRunning, let byteLimit):
            restartFrames(generation, isRunning: isRunning, byteLimit, control)
        case .restartPackets(let generation):
            packets.restart(generation: generation)
            // A live stream may let the demuxer wait for its next segment.
            control.liveMonitor?.interruptReading()
        case .resumeReading: control.liveMonitor?.resumeReading()
        case .redirect(let generation, let time, let leading, let index):
            return .redirected(
                packets.redirect(generation: generation, to: time, leading: leading, index: index))
        case .playTracks(let tracks): packets.play(tracks)
        case .startReverseThread:
            _ = WorkerThread(name: "ph-reverse") { ReverseDecodeLoop(host: self).run() }
            for feed in control.videoFeeds { feed.startReverseThread() }
        case .setBounds(let bounds): packets.bounds = bounds
        case .showKeptFrame(let target, let generation):
            let hit = scrubbed.hit(at: target, byteLimit: control.transport.keptByteLimit)
            if let hit, show(hit, at: target, generation) { after.append(.tellOutputs) }
        case .setVisibleEnd(let end):
            frames.setEnd(end)
            for feed in control.videoFeeds { feed.frames.setEnd(end) }
        case .passOverFrames:
            for queue in [frames] + control.videoFeeds.map(\.frames) {
                queue.passOver(before: timebase.time)
            }
        case .setAlarm, .watchHold, .setPatience: setAlarm(action, &control)
        default: return performAudio(action, &control)
        }
        return nil
    }

    private func performAudio(
        _ action: TransportAction, _ control: inout Control
    ) -> TransportEvent? {
        switch action {
        case .resumeAudio:
            control.renderer?.resume()
            for feed in control.further.feeds { feed.renderer.resume() }
        case .wakeAudio:
            isWakingSound.store(true, ordering: .relaxed)
            control.renderer?.resume()
            // The device may have woken in the meantime.
            if control.renderer?.sink.isAwake ?? true { return .look }
        case .cancelWaking:
            if isWakingSound.exchange(false, ordering: .relaxed) { control.renderer?.pause() }
        case .setMuted(let isMuted): control.renderer?.isMuted = isMuted
        case .setPlayerRate(let rate): control.playerRate?.value = rate
        case .watchForUnderrun: control.renderer?.watchForUnderrun()
        case .setAudioEnd(let end):
            control.renderer?.endTime = end
            for feed in control.further.feeds { feed.renderer.endTime = end }
        case .setReverseAudioEnd(let end):
            control.renderer?.reverseEndTime = end
            for feed in control.further.feeds { feed.renderer.reverseEndTime = end }
        case .setAudioStart(let start):
            control.renderer?.startTime = start
            for feed in control.further.feeds { feed.renderer.startTime = start }
        case .setFurtherVideo: performFurtherVideo(action, &control)
        default: performFurtherAudio(action, &control)
        }
        return nil
    }

    private func recordDrawnAhead(at time: MediaTime, rate: Double, _ control: Control) {
        frames.recordDrawnAhead(at: time, rate: rate)
        for feed in control.videoFeeds { feed.frames.recordDrawnAhead(at: time, rate: rate) }
    }

    /// - Parameter byteLimit: The memory for the frames of all tracks in reverse playback, in
    ///   bytes.
    private func restartFrames(
        _ generation: Int, isRunning: Bool, _ byteLimit: Int?, _ control: Control
    ) {
        let now = timebase.time
        if isRunning { recordDrawnAhead(at: now, rate: timebase.rate, control) }
        let share = byteLimit.map { $0 / (1 + control.videoFeeds.count) }
        let visible = seenTime(at: now)
        frames.restart(generation: generation, visibleAt: visible, reverseByteLimit: share)
        for feed in control.videoFeeds {
            feed.frames.restart(
                generation: generation, visibleAt: visible, reverseByteLimit: share)
            if byteLimit != nil { feed.startReverseThread() }
        }
    }

    /// Makes the threads that wait for space for frames check the timeline again.
    func timelineChanged() { for queue in frameQueues { queue.timelineChanged() } }

    /// Performs actions without the lock.
    func perform(_ actions: [TransportAction]) {
        for action in actions {
            switch action {
            case .complete(let completion, let hasFinished): completion(hasFinished)
            case .timelineChanged:
                timelineChanged()
                wakeAudioWriters()
            case .seekBegan:
                wakeAudioWriters()
                timelineChanged()
                tellOutputs(.flushed)
                announce(.advanced)
            case .wakeAudioWriter: wakeAudioWriters()
            case .clearKeptFrames: scrubbed.clear()
            case .tellOutputs: tellOutputs(.willChange)
            case .announce(let event): announce(event)
            default: break
            }
        }
    }

    /// Makes the threads that wait for space in a renderer check for other work.
    func wakeAudioWriters() {
        let (renderer, feeds) = control.withLock { ($0.renderer, $0.further.feeds) }
        renderer?.wakeWriter()
        for feed in feeds { feed.renderer.wakeWriter() }
    }

    /// Shows a cached frame for the target of a scrubbing seek.
    func show(_ hit: ScrubCache.Hit, at target: MediaTime, _ generation: Int) -> Bool {
        frames.show(
            hit.frame.shownAgain, onTheWayTo: target, generation: generation, isExact: hit.isExact)
    }
}
