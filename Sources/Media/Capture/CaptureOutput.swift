// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A receiver of a session's frames or audio: the superclass of all outputs.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureOutput`.
public class CaptureOutput: @unchecked Sendable {
    // Unchecked because it has subclasses: its own state is under a lock, and theirs is too.

    private struct Attachment {
        weak var owner: (any AnyObject & Sendable)?
        var connections: [WeakReference<CaptureConnection>] = []
    }

    private let attachment = Mutex(Attachment())

    init() {}

    /// The first connection, through which frames or audio arrive; nil for an output that is not
    /// connected.
    public var connection: CaptureConnection? { connections.first }

    /// The connections: one for each type of media that the output accepts.
    public var connections: [CaptureConnection] {
        attachment.withLock { $0.connections.compactMap(\.object) }
    }

    /// Returns the connection through which media of a type arrive; nil if there is no such
    /// connection.
    public func connection(with mediaType: MediaType) -> CaptureConnection? {
        connections.first { $0.input.mediaType == mediaType }
    }

    // MARK: - Interface of the session

    /// The types of media that the output accepts. It accepts each type from one device only.
    package var acceptedMediaTypes: Set<MediaType> { [.video] }

    /// The session to which the output belongs; nil if it belongs to no session.
    var owner: (any AnyObject & Sendable)? { attachment.withLock { $0.owner } }

    /// Called when the output is added to a session, with the session's clock, or removed from it.
    func attach(to owner: (any AnyObject & Sendable)?, clock: (any MediaClock)?) {
        attachment.withLock { $0.owner = owner }
    }

    /// Called when a connection is added.
    func attach(to connection: CaptureConnection) {
        attachment.withLock { $0.connections.append(WeakReference(connection)) }
    }

    /// Called when a connection is removed.
    func detach(from connection: CaptureConnection) {
        attachment.withLock { attachment in
            attachment.connections.removeAll { $0.object == nil || $0.object === connection }
        }
    }

    /// Receives a frame and its time on the session's clock. Called on the device's thread; must
    /// not wait.
    func receive(_ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection) {}

    /// Receives audio with its time on the session's clock, on the device's thread. Must not wait.
    func receive(_ audio: AudioBuffer, from connection: CaptureConnection) {}

    /// Called when frames were dropped.
    func receiveDrop(
        count: Int, at time: MediaTime, reason: CaptureDropReason,
        from connection: CaptureConnection
    ) {}

    /// Called when the session starts or stops delivering.
    func sessionDidChange(isRunning: Bool) {}
}
