// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A sink that the host fetches sound from, in its own mixer.
///
/// Its clock follows what the host reports: how long it takes until a frame that is fetched is heard.
/// On a `ManualClock`, frames are counted from where the clock was when sound began to run; a block that
/// begins later than the clock reads is silent, and its sound comes when the clock has got there. A mixer that
/// went on while nothing was ticked, and then all of it at once, has had silence for that time: what stays
/// behind for a second is brought up.
///
/// - Concurrency: any thread; `read` on one, the mixer's, where it tries for a lock that control holds
///   for a few assignments only, and is silent where it does not get it: sound goes on after that where it
///   would be without. Whoever only asks takes no lock.
final class PulledSound: AudioSink {
    private struct State {
        var source: (any AudioSource)?
        var status = AudioSinkStatus.ready
        var onStatusChange: @Sendable () -> Void = {}
        /// Frames of the run that have been handed over.
        var frames: Int64 = 0
        /// Clock time of the run's first frame, on a manual clock; nil until that has been fetched.
        var start: Int64?
        /// When the clock was told of a block last, in nanoseconds of the host clock, and the run's offset since.
        var reading: (hostTime: Int64, offset: Int64)?
        /// On a manual clock, how far the run is behind it after each block, at least, and of how many frames
        /// since that has been watched.
        var least = Int64.max
        var watchedFrames: Int64 = 0
    }

    let format: AudioFormat
    let clock: any MediaClock
    /// Nil on a manual clock.
    private let audioClock: AudioClock?
    private let state = Mutex(State())
    /// What the host said last, and how long the block was that it fetched last, in nanoseconds.
    private let reportedLatency = Atomic<Int64>(0)
    private let blockDuration = Atomic<Int64>(0)
    /// The state's, for those who ask.
    private let isRunning = Atomic(false)
    private let hasSource = Atomic(false)
    /// Frames that were silent because control held the lock.
    private let missedFrames = Atomic<Int64>(0)
    /// Longest that a host may say it takes, in nanoseconds.
    private static let longestLatency: Int64 = 10_000_000_000
    /// How long it takes at least until the next block is fetched.
    private static let shortestWait: Int64 = 20_000_000
    /// How much later than it should a host comes for a block.
    private static let lateness: Int64 = 5_000_000
    /// How far a block may begin from what a manual clock reads. Ahead: a mixer's blocks are others than
    /// the frames of a game, and come between its ticks. Behind: what nobody has fetched for so long is
    /// left out.
    private static let longestLead: Int64 = 50_000_000
    private static let longestLag: Int64 = 1_000_000_000

    init(format: AudioFormat, manualClock: ManualClock?) {
        self.format = format
        if let manualClock {
            audioClock = nil
            clock = manualClock
        } else {
            // A host comes when it likes, from the first block on.
            let audioClock = AudioClock(settles: false)
            self.audioClock = audioClock
            clock = audioClock
        }
    }

    var latency: MediaTime {
        guard audioClock != nil else { return .zero }
        let wait = max(
            Self.shortestWait, blockDuration.load(ordering: .relaxed) + Self.lateness)
        return MediaTime(nanoseconds: reportedLatency.load(ordering: .relaxed) + wait)
    }

    var status: AudioSinkStatus {
        if isRunning.load(ordering: .acquiring) { return .running }
        return hasSource.load(ordering: .acquiring) ? .paused : .ready
    }

    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        set { state in
            state.source = source
            state.onStatusChange = onStatusChange
            if state.status != .running { state.status = .paused }
        }
    }

    func resume() {
        set { state in
            guard state.status == .paused else { return }
            state.status = .running
            state.frames = 0
            state.start = nil
            (state.least, state.watchedFrames) = (.max, 0)
            state.reading = nil
            audioClock?.beginRun()
        }
    }

    func pause() {
        set { if $0.status == .running { $0.status = .paused } }
    }

    func stop() {
        set { state in
            state.status = .ready
            state.source = nil
        }
        state.withLock { $0.onStatusChange = {} }
    }

    /// Fills a block: the next frames of what plays, or silence.
    func read(_ samples: UnsafeMutablePointer<Float>, frameCount: Int, latency: Int64) {
        // Also while nothing plays, for what will.
        let latency = min(max(latency, 0), Self.longestLatency)
        reportedLatency.store(latency, ordering: .relaxed)
        blockDuration.store(nanoseconds(Int64(frameCount)), ordering: .relaxed)
        let isRead = state.withLockIfAvailable { state in
            let missed = missedFrames.exchange(0, ordering: .relaxed)
            guard state.status == .running, let source = state.source else { return false }
            if state.frames > 0 { state.frames += missed }
            guard keepsToClock(&state, frameCount) else { return false }
            let heard = nanoseconds(state.frames)
            let start = state.start ?? offset(&state, heard: heard, frameCount, latency)
            source.render(into: samples, frameCount: frameCount, presentationTime: start + heard)
            state.frames += Int64(frameCount)
            return true
        }
        if isRead == nil { missedFrames.add(Int64(frameCount), ordering: .relaxed) }
        if isRead != true {
            samples.update(repeating: 0, count: frameCount * format.channelCount)
        }
    }

    /// The run's offset on a clock that follows the host. Of blocks that are fetched in a row, with the same
    /// latency named for each, the first tells.
    private func offset(
        _ state: inout State, heard: Int64, _ frameCount: Int, _ latency: Int64
    ) -> Int64 {
        guard let audioClock else { return 0 }
        let now = HostClock.nanoseconds
        if let (hostTime, offset) = state.reading,
            now - hostTime < nanoseconds(Int64(frameCount)) / 2
        {
            return offset
        }
        let offset = audioClock.addReading(deviceTime: heard - latency, hostTime: now)
        state.reading = (now, offset)
        return offset
    }

    /// Where a run is on a manual clock: false where the next block is not due yet.
    private func keepsToClock(_ state: inout State, _ frameCount: Int) -> Bool {
        guard audioClock == nil else { return true }
        let now = clock.time.nanoseconds ?? 0
        let start = state.start ?? now
        let lag = now - start - nanoseconds(state.frames)
        let behind = lag - nanoseconds(Int64(frameCount))
        let excess = max(0, behind - Self.longestLag, staysBehind(&state, behind, frameCount))
        state.start = start + excess
        return lag >= -Self.longestLead
    }

    /// By how much a run was behind for a second: more than blocks and ticks that come by turns are. A clock
    /// that is ticked seldom comes to its sound each time.
    private func staysBehind(_ state: inout State, _ behind: Int64, _ frameCount: Int) -> Int64 {
        state.least = min(state.least, behind)
        state.watchedFrames += Int64(frameCount)
        guard state.watchedFrames >= Int64(format.sampleRate) else { return 0 }
        defer { (state.least, state.watchedFrames) = (.max, 0) }
        return state.least > Self.longestLead ? state.least : 0
    }

    private func nanoseconds(_ frames: Int64) -> Int64 {
        let rate = Int64(format.sampleRate)
        return frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
    }

    /// Changes the state, and tells of a status that is another outside of the lock.
    private func set(_ body: (inout State) -> Void) {
        let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
            let old = state.status
            body(&state)
            isRunning.store(state.status == .running, ordering: .releasing)
            hasSource.store(state.source != nil, ordering: .releasing)
            return state.status == old ? nil : state.onStatusChange
        }
        wakeUp?()
    }
}
