// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

extension Player {
    /// The state of an interruption by the system.
    struct Interruption {
        var isUnderWay = false
        /// The rate before the pause; 0 once the client has set another rate, which takes
        /// precedence.
        var formerRate = 0.0
    }

    /// A Boolean value that indicates whether the system has requested silence, as during a call.
    /// If so, the player pauses. Afterwards it continues at its previous rate, unless the rate has
    /// been set in the meantime.
    ///
    /// - Corresponds to: `AVAudioSession.interruptionNotification`.
    public var isInterrupted: Bool {
        observable.access(self, \.isInterrupted)
        return interruption.withLock { $0.isUnderWay }
    }

    /// Handles a request of the sink. It is called on a thread of the sink.
    func interrupt(_ request: AudioInterruption) {
        switch request {
        case .began:
            let isNew = interruption.withLock { interruption -> Bool in
                defer { interruption.isUnderWay = true }
                return !interruption.isUnderWay
            }
            guard isNew else { return }
            arranging { arrangement in
                let former = currentRate.value
                interruption.withLock { $0.formerRate = former }
                set(rate: 0, isImmediate: false, &arrangement)
            }
        case .ended:
            arranging { arrangement in
                let former = interruption.withLock { interruption in
                    defer { interruption = Interruption() }
                    return interruption.formerRate
                }
                if former != 0 { set(rate: former, isImmediate: false, &arrangement) }
            }
        }
        publish()
    }
}
