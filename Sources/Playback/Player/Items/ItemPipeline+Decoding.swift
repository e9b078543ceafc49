// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The interface for the decoding threads.
extension ItemPipeline: DecodingHost {
    var framePool: any PixelBufferPool { pixelBufferPool }
    var chosenAudioTrack: Int? { control.withLock { $0.chosenAudioTrack } }
    var videoTrack: AssetTrack? { control.withLock { $0.videoTrack } }
    var audioTrack: AssetTrack? { control.withLock { $0.audioTrack } }
    var audioLane: Int? { control.withLock { $0.audioTrack?.id } }
    var playingTrackIDs: Set<Int> { control.withLock { $0.transport.tracks.playing } }
    var keyframes: KeyframeIndex { control.withLock { $0.transport.tracks.keyframes } }
    var visibleEnd: MediaTime { control.withLock { $0.ending.visibleEnd } }
    var reverseEnd: MediaTime { control.withLock { $0.reverseEnd } }

    var showsNewest: Bool { followsArrival.load(ordering: .relaxed) }

    func takeVariantPreference() -> VariantPreference? { control.withLock { $0.variants.take() } }

    // MARK: Opening

    func adopt(_ demuxer: any Demuxer) {
        demuxer.deliverTimedMetadata(to: metadata.inbox)
        let isLoadedAhead = demuxer.arrivalMonitor == nil
        control.withLock { control in
            control.transfer = isLoadedAhead ? demuxer.transfer : nil
            control.liveMonitor = demuxer.liveMonitor
            control.arrivalMonitor = demuxer.arrivalMonitor
            followsArrival.store(!isLoadedAhead, ordering: .relaxed)
            control.pictureBytes = demuxer.limits.pictureBytes
            shareMemory(control)
        }
        post(
            .opened(
                hasTransfer: isLoadedAhead && demuxer.transfer != nil, limits: demuxer.limits))
        _ = noteTransfer(of: demuxer, since: 0)
        _ = noteLive(of: demuxer, since: 0)
    }

    func becomeReady(_ tracks: OpenedTracks, _ description: AssetDescription) -> ReadyItem? {
        var waiters: [ReadyWaiter] = []
        var renderer: AudioRenderer?
        let (isOpen, after) = perform(
            .ready(
                description, video: tracks.video?.track, audio: tracks.audio?.track,
                choosableAudio: Set(tracks.audioDecoders.keys))
        ) { control in
            control.log.becomeReady(atHostNanoseconds: HostClock.nanoseconds)
            control.videoDecoder = tracks.video?.decoder
            control.presentationSize =
                tracks.video?.track.formatDescription.video.map {
                    PresentationSize(
                        width: $0.frameSize.width, height: $0.frameSize.height,
                        attachments: $0.attachments)
                } ?? .zero
            control.lastDecodeError = tracks.error
            // The lock is held, because an item that is closed while it opens must not take the
            // device from the next item.
            if let sink = tracks.audio?.sink { renderer = makeRenderer(sink, &control) }
            swap(&waiters, &control.readyWaiters)
        }
        guard isOpen else { return nil }
        perform(after)
        applyAudioMix()
        return ReadyItem(renderer: renderer) { [self, waiters] in
            applyAudioChoice()
            route()
            enableShownTracks()
            // A composition may have been set while the asset was being opened.
            if videoComposing != nil { compose() }
            post(.applyDeclaredStart)
            post(.look)
            for waiter in waiters { waiter(.success(())) }
        }
    }

    private func makeRenderer(
        _ sink: any AudioSink, _ control: inout Control
    ) -> AudioRenderer {
        timebase.master = .clock(control.chosenClock ?? sink.clock)
        let renderer = AudioRenderer(sink: sink, timebase: timebase) { [weak self] in
            self?.sinkChanged()
        }
        renderer.volume = control.volume
        renderer.isMuted = control.isAudioDisabled
        renderer.timePitchAlgorithm = control.timePitchAlgorithm
        control.renderer = renderer
        return renderer
    }

    /// Handles a change of the sink's state, which playback may be waiting for. The sink may call
    /// this method from its own methods, with a lock held.
    private func sinkChanged() {
        guard isWakingSound.load(ordering: .relaxed) else { return }
        ObservationQueue.background.async { [weak self] in self?.post(.look) }
    }

    // MARK: Reading

    var mustMoveDemuxer: Bool {
        control.withLock { $0.transport.seek.demuxerMustMove || $0.direction == .reverse }
    }

    var firstGeneration: Int {
        control.withLock { $0.transport.seek.demuxerMustMove ? -1 : $0.generation }
    }

    func nextDemuxerTask() -> DemuxerTask {
        while true {
            let task = control.wait { control -> DemuxerTask? in
                if !control.isAlive { return .close }
                if control.direction == .reverse { return nil }
                let seek = control.transport.seek
                if control.further.hasInterrupted {
                    control.further.hasInterrupted = false
                    packets.endInterruption()
                }
                let tracks = control.takeRequestedTracks()
                if !tracks.isEmpty { return .add(tracks) }
                guard seek.demuxerMustMove, let move = seek.performed else { return .readOn }
                return .move(move)
            }
            guard case .move(let seek) = task else { return task }
            // Another seek may have begun in the meantime.
            if note(.demuxerHasBegun(generation: seek.generation)) {
                metadata.clear()
                return task
            }
        }
    }

    func waitAtEnd(_ ends: [Int: MediaTime]) {
        post(.readToEnd(ends))
        control.wait { control -> Bool? in
            if !control.isAlive { return true }
            return control.transport.seek.demuxerMustMove || !control.further.requested.isEmpty
                ? true : nil
        }
    }

    func waitToRead(nanoseconds: Int64) {
        _ = control.wait(nanoseconds: nanoseconds) { control -> Bool? in
            if !control.isAlive { return true }
            return control.transport.seek.demuxerMustMove || !control.further.requested.isEmpty
                ? true : nil
        }
    }

    func packetsAdvanced() { if note(.packetsAdvanced) { post(.look) } }

    // MARK: Decoding

    func report(_ error: MediaError) {
        control.change { control in
            // Errors after the end are those of work that was cancelled.
            guard control.isAlive else { return }
            control.decodeErrors += 1
            control.lastDecodeError = error
            // An error that repeats has one entry. Otherwise it would displace all others.
            if control.log.errors.last?.error != error { control.logError(error) }
        }
    }

    func noteTransfer(of demuxer: any Demuxer, since count: Int) -> Int {
        guard let transfer = demuxer.transfer else { return count }
        let newCount = transfer.logCount
        if newCount > count { noteTransfer(transfer.log) }
        return newCount
    }

    func noteLive(of demuxer: any Demuxer, since count: Int) -> Int {
        guard let live = demuxer.liveMonitor, let window = live.window else { return count }
        let newCount = live.changeCount
        if newCount > count { post(.live(window)) }
        return newCount
    }

    func noteMetadata() {
        if metadata.inbox.hasNews { metadata.takeNews(at: timebase.time) }
    }

    func noteDecoded() { hasDecoded.store(true, ordering: .relaxed) }

    func move(of generation: Int) -> Seek? {
        control.withLock { control in
            let move = control.transport.seek.performed
            return move?.generation == generation ? move : nil
        }
    }

    func videoEnded(at end: MediaTime, generation: Int) {
        post(.videoEnded(at: end, generation: generation))
        failIfUndecodable()
        post(.look)
    }

    func audioEnded(at end: MediaTime, generation: Int) {
        post(.audioEnded(at: end, generation: generation))
        failIfUndecodable()
        post(.look)
    }

    /// Fails the item if it was read to its end and nothing in it could be decoded.
    private func failIfUndecodable() {
        guard !hasDecoded.load(ordering: .relaxed) else { return }
        let error = control.withLock { control -> MediaError? in
            guard case .ready = control.phase, control.readingError == nil,
                control.videoTrack == nil || control.videoEnd != nil,
                control.audioTrack == nil || control.audioEnd != nil, control.decodeErrors > 0
            else { return nil }
            return control.lastDecodeError?.withNothingDecoded
        }
        if let error { fail(error) }
    }

    func audioRanDry() { post(.look) }
    func audioFlushed(generation: Int) { note(.audioFlushed(generation: generation)) }

    func furtherVideoAdvanced(track: Int, generation: Int) {
        if control.withLock({ $0.transport.waitsForMedia }) {
            post(.furtherVideoAdvanced(generation: generation))
        } else {
            for output in outputs.all where output.trackID == nil || output.trackID == track {
                output.reconsider()
            }
        }
    }

    func audioAdvanced() { if control.withLock({ $0.transport.waitsForMedia }) { post(.look) } }

    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int) {
        let newest = control.withLock { control in
            control.transport.seek.isPutOff ? control.seek?.target : nil
        }
        let isShown = frames.show(frame, onTheWayTo: newest ?? target, generation: generation)
        guard isShown || (newest ?? target) != target else { return }
        post(.shown(generation: generation))
        if isShown { tellOutputs(.willChange) }
    }

    func showKept(generation: Int) {
        let isSeen = control.withLock { control -> Bool in
            guard control.generation == generation, let target = control.seek?.target else {
                return false
            }
            let hit = scrubbed.hit(at: target, byteLimit: control.transport.keptByteLimit)
            return hit.map { show($0, at: target, generation) } ?? false
        }
        if isSeen { tellOutputs(.willChange) }
    }

    var followsAnotherTrack: Bool { false }
    func mayBeginEarlier(_ generation: Int, target: MediaTime) -> Bool { true }
    func isKnownEmpty(at time: MediaTime) -> Bool { false }
    func noteGap(generation: Int) {}

    func isSeeking(_ generation: Int) -> Bool {
        control.withLock {
            $0.generation == generation && $0.seek != nil && !$0.transport.seek.isPutOff
        }
    }

    func hasStartedLate(generation: Int) -> Bool {
        control.withLock { control in
            control.generation == generation && control.transport.seek.performed?.startsLate == true
        }
    }

    func landingTime(generation: Int) -> MediaTime? {
        let time = control.wait { control in
            control.transport.landingTime(
                generation: generation, playhead: self.timebase.time)
        }
        return time.isValid ? time : nil
    }

    // MARK: Decoding backwards

    func reversal(of generation: Int) -> Reversal? {
        control.withLock { control in
            let reversal = control.transport.seek.reversal
            return control.generation == generation && reversal?.generation == generation
                ? reversal : nil
        }
    }

    func waitWhileSilent(generation: Int) -> Bool {
        func isSilent(_ control: Control) -> Bool {
            control.isAlive && control.generation == generation && control.isSilentInReverse
        }
        guard control.withLock({ isSilent($0) }) else { return false }
        // A start may wait for audio.
        post(.look)
        control.wait { isSilent($0) ? nil : true }
        return true
    }

    func openReader(_ cancellation: Cancellation) throws(MediaError) -> AssetReader {
        try AssetReader(asset: asset, cancellation: cancellation)
    }

    func nextReversal(after generation: Int) -> Reversal? {
        control.wait { control -> Reversal?? in
            if case .closed = control.phase { return .some(nil) }
            guard var reversal = control.transport.seek.reversal,
                reversal.generation == control.generation, reversal.generation != generation
            else { return nil }
            reversal.byteLimit /= 1 + control.videoFeeds.count
            return .some(reversal)
        }
    }

    func waitAtStart(generation: Int) {
        while true {
            post(.look)
            let isOver: (inout Control) -> Bool? = { control in
                if !control.isAlive { return true }
                return control.generation == generation ? nil : true
            }
            let end = control.withLock { $0.isRunning ? $0.reverseEnd : nil }
            if let end, let due = timebase.hostTime(at: end)?.nanoseconds {
                // The waiting time is meaningless with a manual clock, so the loop checks
                // occasionally.
                let wait = min(max(due - HostClock.nanoseconds, 500_000), 20_000_000)
                if control.wait(nanoseconds: wait, until: isOver) != nil { return }
            } else {
                let isOver = control.wait { control -> Bool? in
                    if let over = isOver(&control) { return over }
                    return control.isRunning ? false : nil
                }
                if isOver { return }
            }
        }
    }
}
