// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which mixer plays into a sink: the last that began to. One that is let go of late, as where a player takes
/// another's place on the same sink, must not halt what plays by then.
///
/// - Concurrency: any thread.
enum SinkClaims {
    /// Mixers by sinks. Either stays until its claim is given back.
    private static let claims = Mutex<[ObjectIdentifier: ObjectIdentifier]>([:])

    static func claim(_ sink: any AudioSink, for mixer: AudioMixer) {
        claims.withLock { $0[ObjectIdentifier(sink)] = ObjectIdentifier(mixer) }
    }

    static func holds(_ sink: any AudioSink, _ mixer: AudioMixer) -> Bool {
        claims.withLock { $0[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) }
    }

    /// Gives a claim back; says whether it was one.
    static func give(back sink: any AudioSink, by mixer: AudioMixer) -> Bool {
        claims.withLock { claims in
            guard claims[ObjectIdentifier(sink)] == ObjectIdentifier(mixer) else { return false }
            claims[ObjectIdentifier(sink)] = nil
            return true
        }
    }
}
