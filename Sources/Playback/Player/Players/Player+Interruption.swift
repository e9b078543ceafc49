// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

extension Player {
    /// The state of an interruption by the system.
    struct Interruption {
        var isUnderWay = false
        /// The number of the rate setting that paused, and the rate before. A later setting takes
        /// precedence.
        var pause: (setting: Int, formerRate: Double)?
    }

    /// A Boolean value that indicates whether the system has requested silence, as during a call.
    /// The player then pauses, and afterwards continues at its previous rate, unless its rate has
    /// been set in the meantime.
    ///
    /// - Corresponds to: `AVAudioSession.interruptionNotification`.
    public var isInterrupted: Bool {
        observable.access(self, \.isInterrupted)
        return interruption.withLock { $0.isUnderWay }
    }

    /// Called on a thread of the sink.
    func interrupt(_ request: AudioInterruption) {
        switch request {
        case .began:
            let isNew = interruption.withLock { interruption -> Bool in
                defer { interruption.isUnderWay = true }
                return !interruption.isUnderWay
            }
            guard isNew else { return }
            let pause = play(atRate: 0, isImmediate: false)
            interruption.withLock { $0.pause = pause }
        case .ended:
            let pause = interruption.withLock { interruption in
                defer { interruption = Interruption() }
                return interruption.pause
            }
            if let (setting, rate) = pause, rate != 0 {
                play(atRate: rate, isImmediate: false, ifLatestIs: setting)
            }
        }
        publish()
    }
}
