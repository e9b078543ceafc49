// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Synchronization

/// A receiver of a session's frames: the superclass of all outputs.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureOutput`.
public class CaptureOutput: @unchecked Sendable {
    // Unchecked because it has subclasses: its own state is under a lock, and theirs is too.

    private struct Attachment {
        weak var owner: (any AnyObject & Sendable)?
        weak var connection: CaptureConnection?
    }

    private let attachment = Mutex(Attachment())

    init() {}

    /// The connection through which frames arrive; nil for an output that is not connected.
    public var connection: CaptureConnection? { attachment.withLock { $0.connection } }

    // MARK: - Interface of the session

    /// The session to which the output belongs; nil if it belongs to no session.
    var owner: (any AnyObject & Sendable)? { attachment.withLock { $0.owner } }

    /// Called when the output is added to a session, with the session's clock, or removed from it.
    func attach(to owner: (any AnyObject & Sendable)?, clock: (any MediaClock)?) {
        attachment.withLock { $0.owner = owner }
    }

    func attach(to connection: CaptureConnection?) {
        attachment.withLock { $0.connection = connection }
    }

    /// Receives a frame and its time on the session's clock. Called on the device's thread; must
    /// not wait.
    func receive(_ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection) {}

    /// Called when frames were dropped.
    func receiveDrop(
        count: Int, at time: MediaTime, reason: CaptureDropReason,
        from connection: CaptureConnection
    ) {}

    /// Called when the session starts or stops delivering.
    func sessionDidChange(isRunning: Bool) {}
}
