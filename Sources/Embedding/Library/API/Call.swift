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
                    "called from a callback of the library; set a flag there, and call from a "
                        + "thread of the host")
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
    ) -> playhead_status {
        run {
            let player = HandleTable.shared.object(handle, .player, as: HostedPlayer.self)
            guard let player else { throw stale(handle, "player") }
            return try withExtendedLifetime(player) { try body(player) }
        }
    }

    static func effect(
        _ handle: OpaquePointer?, _ body: (HostedEffect) throws -> Int
    ) -> playhead_status {
        run {
            let effect = HandleTable.shared.object(handle, .effect, as: HostedEffect.self)
            guard let effect else { throw stale(handle, "effect") }
            return try withExtendedLifetime(effect) { try body(effect) }
        }
    }

    static func writer(
        _ handle: OpaquePointer?, _ body: (HostedWriter) throws -> Int
    ) -> playhead_status {
        run {
            let writer = HandleTable.shared.object(handle, .writer, as: HostedWriter.self)
            guard let writer else { throw stale(handle, "writer") }
            return try withExtendedLifetime(writer) { try body(writer) }
        }
    }

    static func stale(_ handle: OpaquePointer?, _ noun: String) -> CallFailure {
        CallFailure(
            PLAYHEAD_INVALID_HANDLE,
            handle == nil
                ? "the \(noun) handle must not be NULL"
                : "not a valid \(noun) handle, or the \(noun) was destroyed")
    }
}
