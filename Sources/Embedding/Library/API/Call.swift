// SPDX-License-Identifier: Apache-2.0

import CPlayhead

/// The entry point of every function in `playhead.h`. It converts handles to objects, and errors to
/// a status and a message.
enum Call {
    /// Runs the body of a function and returns its status.
    static func run(_ body: () throws -> Int) -> playhead_status {
        do {
            guard !Callback.isRunning else {
                throw CallFailure(
                    PLAYHEAD_WRONG_THREAD,
                    "called from a callback of the library; set a flag in the callback, and call "
                        + "from a thread of the host")
            }
            return playhead_status(try body())
        } catch {
            let failure = CallFailure(error)
            LastError.set(failure.text)
            return failure.status
        }
    }

    static func player(
        _ handle: OpaquePointer?, _ body: (HostedPlayer) throws -> Int
    ) -> playhead_status { with(handle, .player, body) }

    static func effect(
        _ handle: OpaquePointer?, _ body: (HostedEffect) throws -> Int
    ) -> playhead_status { with(handle, .effect, body) }

    static func writer(
        _ handle: OpaquePointer?, _ body: (HostedWriter) throws -> Int
    ) -> playhead_status { with(handle, .writer, body) }

    private static func with<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ kind: HandleTable.Kind, _ body: (Object) throws -> Int
    ) -> playhead_status {
        run {
            let object = HandleTable.shared.object(handle, kind, as: Object.self)
            guard let object else { throw stale(handle, kind) }
            return try withExtendedLifetime(object) { try body(object) }
        }
    }

    /// Invalidates a handle and ends its object.
    static func destroy<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ kind: HandleTable.Kind, _ end: (Object) -> Void
    ) -> playhead_status {
        run {
            let object = HandleTable.shared.remove(handle, kind, as: Object.self)
            guard let object else { throw stale(handle, kind) }
            end(object)
            return PLAYHEAD_OK
        }
    }

    static func stale(_ handle: OpaquePointer?, _ kind: HandleTable.Kind) -> CallFailure {
        CallFailure(
            PLAYHEAD_INVALID_HANDLE,
            handle == nil
                ? "the \(kind) handle must not be NULL"
                : "not a valid \(kind) handle, or the \(kind) was destroyed")
    }
}
