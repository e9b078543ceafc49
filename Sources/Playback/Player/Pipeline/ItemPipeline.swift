// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The machinery behind a player item: its demuxing and decoding threads, the queues between them,
/// and the timebase.
///
/// Life: *idle* until it is started by a player, *opening* while the container is probed, then
/// *ready* or *failed*, the latter also where nothing of it turns out to be readable or decodable;
/// *closed* at any time, for good. Threads are told to end by closing the queues and cancelling the
/// demuxer; they hold the pipeline until they have ended, and nobody waits for them.
///
/// - Concurrency: any thread; everything that changes is in `control` or in the queues. The lock of
///   `control` is held briefly, and never while another lock is taken but those of the timebase.
final class ItemPipeline: Sendable {
    let asset: Asset
    let timebase: Timebase
    let packets = PacketQueue()
    let frames = FrameQueue()
    /// What a hand that scrubs has come by.
    let scrubbed = ScrubCache()
    /// What the frames may take that the video decoding thread keeps, and what they take.
    let recentByteLimit = Atomic<Int>(RecentFrames.byteLimit)
    let recentByteCount = Atomic<Int>(0)
    private let cancellation = Cancellation()
    let control: Monitor<Control>
    /// Where the decoder gets memory for the pictures that are played forward.
    let pixelBufferPool = PixelBufferPoolRelay()
    /// Told of every change of `control`, in order.
    let observers = StateObservers(PlayerItemState())
    /// Outputs that want to be told when there will be something to pull.
    let outputs = OutputList()
    /// Told, with no lock held, of what the player may have to act on.
    let eventHandler = LockedHandler<PipelineEvent>()
    /// Who has been given the item.
    let claim = PlayerClaim()
    /// The vsyncs of the display on which the item is shown, where somebody has told.
    let vsyncs = VsyncGrid()

    /// Whether a decoder has given anything out.
    private let hasDecoded = Atomic<Bool>(false)

    /// Whether outputs get pictures; a copy of `isVideoDisabled` that they read without a lock.
    let offersVideo = Atomic<Bool>(true)
    /// Whether a start waits for a device to wake.
    let isWakingSound = Atomic<Bool>(false)

    /// Held while the renderer is given a mix, so that the newest is what stays.
    let mixing = Mutex(())

    /// What the control thread and the item's threads share.
    struct Control {
        var phase = Phase.idle
        /// Of the packets and frames that count: raised by every seek.
        var generation = 0
        /// Asked for, but not yet landed.
        var seek: Seek?
        /// What the threads are moving to: `seek`, unless that has been put off.
        var move: Seek?
        /// Whether the demuxer still has to move for `move`.
        var demuxerMustMove = false
        /// Whether something of `move` has been seen.
        var hasShownMove = false
        /// Where a declared start has put the playhead without a seek, until decoding gets there.
        var jump: MediaTime?
        /// The earliest time that the video decoder can still show a frame of without going back.
        var videoReach: MediaTime?
        /// When the last seek was asked for, in nanoseconds of the host clock.
        var lastRequest = Int64.min
        /// Steps by frames that are still to be done, in order; those in one direction are one.
        var steps: [Int] = []
        /// Rate that the player wants, and whether the timebase runs at it.
        var desiredRate = 0.0
        /// Which of the player's settings of the rate was heeded last, counted; nil before the first.
        var rateSetting: Int?
        /// See `PlayerItem.rateAdjustment`.
        var rateAdjustment = 1.0
        /// What the timebase runs at while it runs.
        var timelineRate: Double { desiredRate * rateAdjustment }
        var isRunning = false
        /// Whether it runs because it was declared to, whatever has been decoded.
        var isDeclared = false
        /// How packets come in.
        var buffering = Buffering()
        /// Which way the item is decoded, and the newest reversal.
        var direction = PlaybackDirection.forward
        var reversal: Reversal?
        var hasReverseThread = false
        /// What decoded frames may take in reverse.
        var reverseByteLimit = PlayerItem.defaultReverseCacheByteLimit
        /// Pictures of earlier times may not be the right ones: some were left out.
        var exactFrom = MediaTime.negativeInfinity
        /// What the timebase's master reads when the timeline starts, or read when it did.
        var startMasterTime = MediaTime.zero
        /// A timeline that was declared before the item was open.
        var pendingStart: DeclaredStart?
        /// Called once each, when all is decoded that can be decoded in advance, or else with false.
        var prerolls: [@Sendable (Bool) -> Void] = []
        /// The clock that the player was told to run on, and the one without it and without sound.
        var chosenClock: (any MediaClock)?
        var fallbackClock: any MediaClock = HostClock.shared
        var volume: Float = 1
        var audioMix: AudioMix?
        var timePitchAlgorithm = AudioTimePitchAlgorithm.timeDomain
        var videoTrack: AssetTrack?
        /// To be asked how it decodes.
        var videoDecoder: (any VideoDecoder)?
        /// What was asked for last, and the same while it is to be told to the demuxer.
        var variantPreference: VariantPreference?
        var variants: VariantPreference?
        /// Of the video track.
        var keyframes = KeyframeIndex()
        var audioTrack: AssetTrack?
        /// By its identifier, the one that somebody has asked for last; nil before.
        var chosenAudioTrack: Int?
        /// The audio tracks that there are decoders for.
        var choosableAudioTracks: Set<Int> = []
        /// Whether the tracks that play are switched off.
        var isVideoDisabled = false
        var isAudioDisabled = false
        var renderer: AudioRenderer?
        /// Where each track's last sample ends, once its decoder has got there.
        var videoEnd: MediaTime?
        var audioEnd: MediaTime?
        /// The same of the video track once all is read, by what its packets say.
        var expectedVideoEnd: MediaTime?
        /// Whether the video decoder has shown a frame of this generation.
        var hasVideo = false
        /// The generation of the sound that waits to be heard: what is there of an earlier one is about to
        /// be discarded.
        var audioGeneration = 0
        var hasPlayedToEnd = false
        /// Whether the end that was played to is the beginning of the item.
        var endedInReverse = false
        var endCount = 0
        /// Where playback ends before the item does, what then happens, and who follows.
        var ending = Ending()
        /// How often the playhead has been moved to where playing does not lead.
        var timeJumps = 0
        /// Of the picture that is visible, or else of the track that will be.
        var presentationSize = PresentationSize.zero
        /// Whether an output shows the item in the player's place.
        var isRenderingSuppressed = false
        /// What ended reading before the end, in this generation.
        var readingError: MediaError?
        var decodeErrors = 0
        var lastDecodeError: MediaError?
        /// Called once, when the item is ready, has failed, or is closed.
        var readyWaiters: [ReadyWaiter] = []

        /// What the asset was found to be, which stays known when the item is over.
        var description: AssetDescription? {
            switch phase {
            case .ready(let description): description
            case .closed(let description, _): description
            case .idle, .opening, .failed: nil
            }
        }

        /// See `PlayerItem.status`.
        var status: PlayerItem.Status {
            switch phase {
            case .failed(let error), .closed(_, let error?): .failed(error)
            case .ready, .closed(.some, nil): .readyToPlay
            case .idle, .opening, .closed(nil, nil): .unknown
            }
        }

        /// Whether something can still be asked of the item.
        var isAlive: Bool {
            switch phase {
            case .closed, .failed: false
            case .idle, .opening, .ready: true
            }
        }

        /// Where the item ends, once every track has been decoded to its end.
        var naturalEnd: MediaTime? { naturalEnd(videoEnd: videoEnd) }

        /// The same before the last pictures have been decoded. Where it turns out wrong, it has been
        /// of use to those only who can change their minds.
        var expectedEnd: MediaTime? {
            let known = playbackEnd
            guard known == nil, let expectedVideoEnd, expectedVideoEnd.isNumeric else {
                return known
            }
            return naturalEnd(videoEnd: expectedVideoEnd)
        }

        private func naturalEnd(videoEnd: MediaTime?) -> MediaTime? {
            var end = MediaTime.invalid
            if videoTrack != nil {
                guard let videoEnd else { return nil }
                if videoEnd.isNumeric { end = videoEnd }
            }
            if audioTrack != nil {
                guard let audioEnd else { return nil }
                if audioEnd.isNumeric { end = end.isNumeric ? max(end, audioEnd) : audioEnd }
            }
            if !end.isNumeric, case .ready(let description) = phase { end = description.end }
            return end.isNumeric ? end : nil
        }
    }

    typealias ReadyWaiter = @Sendable (Result<Void, MediaError>) -> Void

    enum Phase {
        case idle, opening
        case ready(AssetDescription)
        case failed(MediaError)
        /// With what was known by then, and why it cannot be played again where somebody has tried to.
        case closed(AssetDescription?, MediaError?)
    }

    /// What starting needs to know.
    struct Configuration: Sendable {
        var audioSink: (any AudioSink)?
        /// What the timeline runs on: the clock that was chosen, else the sound device's, else this.
        var masterClock: any MediaClock
        var chosenClock: (any MediaClock)?
        var audioTrackIndex: Int?
        var waitsToMinimizeStalling = true
        var playsVideo = true
        var playsAudio = true
    }

    init(asset: Asset) {
        self.asset = asset
        timebase = Timebase(masterClock: HostClock.shared)
        control = Monitor(
            Control(), didChange: { [observers] in observers.note($0.state) },
            didUnlock: { [observers] in observers.deliver() })
    }

    /// Starts the threads; only the first call does.
    func start(_ configuration: Configuration) {
        let starts = control.change { control -> Bool in
            guard case .idle = control.phase else { return false }
            control.phase = .opening
            control.chosenClock = configuration.chosenClock
            control.fallbackClock = configuration.masterClock
            control.buffering.waitsToMinimizeStalling = configuration.waitsToMinimizeStalling
            timebase.master = .clock(configuration.chosenClock ?? configuration.masterClock)
            return true
        }
        guard starts else { return }
        _ = WorkerThread(name: "ph-demux") { DemuxLoop(pipeline: self).run(configuration) }
    }

    /// Ends everything: threads leave, a pending seek completes with false.
    func close() {
        cancellation.cancel()
        var ended = EndedRequests()
        let (renderer, waiters) = control.change { control in
            defer {
                control.seek = nil
                control.steps = []
                control.renderer = nil
                // Why an item failed stays known.
                if control.isAlive { control.phase = .closed(control.description, nil) }
                control.readyWaiters = []
            }
            ended.take(from: &control)
            return (control.renderer, control.readyWaiters)
        }
        packets.close()
        frames.close()
        renderer?.invalidate()
        ended.fail()
        for waiter in waiters { waiter(.failure(closedError)) }
    }

    /// The item is to be played again, though a player has let it go: says that it cannot be.
    func refuseReuse() {
        control.change { control in
            guard case .closed(let description, _) = control.phase else { return }
            control.phase = .closed(
                description,
                MediaError(
                    .cancelled, subject: asset.displayName,
                    cause: "an item plays once, and a player has let this one go",
                    remedy: "make another item of the same asset"))
        }
    }

    private var closedError: MediaError {
        MediaError(
            .cancelled, subject: asset.displayName,
            cause: "the item was let go before it was ready")
    }

    /// Calls `waiter` once: at once if the item is ready, has failed or is closed, else then.
    func whenReady(_ waiter: @escaping ReadyWaiter) {
        let result: Result<Void, MediaError>? = control.withLock { control in
            switch control.phase {
            case .failed(let error), .closed(_, let error?): return .failure(error)
            case .ready, .closed(.some, nil): return .success(())
            case .closed(nil, nil): return .failure(closedError)
            case .idle, .opening:
                control.readyWaiters.append(waiter)
                return nil
            }
        }
        if let result { waiter(result) }
    }

    /// Whether a player may have it: no other has, or it has been let go of already.
    func canBelong(to player: Player) -> Bool {
        claim.take(for: player) || !control.withLock { $0.isAlive }
    }

    /// Whether nothing has begun yet.
    var isIdle: Bool {
        control.withLock { if case .idle = $0.phase { true } else { false } }
    }

    func openDemuxer() throws(MediaError) -> any Demuxer {
        try asset.openDemuxer(cancellation: cancellation)
    }

    /// Puts the playhead elsewhere, where it stands. With the lock held.
    func moveTimeline(_ control: inout Control, to time: MediaTime) {
        if time != timebase.time { control.timeJumps += 1 }
        timebase.setRate(0, time: time, atMasterTime: .zero)
    }

    func isCurrent(_ generation: Int) -> Bool {
        control.withLock { $0.generation == generation }
    }
}

/// What the decoding threads tell.
extension ItemPipeline {
    /// Keeps an error that playback survives.
    func report(_ error: MediaError) {
        control.change { control in
            control.decodeErrors += 1
            control.lastDecodeError = error
        }
    }

    /// Something can be decoded.
    func noteDecoded() { hasDecoded.store(true, ordering: .relaxed) }

    /// A frame of the generation is in the queue; forward, one that ends at a time.
    func videoAdvanced(to end: MediaTime? = nil, generation: Int) {
        control.change { control in
            guard control.generation == generation else { return }
            control.hasVideo = true
            if let end, let jump = control.jump, end > jump { control.jump = nil }
        }
        evaluate()
        tellOutputs(.willChange)
    }

    func videoEnded(at end: MediaTime, generation: Int) {
        control.change { control in
            if control.generation == generation { control.videoEnd = end }
        }
        failIfUndecodable()
        evaluate()
    }

    /// An item that was read to its end, and of which nothing at all could be decoded, has failed.
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

    /// Ends everything, with a reason.
    func fail(_ error: MediaError) {
        var waiters: [ReadyWaiter] = []
        var ended = EndedRequests()
        control.change { control in
            stop(&control)
            if case .closed = control.phase {} else { control.phase = .failed(error) }
            swap(&waiters, &control.readyWaiters)
            ended.take(from: &control)
            control.seek = nil
            control.steps = []
        }
        packets.close()
        ended.fail()
        for waiter in waiters { waiter(.failure(error)) }
        announce(.failed)
    }

    /// More sound is in the renderer's ring. That moves nothing while it plays on.
    func audioAdvanced() {
        if control.withLock({ $0.waitsForSound }) { evaluate() }
    }

    /// What lies beyond the track's edit list fills the last packet, and is not heard.
    func audioEnded(at end: MediaTime, generation: Int) {
        control.change { control in
            guard control.generation == generation else { return }
            let edit = control.audioTrack?.segments.last?.timeMapping.target.end ?? .invalid
            control.audioEnd = edit.isNumeric && end.isNumeric ? min(edit, end) : end
        }
        failIfUndecodable()
        evaluate()
    }
}

extension ItemPipeline.Control {
    /// Whether more sound may be what a seek, a step, a preroll, a start or a timeline that holds for
    /// want of packets waits for.
    fileprivate var waitsForSound: Bool {
        !isRunning || seek != nil || !steps.isEmpty || !prerolls.isEmpty
            || buffering.transfer != nil
    }
}
