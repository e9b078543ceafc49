// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadStretching
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The pipeline of a player item: its demuxing and decoding threads, the queues between them, the
/// timebase, and the transport that controls all of them.
///
/// Requests of clients and reports of threads are events for the transport. It answers with
/// actions, which the pipeline performs. To end the threads, the queues are closed and the demuxer
/// is cancelled. The threads retain the pipeline until they have ended, and no thread waits for
/// them.
///
/// - Concurrency: any thread. All mutable state is in `control` or in the queues. The lock of
///   `control` is held for a short time. While it is held, no other locks are taken except those of
///   the timebase and the queues.
final class ItemPipeline: Sendable {
    let asset: Asset
    let timebase: Timebase
    let packets = PacketQueue()
    let frames = FrameQueue()
    /// Frames that were decoded during scrubbing, kept in case the user returns to them.
    let scrubbed = ScrubCache()
    let recentFrames = RecentFrameBudget()
    let cancellation = Cancellation()
    let control: Monitor<Control>
    /// The pool of memory for frames in forward playback.
    let pixelBufferPool = PixelBufferPoolRelay()
    /// The outputs, which are notified of new frames.
    let outputs = OutputList()
    /// The timed metadata that has been read, and its clients.
    let metadata = TimedMetadataFeed()
    /// The handler of events that the player may have to handle. It is called without a lock.
    let eventHandler = LockedHandler<PipelineEvent>()
    /// The player to which the item belongs.
    let claim = PlayerClaim()
    /// The vsync times of the display that shows the item, if they are known.
    let vsyncs = VsyncGrid()

    /// The composition of the video tracks.
    let composing = Monitor(Composing())
    /// A Boolean value that indicates whether the demuxing thread shall compose from its next seek
    /// on.
    let reopening = Atomic<Bool>(false)
    /// The number of times that the demuxers of the asset became others.
    let openingCount = Atomic<Int>(0)
    /// A Boolean value that indicates whether the thread of the video shall use another decoder
    /// from its next packet on.
    let hasNewDecoder = Atomic<Bool>(false)
    /// A Boolean value that indicates whether frames are shown as they arrive.
    let followsArrival = Atomic<Bool>(false)

    /// A Boolean value that indicates whether a decoder has output anything.
    let hasDecoded = Atomic<Bool>(false)
    /// A Boolean value that indicates whether a start waits for a device to wake.
    let isWakingSound = Atomic<Bool>(false)

    /// A lock that is held while an audio mix is passed to the renderer, so that the newest mix is
    /// passed last.
    let mixing = Mutex(())
    /// A lock that is held while outputs receive their frames, so that the newest frames are passed
    /// last.
    let routing = Mutex(())

    /// The state that the controlling threads and the item's threads share: the transport, which
    /// only events change, and the objects on which its actions are performed.
    struct Control {
        private(set) var transport = Transport()
        var renderer: AudioRenderer?
        var further = FurtherAudio()
        /// The video tracks that play in addition to the first one, by their identifiers.
        var videoFeeds: [VideoFeed] = []
        /// The memory for decoded frames of all video tracks, in bytes.
        var pictureBytes = MediaLimits().pictureBytes
        /// The last error of each track that has one.
        var trackErrors: [Int: MediaError] = [:]
        /// The clock that the player has chosen, and the clock that is used if none was chosen and
        /// there is no audio.
        var chosenClock: (any MediaClock)?
        var fallbackClock: any MediaClock = HostClock.shared
        /// The rate of the player whose current item this is or was.
        var playerRate: PlayerRate?
        var volume: Float = 1
        var audioMix: AudioMix?
        var timePitchAlgorithm = AudioTimePitchAlgorithm.timeDomain
        /// The video decoder, which knows its decoding method.
        var videoDecoder: (any VideoDecoder)?
        /// The last preference that was requested. Until it is passed to the demuxer, it is also in
        /// `variants`.
        var variantPreference: VariantPreference?
        var variants: VariantPreference?
        var transfer: TransferMonitor?
        var liveMonitor: LiveMonitor?
        var arrivalMonitor: ArrivalMonitor?
        /// The display size of the visible frame or, if no frame is visible, of the track.
        var presentationSize = PresentationSize.zero
        /// A Boolean value that indicates whether an output shows the item in place of the player.
        var isRenderingSuppressed = false
        var log = PlaybackLog()
        var decodeErrors = 0
        var lastDecodeError: MediaError?
        /// The waiters. Each is called once, when the item is ready, has failed, or is closed.
        var readyWaiters: [ReadyWaiter] = []
        var alarms = Alarms()

        mutating func handle(
            _ event: TransportEvent, at now: TransportInstant, seeing view: some TransportView
        ) -> [TransportAction] {
            transport.handle(event, at: now, seeing: view)
        }
    }

    typealias ReadyWaiter = @Sendable (Result<Void, MediaError>) -> Void

    /// - Parameters:
    ///   - didChange: Called after every change, in order, with the lock held.
    ///   - didUnlock: Called after every change, without the lock.
    init(
        asset: Asset, didChange: @escaping @Sendable (Control) -> Void,
        didUnlock: @escaping @Sendable () -> Void
    ) {
        self.asset = asset
        timebase = Timebase(masterClock: HostClock.shared)
        control = Monitor(Control(), didChange: didChange, didUnlock: didUnlock)
    }

    /// Starts the threads. Only the first call has an effect.
    func start(_ configuration: DecodingConfiguration) {
        let (begins, _) = perform(
            .begin(
                waitsToMinimizeStalling: configuration.waitsToMinimizeStalling,
                endAction: configuration.endAction)
        ) { [timebase] control in
            control.log.begin(atHostNanoseconds: HostClock.nanoseconds)
            control.chosenClock = configuration.chosenClock
            control.fallbackClock = configuration.masterClock
            control.further.makeSink = configuration.makeFurtherSink
            timebase.master = .clock(configuration.chosenClock ?? configuration.masterClock)
        }
        guard begins else { return }
        _ = WorkerThread(name: "ph-demux") { DemuxLoop(host: self).run(configuration) }
    }

    /// Ends all work: the threads end, and a pending seek completes with false.
    func close() {
        cancellation.cancel()
        var waiters: [ReadyWaiter] = []
        var renderer: AudioRenderer?
        var further = FurtherAudio()
        var videoFeeds: [VideoFeed] = []
        let (_, after) = perform(.close, always: true) { control in
            swap(&videoFeeds, &control.videoFeeds)
            swap(&renderer, &control.renderer)
            swap(&further, &control.further)
            swap(&waiters, &control.readyWaiters)
        }
        packets.close()
        frames.close()
        for feed in videoFeeds { feed.frames.close() }
        renderer?.invalidate()
        for feed in further.feeds + further.ended { feed.renderer.invalidate() }
        perform(after)
        for waiter in waiters { waiter(.failure(closedError)) }
    }

    /// Ends all work with an error.
    func fail(_ error: MediaError) {
        var waiters: [ReadyWaiter] = []
        let (_, after) = perform(.fail(error), always: true) { control in
            swap(&waiters, &control.readyWaiters)
            control.logError(error)
        }
        packets.close()
        perform(after)
        for waiter in waiters { waiter(.failure(error)) }
        announce(.failed)
    }

    /// Fails the item if a player has already removed it. Called when a player receives an item.
    func refuseReuse() {
        post(
            .reuse(
                MediaError(
                    .cancelled, subject: asset.displayName,
                    cause: "a player has already removed this item, and an item cannot be reused",
                    remedy: "create another item")))
    }

    private var closedError: MediaError {
        MediaError(
            .cancelled, subject: asset.displayName,
            cause: "the item was removed before it was ready")
    }

    /// Calls `waiter` once. If the item is ready, has failed or is closed, the call is immediate.
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

    /// Returns whether a player may take the item: no other player has it, or a player has already
    /// removed it.
    func canBelong(to player: any AnyObject & Sendable) -> Bool {
        claim.take(for: player) || !control.withLock { $0.isAlive }
    }

    /// A Boolean value that indicates whether the item has not begun any work.
    var isIdle: Bool {
        control.withLock { if case .idle = $0.phase { true } else { false } }
    }

    func openDemuxer() throws(MediaError) -> any Demuxer { try openDemuxer(cancellation) }

    func openDemuxer(_ cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        try composed(asset.openDemuxer(cancellation: cancellation), cancellation)
    }

    /// Reports an event to the player. Must not be called with a lock held.
    func announce(_ event: PipelineEvent) { eventHandler(event) }

    /// The time of the timeline, or the beginning of the visible frame if that frame was drawn
    /// ahead of the timeline. Steps begin at this time, and its frame stays until a seek shows
    /// another frame.
    var seenTime: MediaTime { seenTime(at: timebase.time) }

    /// Returns the value of `seenTime` while the timeline is at `time`.
    func seenTime(at time: MediaTime) -> MediaTime {
        frames.seenTime(at: time, drawn: outputs.all.compactMap(\.drawn))
    }
}
