// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// A log that keeps the driver's messages about one context until they are taken.
///
/// Drivers send messages in debug contexts only. Contexts are debug contexts if
/// `PLAYHEAD_GL_DEBUG=1` is set, or if they are created with `WindowConfiguration.isDebugContext`
/// or `HeadlessContext(isDebug: true)`. A message is sent during the call that causes it, on the
/// render thread. The renderer reports it as a problem of the frame.
///
/// - Concurrency: any thread, under a short lock.
/// - Ownership: held by its context. The log must live as long as the driver uses it: see `attach`.
/// - Corresponds to: `glDebugMessageCallback`.
public final class GLMessageLog: Sendable {
    /// The maximum number of messages that wait to be taken. Further messages are counted and
    /// discarded.
    package static let capacity = 64
    /// The name of the environment variable that, if it is `1`, makes contexts debug contexts.
    package static let variable = "PLAYHEAD_GL_DEBUG"

    private struct State {
        var waiting: [GLMessage] = []
        var count = 0
        var errorCount = 0
    }

    private let state = Mutex(State())
    /// A Boolean value that indicates whether any message waits to be taken. It is read in every
    /// frame, without the lock.
    private let hasWaiting = Atomic(false)

    package init() {}

    /// The number of messages since the log was created.
    package var count: Int { state.withLock { $0.count } }

    /// The number of messages that reported wrong use of OpenGL.
    package var errorCount: Int { state.withLock { $0.errorCount } }

    /// Returns the messages since the last call; only the first `capacity` if there were more.
    package func take() -> [GLMessage] {
        guard hasWaiting.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
        return state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Adds a message.
    package func add(_ message: GLMessage) {
        state.withLock { state in
            state.count += 1
            if message.kind == .error { state.errorCount += 1 }
            if state.waiting.count < Self.capacity { state.waiting.append(message) }
        }
        hasWaiting.store(true, ordering: .releasing)
    }

    /// A Boolean value that indicates whether the environment variable requests debug contexts.
    package static var isWanted: Bool {
        getenv(variable).map { String(cString: $0) == "1" } ?? false
    }

    /// Makes the driver send its messages about the current context to this log. Does nothing if
    /// the context is not a debug context.
    ///
    /// - Precondition: the log lives until the context is destroyed or `detach` has been called.
    package func attach(_ capabilities: GLCapabilities) {
        guard capabilities.isDebug else { return }
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT))
        // Messages are sent on the thread of the call that caused them, before it returns, so that
        // a backtrace shows the call.
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT_SYNCHRONOUS))
        ph_glDebugMessageControl(
            UInt32(GL_DONT_CARE), UInt32(GL_DONT_CARE), UInt32(GL_DEBUG_SEVERITY_NOTIFICATION), 0)
        // The shader compiler's messages are already in the error that is thrown.
        ph_glDebugMessageControl(
            UInt32(GL_DEBUG_SOURCE_SHADER_COMPILER), UInt32(GL_DONT_CARE), UInt32(GL_DONT_CARE), 0)
        ph_glDebugMessageCallback(
            { _, type, identifier, severity, length, text, log in
                guard let text, let log else { return }
                let bytes = UnsafeRawBufferPointer(start: text, count: max(0, Int(length)))
                Unmanaged<GLMessageLog>.fromOpaque(log).takeUnretainedValue().add(
                    GLMessage(
                        kind: GLMessage.Kind(type: type),
                        severity: GLMessage.Severity(code: severity), identifier: identifier,
                        text: String(decoding: bytes, as: UTF8.self)))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Stops the driver's messages about the current context.
    package static func detach(_ capabilities: GLCapabilities) {
        guard capabilities.isDebug else { return }
        ph_glDebugMessageCallback(nil, nil)
        ph_glDisable(UInt32(GL_DEBUG_OUTPUT))
    }
}
