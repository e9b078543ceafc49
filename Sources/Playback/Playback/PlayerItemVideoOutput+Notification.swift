// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
public import PlayheadTime
import Synchronization

extension PlayerItemVideoOutput {
    /// Who is told of changes, on which queue. The delegate is not kept alive.
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

    /// Asks for one call of the delegate's `outputMediaDataWillChange`, before there is another
    /// picture to pull: when playback starts, or a seek or step lands. Comes at once if it is so
    /// already.
    ///
    /// - Parameter interval: how long before a start that was declared for a coming host time the
    ///   call is wanted, to get ready; it comes later where there is less time. Measured by the
    ///   machine's clock.
    /// - Corresponds to: `requestNotificationOfMediaDataChange(withAdvanceInterval:)`.
    public func requestNotificationOfMediaDataChange(withAdvanceInterval interval: MediaTime) {
        notification.withLock { notification in
            notification.request += 1
            notification.interval = interval.isNumeric ? max(interval, .zero) : .zero
        }
        guard let pipeline else { return }
        if pipeline.control.withLock({ $0.isRunning }) {
            mediaDataWillChange(at: pipeline.startHostTime)
        } else if hasNewPixelBuffer(forItemTime: pipeline.timebase.time) {
            mediaDataWillChange(at: nil)
        }
    }

    /// Tells the delegate, if it wants to know: now, or before a start at `hostTime`.
    func mediaDataWillChange(at hostTime: MediaTime?) {
        let (request, interval, queue) = notification.withLock {
            ($0.interval == nil ? nil : $0.request, $0.interval, $0.queue)
        }
        guard let request, let interval else { return }
        var delay: Int64 = 0
        if let hostTime, let due = (hostTime - interval).nanoseconds {
            delay = max(0, due - HostClock.nanoseconds)
        }
        let tell: @Sendable () -> Void = { [weak self] in self?.tellDelegate(request: request) }
        queue.async(afterNanoseconds: delay, tell)
    }

    /// On the delegate's queue. Several changes may have asked for this; the first fulfils it.
    private func tellDelegate(request: Int) {
        let delegate = notification.withLock {
            notification -> (any PlayerItemOutputPullDelegate)? in
            guard notification.request == request, notification.interval != nil else { return nil }
            notification.interval = nil
            return notification.delegate
        }
        delegate?.outputMediaDataWillChange(self)
    }

    func sequenceWasFlushed() {
        let (delegate, queue) = notification.withLock { ($0.delegate, $0.queue) }
        guard delegate != nil else { return }
        queue.async { [weak self, weak delegate] in
            guard let self else { return }
            delegate?.outputSequenceWasFlushed(self)
        }
    }
}
