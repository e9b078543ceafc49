// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The mixer that plays into each sink: the last one that started. A mixer that is released late,
/// as when another player takes over the same sink, must not stop its successor.
///
/// - Concurrency: any thread.
enum SinkClaims {
    /// The mixers by sink. Both stay alive until their claim is given back.
    private static let claims = Mutex<[ObjectIdentifier: ObjectIdentifier]>([:])

    static func claim(_ sink: any AudioSink, for mixer: any AudioSource) {
        claims.withLock { $0[ObjectIdentifier(sink)] = ObjectIdentifier(mixer) }
    }

    static func holds(_ sink: any AudioSink, _ mixer: any AudioSource) -> Bool {
        claims.withLock { $0[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) }
    }

    /// Gives a claim back; returns whether it existed.
    static func give(back sink: any AudioSink, by mixer: any AudioSource) -> Bool {
        claims.withLock { claims in
            guard claims[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) else { return false }
            claims[ObjectIdentifier(sink)] = nil
            return true
        }
    }
}
