// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The pipeline of a player item: its demuxing and decoding threads, the queues between them, and
/// the timebase.
///
/// States: *idle* until a player starts it, *opening* while the container is probed, then *ready*
/// or *failed*, the latter also if it has nothing readable or decodable; *closed* at any time,
/// permanently. Threads are ended by closing the queues and cancelling the demuxer; they keep the
/// pipeline until they have ended, and no thread waits for them.
///
/// - Concurrency: any thread; all mutable state is in `control` or in the queues. The lock of
///   `control` is held briefly, and never while another lock is taken but those of the timebase.
final class ItemPipeline: Sendable {
    let asset: Asset
    let timebase: Timebase
    let packets = PacketQueue()
    let frames = FrameQueue()
    /// Frames decoded while scrubbing, kept in case the user returns to them.
    let scrubbed = ScrubCache()
    let recentFrames = RecentFrameBudget()
    private let cancellation = Cancellation()
    let control: Monitor<Control>
    /// The pool of memory for frames that are played forwards.
    let pixelBufferPool = PixelBufferPoolRelay()
    /// The outputs, which are notified of new frames.
    let outputs = OutputList()
    /// Called, without a lock, with events that the player may have to handle.
    let eventHandler = LockedHandler<PipelineEvent>()
    /// The player that has the item.
    let claim = PlayerClaim()
    /// The vsync times of the display that shows the item, if they are known.
    let vsyncs = VsyncGrid()

    /// A Boolean value that indicates whether a decoder has output anything.
    private let hasDecoded = Atomic<Bool>(false)

    /// A Boolean value that indicates whether outputs get frames; the lock-free copy of
    /// `isVideoDisabled`.
    let offersVideo = Atomic<Bool>(true)
    /// A Boolean value that indicates whether a start waits for a device to wake.
    let isWakingSound = Atomic<Bool>(false)

    /// Held while the renderer receives a mix, so that the newest remains.
    let mixing = Mutex(())

    /// 512 MiB, which hold 172 frames of 1920 x 1080 at 8 bits: a group of 250 is decoded in three
    /// parts.
    static let defaultReverseByteLimit = 512 << 20

    /// The state that the control threads and the item's threads share.
    struct Control {
        var phase = Phase.idle
        /// The current generation of packets and frames, which increases with every seek.
        var generation = 0
        /// The requested seek, until it lands.
        var seek: Seek?
        /// The seek that the threads perform: `seek`, unless that has been deferred.
        var move: Seek?
        /// A Boolean value that indicates whether the demuxer still has to move for `move`.
        var demuxerMustMove = false
        /// A Boolean value that indicates whether a frame of `move` was shown.
        var hasShownMove = false
        /// The time to which a declared start moved the playhead without a seek, until decoding
        /// arrives there.
        var jump: MediaTime?
        /// The earliest time whose frame the video decoder can still show without going back.
        var videoReach: MediaTime?
        /// The host time of the last seek request, in nanoseconds.
        var lastRequest = Int64.min
        /// The pending frame steps, in order; consecutive ones in one direction are one entry.
        var steps: [Int] = []
        /// The rate that the player requests, and whether the timebase runs at it.
        var desiredRate = 0.0
        /// The number of the player's rate setting that was accepted last; nil before the first.
        var rateSetting: Int?
        /// The factor on the rate; see `PlayerItem.rateAdjustment`.
        var rateAdjustment = 1.0
        /// The rate of the timebase while it runs.
        var timelineRate: Double { desiredRate * rateAdjustment }
        var isRunning = false
        /// A Boolean value that indicates whether it runs by declaration, whatever has been
        /// decoded.
        var isDeclared = false
        /// The state of incoming packets.
        var buffering = Buffering()
        /// The direction in which the item is decoded, and the newest reversal.
        var direction = PlaybackDirection.forward
        var reversal: Reversal?
        var hasReverseThread = false
        /// The maximum size of decoded frames for playing backwards, in bytes.
        var reverseByteLimit = ItemPipeline.defaultReverseByteLimit
        /// The time before which frames may be inexact, because some were skipped.
        var exactFrom = MediaTime.negativeInfinity
        /// The time of the timebase's master at which the timeline starts, or started.
        var startMasterTime = MediaTime.zero
        /// A timeline that was declared before the item was open.
        var pendingStart: DeclaredStart?
        /// Called once each: with true when everything is decoded that can be decoded in advance,
        /// or with false.
        var prerolls: [@Sendable (Bool) -> Void] = []
        /// The clock that the player chose, and the one used without it and without audio.
        var chosenClock: (any MediaClock)?
        var fallbackClock: any MediaClock = HostClock.shared
        var volume: Float = 1
        var audioMix: AudioMix?
        var timePitchAlgorithm = AudioTimePitchAlgorithm.timeDomain
        var videoTrack: AssetTrack?
        /// The decoder, for its decoding method.
        var videoDecoder: (any VideoDecoder)?
        /// The last requested preference, and the same until it is passed to the demuxer.
        var variantPreference: VariantPreference?
        var variants: VariantPreference?
        /// The keyframes of the video track.
        var keyframes = KeyframeIndex()
        var audioTrack: AssetTrack?
        /// The identifier of the audio track that was requested last; nil before.
        var chosenAudioTrack: Int?
        /// The audio tracks that have decoders.
        var choosableAudioTracks: Set<Int> = []
        /// A Boolean value that indicates whether the tracks that play are disabled.
        var isVideoDisabled = false
        var isAudioDisabled = false
        var renderer: AudioRenderer?
        /// The end of each track's last sample, once its decoder has reached it.
        var videoEnd: MediaTime?
        var audioEnd: MediaTime?
        /// The end of the video track according to its packets, once all are read.
        var expectedVideoEnd: MediaTime?
        /// A Boolean value that indicates whether the video decoder has shown a frame of this
        /// generation.
        var hasVideo = false
        /// The generation of the audio that waits to be heard; audio of an earlier one is about to
        /// be discarded.
        var audioGeneration = 0
        var hasPlayedToEnd = false
        /// A Boolean value that indicates whether playback ended at the beginning of the item.
        var endedInReverse = false
        var endCount = 0
        /// The end of playback, the action there, and the successor.
        var ending = Ending()
        /// The number of jumps of the playhead.
        var timeJumps = 0
        /// The display size of the visible frame, or else of the track.
        var presentationSize = PresentationSize.zero
        /// A Boolean value that indicates whether an output shows the item instead of the player.
        var isRenderingSuppressed = false
        /// The error that ended reading before the end, in this generation.
        var readingError: MediaError?
        var decodeErrors = 0
        var lastDecodeError: MediaError?
        /// Called once, when the item is ready, has failed, or is closed.
        var readyWaiters: [ReadyWaiter] = []

        /// The description of the asset, which is kept when the item is over.
        var description: AssetDescription? {
            switch phase {
            case .ready(let description): description
            case .closed(let description, _): description
            case .idle, .opening, .failed: nil
            }
        }

        /// A Boolean value that indicates whether the item can still be used.
        var isAlive: Bool {
            switch phase {
            case .closed, .failed: false
            case .idle, .opening, .ready: true
            }
        }

        /// The end of the item, once every track has been decoded to its end.
        var naturalEnd: MediaTime? { naturalEnd(videoEnd: videoEnd) }

        /// The expected end before the last frames have been decoded. It may be wrong, so it serves
        /// only uses that can be corrected.
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
        /// The description known by then, and the error if it was used again.
        case closed(AssetDescription?, MediaError?)
    }

    /// - Parameters:
    ///   - didChange: Called after every change with the lock held, in order.
    ///   - didUnlock: Called after every change without the lock.
    init(
        asset: Asset, didChange: @escaping @Sendable (Control) -> Void,
        didUnlock: @escaping @Sendable () -> Void
    ) {
        self.asset = asset
        timebase = Timebase(masterClock: HostClock.shared)
        control = Monitor(Control(), didChange: didChange, didUnlock: didUnlock)
    }

    /// Starts the threads; only the first call has an effect.
    func start(_ configuration: DecodingConfiguration) {
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
        _ = WorkerThread(name: "ph-demux") { DemuxLoop(host: self).run(configuration) }
    }

    /// Ends everything: threads leave, and a pending seek completes with false.
    func close() {
        cancellation.cancel()
        var ended = EndedRequests()
        let (renderer, waiters) = control.change { control in
            defer {
                control.seek = nil
                control.steps = []
                control.renderer = nil
                // The reason of a failure is kept.
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

    /// Fails the item if a player released it before and it is to be played again.
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

    /// Returns whether a player may have the item: no other has it, or it was released already.
    func canBelong(to player: any AnyObject & Sendable) -> Bool {
        claim.take(for: player) || !control.withLock { $0.isAlive }
    }

    /// A Boolean value that indicates whether nothing has begun yet.
    var isIdle: Bool {
        control.withLock { if case .idle = $0.phase { true } else { false } }
    }

    func openDemuxer() throws(MediaError) -> any Demuxer {
        try asset.openDemuxer(cancellation: cancellation)
    }

    /// Moves the stopped playhead. With the lock held.
    func moveTimeline(_ control: inout Control, to time: MediaTime) {
        if time != timebase.time { control.timeJumps += 1 }
        timebase.setRate(0, time: time, atMasterTime: .zero)
    }

    func isCurrent(_ generation: Int) -> Bool {
        control.withLock { $0.generation == generation }
    }
}

/// The events of the decoding threads.
extension ItemPipeline {
    /// Records an error that playback survives.
    func report(_ error: MediaError) {
        control.change { control in
            control.decodeErrors += 1
            control.lastDecodeError = error
        }
    }

    /// Records that something can be decoded.
    func noteDecoded() { hasDecoded.store(true, ordering: .relaxed) }

    /// Handles a new frame of the generation in the queue, with its end in forward playback.
    func videoAdvanced(to end: MediaTime?, generation: Int) {
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

    /// Fails an item that was read to its end without anything decodable.
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

    /// Ends everything with an error.
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

    /// Handles more audio in the renderer's ring, which changes nothing while it plays.
    func audioAdvanced() {
        if control.withLock({ $0.waitsForSound }) { evaluate() }
    }

    /// Handles the end of audio. Samples beyond the track's edit list, which pad the last packet,
    /// are not heard.
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
    /// A Boolean value that indicates whether more audio may complete a seek, a step, a preroll, a
    /// start or a hold of the timeline.
    fileprivate var waitsForSound: Bool {
        !isRunning || seek != nil || !steps.isEmpty || !prerolls.isEmpty
            || buffering.transfer != nil
    }
}
