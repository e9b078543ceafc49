// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// The machinery behind a player item: its demuxing and decoding threads, the queues between them,
/// and the timebase.
///
/// Life: *idle* until it is started by a player, *opening* while the container is probed, then
/// *ready* or *failed*; *closed* at any time, for good. Threads are told to end by closing the
/// queues and cancelling the demuxer; they hold the pipeline until they have ended, and nobody
/// waits for them.
///
/// - Concurrency: any thread; everything that changes is in `control` or in the queues. The lock of
///   `control` is held briefly, and never while another lock is taken but those of the timebase.
final class ItemPipeline: Sendable {
    let asset: Asset
    let timebase: Timebase
    let packets = PacketQueue()
    let frames = FrameQueue()
    private let cancellation = Cancellation()
    let control: Monitor<Control>
    /// Told of every change of `control`, in order.
    let observers = StateObservers(PlayerItemState())

    /// What the control thread and the item's threads share.
    struct Control {
        var phase = Phase.idle
        /// Of the packets and frames that count: raised by every seek.
        var generation = 0
        /// Asked for, but not yet landed.
        var seek: Seek?
        /// Whether the demuxer still has to move for `seek`.
        var demuxerMustMove = false
        /// Rate that the player wants, and whether the timebase runs at it.
        var desiredRate = 0.0
        var isRunning = false
        var volume: Float = 1
        var videoTrack: AssetTrack?
        var audioTrack: AssetTrack?
        var renderer: AudioRenderer?
        /// Where each track's last sample ends, once its decoder has got there.
        var videoEnd: MediaTime?
        var audioEnd: MediaTime?
        /// Whether the video decoder has shown a frame of this generation.
        var hasVideo = false
        var hasPlayedToEnd = false
        var endCount = 0
        var decodeErrors = 0
        var lastDecodeError: MediaError?
        /// Called once, when the item is ready, has failed, or is closed.
        var readyWaiters: [ReadyWaiter] = []
    }

    typealias ReadyWaiter = @Sendable (Result<Void, MediaError>) -> Void

    enum Phase {
        case idle, opening
        case ready(AssetDescription)
        case failed(MediaError)
        case closed
    }

    /// What starting needs to know.
    struct Configuration: Sendable {
        var audioSink: (any AudioSink)?
        var masterClock: any MediaClock
        var audioTrackIndex: Int?
        var playsVideo = true
        var playsAudio = true
    }

    init(asset: Asset) {
        self.asset = asset
        timebase = Timebase(masterClock: HostClock.shared)
        control = Monitor(Control()) { [observers] in observers.note($0.state) }
    }

    /// Starts the threads; only the first call does.
    func start(_ configuration: Configuration) {
        let starts = control.change { control -> Bool in
            guard case .idle = control.phase else { return false }
            control.phase = .opening
            return true
        }
        guard starts else { return }
        timebase.master = .clock(configuration.masterClock)
        _ = WorkerThread(name: "ph-demux") { DemuxLoop(pipeline: self).run(configuration) }
    }

    /// Ends everything: threads leave, a pending seek completes with false.
    func close() {
        cancellation.cancel()
        let (completion, renderer, waiters) = control.change { control in
            defer {
                control.seek = nil
                control.renderer = nil
                control.phase = .closed
                control.readyWaiters = []
            }
            return (control.seek?.completion, control.renderer, control.readyWaiters)
        }
        packets.close()
        frames.close()
        renderer?.invalidate()
        completion?(false)
        for waiter in waiters { waiter(.failure(closedError)) }
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
            case .ready: return .success(())
            case .failed(let error): return .failure(error)
            case .closed: return .failure(closedError)
            case .idle, .opening:
                control.readyWaiters.append(waiter)
                return nil
            }
        }
        if let result { waiter(result) }
    }

    func openDemuxer() throws(MediaError) -> any Demuxer {
        try asset.openDemuxer(cancellation: cancellation)
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

    /// A frame of the generation is in the queue.
    func videoAdvanced(generation: Int) {
        control.change { control in
            if control.generation == generation { control.hasVideo = true }
        }
        evaluate()
    }

    func videoEnded(at end: MediaTime, generation: Int) {
        control.change { control in
            if control.generation == generation { control.videoEnd = end }
        }
        evaluate()
    }

    func audioEnded(at end: MediaTime, generation: Int) {
        control.change { control in
            if control.generation == generation { control.audioEnd = end }
        }
        evaluate()
    }

    /// A seek with tolerance has found a picture before its target: that is where it lands.
    func landEarly(at time: MediaTime, generation: Int) {
        control.change { control in
            guard control.generation == generation else { return }
            control.seek?.target = time
            timebase.setRate(0, time: time, atMasterTime: .zero)
        }
    }

    /// Where sound begins after a seek. Waits until the picture has landed if the seek's tolerance
    /// lets it land elsewhere than at its target. Nil when the generation is over.
    func landingTime(generation: Int) -> MediaTime? {
        control.wait { control -> MediaTime?? in
            if case .closed = control.phase { return .some(nil) }
            guard control.generation == generation else { return .some(nil) }
            guard let seek = control.seek else { return .some(self.timebase.time) }
            let isSettled =
                seek.toleranceBefore == .zero || control.videoTrack == nil || control.hasVideo
                || control.videoEnd != nil
            return isSettled ? .some(seek.target) : nil
        }
    }
}
