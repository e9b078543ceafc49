// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import Synchronization

extension Player {
    /// What the system has asked for, and what is to become of the rate afterwards.
    struct Interruption {
        var isUnderWay = false
        /// The rate to go on at; nil where nothing played, or the rate has been set since.
        var rate: Double?
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
        let present = rate
        switch request {
        case .began:
            let isNew = interruption.withLock { interruption -> Bool in
                defer { interruption.isUnderWay = true }
                return !interruption.isUnderWay
            }
            guard isNew else { return }
            rate = 0
            interruption.withLock { $0.rate = present == 0 ? nil : present }
        case .ended:
            let former = interruption.withLock { interruption -> Double? in
                defer { interruption = Interruption() }
                return interruption.rate
            }
            if let former { rate = former }
        }
        publish()
    }

    /// The rate is set by somebody: that is the rate to go on at.
    func forgetInterruptedRate() { interruption.withLock { $0.rate = nil } }
}
