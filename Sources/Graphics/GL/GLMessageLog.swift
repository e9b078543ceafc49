// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// A log of the driver's messages in one context, until they are taken.
///
/// Drivers send messages in debug contexts only: `PLAYHEAD_GL_DEBUG=1` makes all contexts of ours
/// such, and so do `WindowConfiguration.isDebugContext` and `HeadlessContext(isDebug: true)`. A
/// message is sent during the call that causes it, on the render thread, and a renderer reports it
/// as a problem of the frame.
///
/// - Concurrency: any thread, under a short lock.
/// - Ownership: held by its context. It must outlive the driver's use of it: see `attach`.
/// - Corresponds to: `glDebugMessageCallback`.
public final class GLMessageLog: Sendable {
    /// The maximum number of messages that wait; further ones are counted and discarded.
    package static let capacity = 64
    /// The name of the environment variable that makes contexts debug contexts if it is `1`.
    package static let variable = "PLAYHEAD_GL_DEBUG"

    private struct State {
        var waiting: [GLMessage] = []
        var count = 0
        var errorCount = 0
    }

    private let state = Mutex(State())
    /// A Boolean value that indicates whether any message waits, read without the lock in every
    /// frame.
    private let hasWaiting = Atomic(false)

    package init() {}

    /// The number of messages since the log was made.
    package var count: Int { state.withLock { $0.count } }

    /// The number of messages that reported wrong use of OpenGL.
    package var errorCount: Int { state.withLock { $0.errorCount } }

    /// Returns the messages since the last call; the first `capacity` if there were more.
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

    /// A Boolean value that indicates whether the environment asks for debug contexts.
    package static var isWanted: Bool {
        getenv(variable).map { String(cString: $0) == "1" } ?? false
    }

    /// Makes the driver write its messages about the current context into this log. Does nothing
    /// unless it is a debug context.
    ///
    /// - Precondition: the log lives until the context is destroyed or `detach` has been called.
    package func attach(_ capabilities: GLCapabilities) {
        guard capabilities.isDebug else { return }
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT))
        // On the thread and within the call that caused it, so that a backtrace shows the call.
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT_SYNCHRONOUS))
        ph_glDebugMessageControl(
            UInt32(GL_DONT_CARE), UInt32(GL_DONT_CARE), UInt32(GL_DEBUG_SEVERITY_NOTIFICATION), 0)
        // The compiler's messages are in the error that is thrown.
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
