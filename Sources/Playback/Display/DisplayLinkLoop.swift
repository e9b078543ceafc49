// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization

/// The loop of a display link's thread. It is separate from `DisplayLink`, so that the thread does
/// not retain the link and an unreferenced link can stop.
///
/// States: paused → running → paused …, and from both to ending → finished, which is final.
final class DisplayLinkLoop: @unchecked Sendable {
    // Unchecked for `callback`, `tracker` and `isHolding`, which only the link's thread uses.
    private var callback: DisplayLink.Callback?
    private var tracker: VsyncTracker
    /// A Boolean value that indicates whether the link was paused when the thread last checked.
    private var isHolding = true
    private let source: any VsyncSource
    private let control = Monitor(Control())
    /// A flag that is set with every change of `control`. If it is not set, a tick need not take
    /// the lock.
    private let hasNews = Atomic<Bool>(true)
    private let preferredRate = Atomic<UInt64>(0)

    private struct Control: Sendable {
        var isPaused = true
        var isEnding = false
        var isFinished = false
        var work: [@Sendable () -> Void] = []
    }

    init(source: any VsyncSource, callback: @escaping DisplayLink.Callback) {
        self.source = source
        self.callback = callback
        tracker = VsyncTracker(source: source)
    }

    // MARK: - Any thread

    var isPaused: Bool {
        get { control.withLock { $0.isPaused } }
        set { tell { $0.isPaused = newValue } }
    }

    var preferredFramesPerSecond: Double {
        get { Double(bitPattern: preferredRate.load(ordering: .relaxed)) }
        set { preferredRate.store(newValue.bitPattern, ordering: .relaxed) }
    }

    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        tell { control in
            if control.isFinished { return false }
            control.work.append(body)
            return true
        }
    }

    func end() {
        tell { $0.isEnding = true }
        source.stop()
    }

    private func tell<Result>(_ change: (inout Control) -> Result) -> Result {
        control.change { control in
            defer { hasNews.store(true, ordering: .releasing) }
            return change(&control)
        }
    }

    // MARK: - The link's thread

    func run() {
        var lastCalled = Int64.min
        while heedNews(mayWait: true) {
            guard let event = source.waitForVsync() else {
                // Another object has stopped the source, so there are no more vsyncs.
                isPaused = true
                continue
            }
            let tick = tracker.tick(for: event)
            // Requests that arrived during the wait are handled before the callback.
            guard heedNews(mayWait: false) else { break }
            let isDue =
                lastCalled == .min
                || tick.sequence - lastCalled >= vsyncsPerCall(tick.duration)
            if isHolding || !isDue { continue }
            lastCalled = tick.sequence
            callback?(tick)
        }
        callback = nil
    }

    private enum Order {
        case perform([@Sendable () -> Void])
        case go
        case hold
        case end
    }

    /// Handles the pending requests. Returns false if the link has ended.
    ///
    /// - Parameter mayWait: A Boolean value that indicates whether to sleep while the link is
    ///   paused.
    private func heedNews(mayWait: Bool) -> Bool {
        while hasNews.exchange(false, ordering: .acquiringAndReleasing) || (isHolding && mayWait) {
            switch nextOrder(mayWait: mayWait) {
            case .perform(let work):
                for body in work { body() }
                hasNews.store(true, ordering: .releasing)
            case .go, .hold: break
            case .end: return false
            }
        }
        return true
    }

    private func nextOrder(mayWait: Bool) -> Order {
        control.wait { control -> Order? in
            if !control.work.isEmpty {
                defer { control.work = [] }
                return .perform(control.work)
            }
            if control.isEnding {
                control.isFinished = true
                return .end
            }
            isHolding = control.isPaused
            if isHolding { return mayWait ? nil : .hold }
            return .go
        }
    }

    private func vsyncsPerCall(_ period: MediaTime) -> Int64 {
        let wanted = preferredFramesPerSecond
        guard wanted > 0, period > .zero else { return 1 }
        // The limit prevents an overflow if the frequency is tiny.
        return max(1, Int64(min((1 / (wanted * period.seconds)).rounded(), 1e10)))
    }
}
