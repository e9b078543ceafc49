// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

extension Player {
    /// What the system has asked for, and what is to become of the rate afterwards.
    struct Interruption {
        var isUnderWay = false
        /// The setting of the rate by which it paused, and the rate before. Where there is a later one,
        /// somebody knows better.
        var pause: (setting: Int, formerRate: Double)?
    }

    /// Whether the system has asked for silence, as while a call lasts. The player then pauses, and
    /// goes on afterwards at the rate that it had, unless its rate has been set in the meantime.
    ///
    /// - Corresponds to: `AVAudioSession.interruptionNotification`.
    public var isInterrupted: Bool {
        observable.access(self, \.isInterrupted)
        return interruption.withLock { $0.isUnderWay }
    }

    /// On a thread of the sink's.
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
