// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc
import Synchronization

/// What the driver has said in one context, until somebody takes it.
///
/// Drivers speak in debug contexts only: `PLAYHEAD_GL_DEBUG=1` makes all contexts of ours such, and
/// so do `WindowConfiguration.isDebugContext` and `HeadlessContext(isDebug: true)`. Then a message
/// comes during the call that it is about, on the render thread, and a renderer reports it as a
/// problem of the frame.
///
/// - Concurrency: any thread, under a short lock.
/// - Ownership: kept by its context, which the driver must not outlive it with: see `attach`.
/// - Corresponds to: `glDebugMessageCallback`.
public final class GLMessageLog: Sendable {
    /// Messages that wait at most; more are counted, and forgotten.
    package static let capacity = 64
    /// Name of the environment variable that makes contexts debug contexts, if it is `1`.
    package static let variable = "PLAYHEAD_GL_DEBUG"

    private struct State {
        var waiting: [GLMessage] = []
        var count = 0
        var errorCount = 0
    }

    private let state = Mutex(State())
    /// Whether any wait: read without the lock, in every frame.
    private let hasWaiting = Atomic(false)

    package init() {}

    /// How many messages have come since the log was made.
    package var count: Int { state.withLock { $0.count } }

    /// How many of them told of wrong use of OpenGL.
    package var errorCount: Int { state.withLock { $0.errorCount } }

    /// The messages since the last call, the first ones if there were too many.
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

    /// Whether the environment asks for debug contexts.
    package static var isWanted: Bool {
        getenv(variable).map { String(cString: $0) == "1" } ?? false
    }

    /// Has the driver write into this log whatever it has to say of the context that is current; does
    /// nothing where it says nothing.
    ///
    /// - Precondition: the log stays until the context is gone, or `detach` has been called.
    package func attach(_ capabilities: GLCapabilities) {
        guard capabilities.isDebug else { return }
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT))
        // On the thread and within the call that it is about: a backtrace then shows the culprit.
        ph_glEnable(UInt32(GL_DEBUG_OUTPUT_SYNCHRONOUS))
        ph_glDebugMessageControl(
            UInt32(GL_DONT_CARE), UInt32(GL_DONT_CARE), UInt32(GL_DEBUG_SEVERITY_NOTIFICATION), 0)
        // What a compiler says is in the error that is thrown.
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

    /// The driver writes into no log any more of what it has to say of the context that is current.
    package static func detach(_ capabilities: GLCapabilities) {
        guard capabilities.isDebug else { return }
        ph_glDebugMessageCallback(nil, nil)
        ph_glDisable(UInt32(GL_DEBUG_OUTPUT))
    }
}
