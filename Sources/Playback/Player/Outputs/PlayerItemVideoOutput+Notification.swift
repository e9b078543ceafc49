// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime
import Synchronization

/// Notifications of new frames.
extension PlayerItemVideoOutput: NotifyingPixelBufferSource {
    /// A client that waits for one notification.
    struct Request {
        /// The time between the notification and the frame.
        var interval: MediaTime
        var fulfil: @Sendable () -> Void
        /// The timer that fires when the timeline comes near the next frame.
        var timer: TimebaseTimer?
    }

    /// The pending notifications.
    struct Notification {
        weak var delegate: (any PlayerItemOutputPullDelegate)?
        var queue = ObservationQueue.background
        /// The requests by number.
        var requests: [Int: Request] = [:]
        var lastRequest = 0
        /// The number of the delegate's newest request, which replaces the previous request.
        var delegateRequest = 0
    }

    /// Sets the delegate that is notified of changes, and the queue on which it is called. The
    /// delegate is not retained.
    ///
    /// - Corresponds to: `AVPlayerItemVideoOutput.setDelegate(_:queue:)`.
    public func setDelegate(
        _ delegate: (any PlayerItemOutputPullDelegate)?, queue: ObservationQueue = .background
    ) {
        notification.withLock { notification in
            notification.delegate = delegate
            notification.queue = queue
        }
    }

    /// Requests one call of the delegate's `outputMediaDataWillChange` when another frame is about
    /// to become available: when playback starts, when a seek or step lands, or during playback
    /// when the next frame is near. If there is a frame already, the call is immediate.
    ///
    /// - Parameter interval: The time for preparation: the call is made this long before the frame
    ///   is due. If less time than that is left, the call is made as soon as possible. A value that
    ///   is negative or not numeric counts as zero.
    /// - Corresponds to: `requestNotificationOfMediaDataChange(withAdvanceInterval:)`.
    public func requestNotificationOfMediaDataChange(withAdvanceInterval interval: MediaTime) {
        request(withAdvanceInterval: interval, isDelegates: true) { [weak self] in
            guard let self else { return }
            let (delegate, queue) = notification.withLock { ($0.delegate, $0.queue) }
            queue.async { [weak self, weak delegate] in
                if let self { delegate?.outputMediaDataWillChange(self) }
            }
        }
    }

    /// Calls `handler` once, when another frame is about to become available; see
    /// `NotifyingPixelBufferSource`.
    public func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let number = request(withAdvanceInterval: interval, isDelegates: false) {
            queue.async { gate.pass(handler) }
        }
        return ObservationToken(gate: gate) { [weak self] in
            let request = self?.notification.withLock { $0.requests.removeValue(forKey: number) }
            request?.timer?.cancel()
        }
    }

    @discardableResult
    private func request(
        withAdvanceInterval interval: MediaTime, isDelegates: Bool,
        fulfil: @escaping @Sendable () -> Void
    ) -> Int {
        let interval = interval.isNumeric ? max(interval, .zero) : .zero
        let (number, replaced) = notification.withLock { notification in
            notification.lastRequest += 1
            let number = notification.lastRequest
            notification.requests[number] = Request(interval: interval, fulfil: fulfil)
            guard isDelegates else { return (number, Request?.none) }
            defer { notification.delegateRequest = number }
            return (number, notification.requests.removeValue(forKey: notification.delegateRequest))
        }
        replaced?.timer?.cancel()
        reconsider()
        return number
    }

    // MARK: - Interface of the item

    /// Prepares frames, and notifies waiting clients.
    func reconsider() {
        prepareFrames()
        fulfilRequests()
    }

    /// Notifies waiting clients if there is a frame to pull. If there is no frame, schedules the
    /// notification.
    func fulfilRequests() {
        let pending = pendingRequests
        guard !pending.isEmpty, let pipeline else { return }
        let (time, rate) = pipeline.timebase.timeAndRate
        if hasNewPixelBuffer(forItemTime: time) {
            for number in pending { fulfil(number) }
        } else if let start = pipeline.startHostTime?.nanoseconds {
            for number in pending { fulfil(number, before: start) }
        } else if rate != 0, let next = frames?.nextTime(after: time, isForward: rate > 0) {
            for number in pending { setTimer(of: number, for: next, rate: rate, pipeline.timebase) }
        }
    }

    func sequenceWasFlushed() {
        let (delegate, queue) = notification.withLock { ($0.delegate, $0.queue) }
        guard delegate != nil else { return }
        queue.async { [weak self, weak delegate] in
            guard let self else { return }
            delegate?.outputSequenceWasFlushed(self)
        }
    }

    // MARK: -

    private var pendingRequests: [Int] { notification.withLock { Array($0.requests.keys) } }

    private func fulfil(_ number: Int) {
        let request = notification.withLock { $0.requests.removeValue(forKey: number) }
        request?.timer?.cancel()
        request?.fulfil()
    }

    /// Fulfils a request at the host time `due` minus the request's interval.
    private func fulfil(_ number: Int, before due: Int64) {
        guard let interval = notification.withLock({ $0.requests[number]?.interval }) else {
            return
        }
        let delay = due - (interval.nanoseconds ?? 0) - HostClock.nanoseconds
        guard delay > 0 else {
            fulfil(number)
            return
        }
        ObservationQueue.background.async(afterNanoseconds: delay) { [weak self] in
            self?.fulfil(number)
        }
    }

    /// Fulfils a request when the timeline is at `time` minus the request's interval.
    private func setTimer(
        of number: Int, for time: MediaTime, rate: Double, _ timebase: Timebase
    ) {
        guard let interval = notification.withLock({ $0.requests[number]?.interval }) else {
            return
        }
        let notice = time - interval * rate
        let isDue = { rate > 0 ? notice <= timebase.time : notice >= timebase.time }
        if isDue() {
            fulfil(number)
            return
        }
        let timer = timebase.addTimer(at: notice) { [weak self] _ in self?.fulfil(number) }
        let former = notification.withLock { notification -> TimebaseTimer? in
            guard notification.requests[number] != nil else { return timer }
            defer { notification.requests[number]?.timer = timer }
            return notification.requests[number]?.timer
        }
        former?.cancel()
        // A manual clock may have reached the time before the timer was set, and may have stopped
        // since.
        if isDue() { fulfil(number) }
    }
}
