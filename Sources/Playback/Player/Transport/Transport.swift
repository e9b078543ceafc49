// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The transport of an item. It decides what happens next, depending on the requests and on the
/// media that has been decoded so far.
///
/// A request, a report of a thread or the firing of a timer is an event. `handle` turns it into a
/// new state and a list of actions, which the pipeline performs. Each of the eight parts of the
/// state has a separate file, and only code in that file changes it.
///
/// - Concurrency: a value without locks, threads or clocks. Times are passed to it with the events,
///   and information about the media by `TransportView`.
struct Transport: Sendable {
    var seek = SeekState()
    var steps = StepState()
    var start = StartState()
    var ending = EndState()
    var loop = LoopState()
    var buffering = BufferingState()
    var tracks = TrackState()
    var live = LiveState()

    /// The moment of the event that is being handled, with the timeline as changed by the actions
    /// so far.
    var now = TransportInstant()
    /// The actions that result from the event that is being handled.
    private var actions: [TransportAction] = []

    mutating func handle(
        _ event: TransportEvent, at now: TransportInstant, seeing view: some TransportView
    ) -> [TransportAction] {
        self.now = now
        apply(event, view)
        defer { actions = [] }
        return actions
    }

    mutating func act(_ action: TransportAction) { actions.append(action) }

    private mutating func apply(_ event: TransportEvent, _ view: some TransportView) {
        switch event {
        case .setRate(let rate, let isImmediate): setRate(rate, isImmediate: isImmediate)
        case .setRateAdjustment(let factor): setRateAdjustment(factor)
        case .declare(let start): declare(start, view)
        case .applyDeclaredStart: applyDeclaredStart(view)
        case .preroll(let completion): preroll(completion)
        case .cancelPrerolls: failPrerolls()
        case .seek(let seek, let isLeaving): request(seek, isLeaving: isLeaving, view)
        case .cancelSeeks: cancelSeeks(view)
        case .redirected(let isRedirected): redirected(isRedirected, view)
        case .step(let count): step(by: count)
        case .setEndAction(let action): setEndAction(action)
        case .setEnds(let forward, let reverse): setEnds(forward: forward, reverse: reverse)
        case .setLoop(let start, let end, let count): setLoop(from: start, to: end, count: count)
        case .follow(let succession, let start, let remaining):
            follow(succession, start: start, remaining: remaining, view)
        case .becomeCurrent(let keepingStart): becomeCurrent(keepingStart: keepingStart)
        case .handOver(let time): handOver(at: time)
        case .leave: ending.setCurrent(false)
        case .look: settle(view)
        case .endAlarm:
            _ = ending.note(alarm: .invalid)
            settle(view)
        case .dryAlarm:
            buffering.forgetAlarm()
            settle(view)
        case .started: settleStart(view)
        default:
            if !applyTracks(event, view), !applyReading(event, view) { applyDecoding(event, view) }
        }
    }

    /// Applies an event that concerns tracks. Returns false for other events.
    private mutating func applyTracks(
        _ event: TransportEvent, _ view: some TransportView
    ) -> Bool {
        switch event {
        case .begin(let waits, let action): begin(waitsToMinimizeStalling: waits, action)
        case .opened(let hasTransfer, let limits):
            buffering.open(hasTransfer: hasTransfer, limits: limits)
            seek.setReverseByteLimit(min(seek.reverseByteLimit, limits.pictureBytes / 2))
            setBounds(view)
        case .ready(let description, let video, let audio, let choosable):
            becomeReady(description, video, audio, choosable)
        case .fail(let error): fail(error)
        case .close: close()
        case .reuse(let error):
            if case .closed(let description, _) = tracks.phase {
                tracks.set(.closed(description, error))
            }
        case .setWaitsToMinimizeStalling(let waits):
            buffering.setWaits(waits)
            act(.look)
        case .setPreferredDuration(let duration):
            buffering.setPreferredDuration(duration)
            setBounds(view)
        case .setReverseByteLimit(let limit): seek.setReverseByteLimit(limit)
        case .setLiveOffset(let offset):
            live.setConfiguredOffset(offset)
            if view.followsArrival { setBounds(view) }
        case .setPreservesLiveOffset(let preserves):
            live.setPreservesOffset(preserves)
            if !preserves, !view.followsArrival { correct(.zero) }
        case .setVideoEnabled(let isEnabled, let track):
            setVideoEnabled(isEnabled, track)
        case .setAudioEnabled(let isEnabled, let track): setAudioEnabled(isEnabled, track)
        case .chooseAudio(let identifier): chooseAudio(identifier)
        case .setAudioChoice(let identifier): tracks.chooseAudio(identifier)
        case .setFurtherAudioChoice(let identifiers): tracks.chooseFurther(identifiers)
        case .clockChanged:
            start.setMasterTime(now.masterTime)
            buffering.setDwindling(nil)
            act(.timelineChanged)
        default: return false
        }
        return true
    }

    /// Applies an event that concerns reading. Returns false for other events.
    private mutating func applyReading(
        _ event: TransportEvent, _ view: some TransportView
    ) -> Bool {
        switch event {
        case .demuxerHasBegun(let generation):
            if generation == seek.performed?.generation, seek.demuxerMustMove {
                seek.demuxerHasBegun()
                act(.resumeReading)
                act(.answer(true))
            }
        case .startsLate(let generation):
            if generation == seek.generation { seek.startLate() }
        case .readingFailed(let error, let generation):
            if generation == seek.generation { tracks.setReadingError(error) }
        case .readToEnd(let ends):
            // This is skipped if another run has begun in the meantime. Seeks that continue with
            // these packets do not begin a run.
            if !seek.demuxerMustMove, seek.direction == .forward { tracks.setExpectedEnds(ends) }
            act(.look)
        case .packetsAdvanced: packetsAdvanced(view)
        case .learnedKeyframes(let index): tracks.setKeyframes(index)
        case .live(let window): note(window)
        case .targetIsGone(let oldest, let generation): targetIsGone(oldest: oldest, generation)
        default: return false
        }
        return true
    }

    private mutating func applyDecoding(_ event: TransportEvent, _ view: some TransportView) {
        switch event {
        case .videoAdvanced(let end, let generation):
            if generation == seek.generation {
                tracks.setHasVideo()
                if let end { seek.decoded(to: end) }
            }
            act(.look)
            act(.tellOutputs)
        case .videoEnded(let end, let generation):
            if generation == seek.generation { tracks.setVideoEnd(end) }
        case .audioEnded(let end, let generation):
            if generation == seek.generation { tracks.setAudioEnd(end) }
        case .audioFlushed(let generation): tracks.setAudioGeneration(generation)
        case .furtherAudioEnded(let track, let end, let generation):
            if generation == seek.generation { tracks.setFurtherEnd(end, track: track) }
        case .furtherAudioFailed(let track): tracks.removeFurther(track: track)
        case .furtherVideoAdvanced(let generation):
            if generation == seek.generation { act(.look) }
            act(.tellOutputs)
        case .furtherVideoEnded(let track, let end, let generation):
            if generation == seek.generation { tracks.setFurtherVideoEnd(end, track: track) }
        case .furtherVideoFailed(let track): tracks.removeFurtherVideo(track: track)
        case .videoReaches(let time, let generation):
            if generation == seek.generation { seek.setReach(time) }
        case .shown(let generation):
            if generation == seek.generation { seek.show() }
            act(.look)
        case .approximate(let time, let generation):
            if generation == seek.generation { seek.setExact(from: time) }
        case .land(let time, let generation): land(at: time, generation)
        case .repeatSeek(let change, let generation): repeatSeek(change, generation)
        case .repeatJump(let generation): repeatJump(generation)
        case .readAgain(let generation): readAgain(generation)
        case .reopen: if seek.direction == .forward { readAgain(seek.generation) }
        case .endStepsBack(let generation):
            if generation == seek.generation { steps.endStepsBack() }
        default: break
        }
    }

    // MARK: - The timeline

    /// Moves the stopped playhead.
    mutating func moveTimeline(to time: MediaTime) {
        if time != now.time { seek.countJump() }
        place(at: time)
    }

    /// Sets the time of the stopped timeline. This does not count as a jump.
    mutating func place(at time: MediaTime) {
        act(.moveTimeline(to: time))
        now.time = time
        now.rate = 0
    }

    /// Runs the timeline from a time of its master on.
    ///
    /// - Parameter audioStart: The item time before which another item is heard; `invalid` if audio
    ///   starts with the timeline.
    mutating func run(
        at rate: Double, from time: MediaTime, masterTime: MediaTime, isDeclared: Bool = false,
        audioStart: MediaTime = .invalid
    ) {
        if start.setAudioStart(audioStart) { act(.setAudioStart(audioStart)) }
        act(.startTimeline(rate: rate, time: time, masterTime: masterTime))
        start.run(from: time, at: masterTime, isDeclared: isDeclared)
        buffering.noteStart(isDeclared: isDeclared)
        now.rate = rate
        now.time =
            now.masterTime > masterTime ? time + (now.masterTime - masterTime) * rate : time
        // This must not happen earlier, because a device receives silence while the timeline is
        // stopped.
        act(.resumeAudio)
    }

    /// Stops the timeline. Frames that were drawn for future vsyncs, or that are visible by now,
    /// stay.
    mutating func stop() {
        if start.isWaking {
            start.endWaking()
            act(.cancelWaking)
        }
        guard start.isRunning else { return }
        start.stop()
        act(.stopTimeline)
        now.rate = 0
    }

    // MARK: - Ended requests

    /// Ends the requested seek and the prerolls with false, because another request has replaced
    /// them.
    mutating func failRequests() {
        if let completion = seek.takeCompletion() { act(.complete(completion, false)) }
        failPrerolls()
    }

    mutating func failPrerolls() {
        for preroll in start.takePrerolls() { act(.complete(preroll, false)) }
    }
}
