// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A record of the mixer that plays into each sink. It is the mixer that started last. If another
/// player takes over a sink, the former mixer may be released late, and it must not stop the new
/// mixer.
///
/// - Concurrency: any thread.
enum SinkClaims {
    /// The claims. A key identifies a sink, and its value the mixer. The sink and the mixer stay
    /// alive until the claim is given back.
    private static let claims = Mutex<[ObjectIdentifier: ObjectIdentifier]>([:])

    static func claim(_ sink: any AudioSink, for mixer: any AudioSource) {
        claims.withLock { $0[ObjectIdentifier(sink)] = ObjectIdentifier(mixer) }
    }

    static func holds(_ sink: any AudioSink, _ mixer: any AudioSource) -> Bool {
        claims.withLock { $0[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) }
    }

    /// Gives a claim back. Returns whether the claim existed.
    static func give(back sink: any AudioSink, by mixer: any AudioSource) -> Bool {
        claims.withLock { claims in
            guard claims[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) else { return false }
            claims[ObjectIdentifier(sink)] = nil
            return true
        }
    }
}
