// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// A simulated audio device that requests audio in blocks ahead of a clock. It implements
/// `NullAudioSink`.
///
/// - Concurrency: any thread. The lock is held while a block is rendered, which is acceptable
///   because this is not a real device.
final class BlockDevice: Sendable {
    static let blockNanoseconds: Int64 = 10_000_000
    static let aheadNanoseconds: Int64 = 40_000_000

    private struct State {
        var status = AudioSinkStatus.ready
        var source: (any AudioSource)?
        var onStatusChange: @Sendable () -> Void = {}
        /// The clock time of frame 0 of the run, and the number of frames of the run that have been
        /// rendered.
        var runStart: Int64 = 0
        var rendered: Int64 = 0
        var isEnding = false
    }

    private let format: AudioFormat
    private let clock: any MediaClock
    private let capture: CaptureBuffer?
    private let state: Monitor<State>
    private let conversion: FrameRateConversion
    private let blockFrames: Int

    init(format: AudioFormat, clock: any MediaClock, capture: CaptureBuffer?) {
        self.format = format
        self.clock = clock
        self.capture = capture
        state = Monitor(State())
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        blockFrames = max(1, Int(conversion.frames(nanoseconds: Self.blockNanoseconds)))
    }

    var status: AudioSinkStatus { state.withLock { $0.status } }

    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        set { state in
            state.source = source
            state.onStatusChange = onStatusChange
            if state.status != .running { state.status = .paused }
        }
    }

    func resume() {
        let now = clockTime
        set { state in
            guard state.status == .paused else { return }
            state.status = .running
            state.runStart = now
            state.rendered = 0
        }
    }

    func pause() {
        let now = clockTime
        set { state in
            guard state.status == .running else { return }
            state.status = .paused
            capture?.endRun(at: now)
        }
    }

    func stop() {
        let now = clockTime
        set { state in
            if state.status == .running { capture?.endRun(at: now) }
            state.status = .ready
            state.source = nil
        }
        state.withLock { $0.onStatusChange = {} }
    }

    /// Ends the thread after the current block.
    func end() { state.change { $0.isEnding = true } }

    func renderDueBlocks() {
        let now = clockTime
        state.withLock { render(&$0, now: now) }
    }

    /// Starts the thread that renders in step with the clock. The thread sleeps until the next
    /// block is due, or without a limit if no block will be due.
    func startThread() {
        _ = WorkerThread(name: "ph-null") { [self] in
            while true {
                let isRunning = state.wait { state -> Bool? in
                    if state.isEnding { return false }
                    return state.status == .running ? true : nil
                }
                guard isRunning else { return }
                renderDueBlocks()
                let due = state.withLock { nextDue($0) }
                let hostTime = clock.hostTime(at: MediaTime(nanoseconds: due))
                let delay = (hostTime.nanoseconds ?? 0) - HostClock.nanoseconds
                // The sleep has an upper limit, because the clock may be slewed meanwhile.
                _ = state.wait(nanoseconds: min(max(0, delay), 100_000_000)) { state -> Bool? in
                    state.isEnding || state.status != .running ? true : nil
                }
            }
        }
    }

    private var clockTime: Int64 { clock.time.nanoseconds ?? 0 }

    /// Returns the clock time at which the next block is due.
    private func nextDue(_ state: State) -> Int64 {
        state.runStart + conversion.nanoseconds(frames: state.rendered) - Self.aheadNanoseconds
    }

    private func render(_ state: inout State, now: Int64) {
        guard state.status == .running, let source = state.source else { return }
        // After the machine has slept for long, the missed blocks are not rendered.
        if now - nextDue(state) > 1_000_000_000, !(clock is ManualClock) {
            capture?.endRun(at: now)
            state.runStart = now
            state.rendered = 0
        }
        while nextDue(state) < now {
            let time = state.runStart + conversion.nanoseconds(frames: state.rendered)
            withUnsafeTemporaryAllocation(
                of: Float.self, capacity: blockFrames * format.channelCount
            ) { block in
                guard let samples = block.baseAddress else { return }
                block.initialize(repeating: 0)
                source.render(into: samples, frameCount: blockFrames, presentationTime: time)
                capture?.append(UnsafeBufferPointer(block), at: time)
            }
            state.rendered += Int64(blockFrames)
        }
    }

    /// Changes the state. If the status changed, calls the status closure without the lock.
    private func set(_ body: (inout State) -> Void) {
        let wakeUp = state.change { state -> (@Sendable () -> Void)? in
            let old = state.status
            body(&state)
            return state.status == old ? nil : state.onStatusChange
        }
        wakeUp?()
    }
}
