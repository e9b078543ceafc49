// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization

/// Playing what comes in more slowly than it plays.
extension Player {
    /// Whether the player waits, before it starts and after it has stalled, until enough is loaded for
    /// playback to keep up.
    ///
    /// It does only for what is slow: over a network, or where reading hangs. Where this is false, it
    /// starts and goes on as soon as there is anything to play, and may stop again soon. A timeline that
    /// was declared (`setRate(_:time:atHostTime:)`) never waits. In every case the timeline stands where
    /// there is nothing to play, pictures and sound together, and nothing is left out.
    ///
    /// - Corresponds to: `AVPlayer.automaticallyWaitsToMinimizeStalling`, which pauses where this is
    ///   false and playback stalls.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get {
            observable.access(self, \.automaticallyWaitsToMinimizeStalling)
            return shared.withLock { $0.waitsToMinimizeStalling }
        }
        set {
            let items = shared.withLock { state in
                state.waitsToMinimizeStalling = newValue
                return [state.item].compactMap { $0 } + state.waiting
            }
            for item in items { item.pipeline.setWaitsToMinimizeStalling(newValue) }
            publish()
        }
    }

    /// Plays with what has been loaded, without waiting until it is enough; after a stall the player
    /// waits as ever.
    ///
    /// - Parameter rate: as in `rate`.
    /// - Corresponds to: `AVPlayer.playImmediately(atRate:)`.
    public func playImmediately(atRate rate: Double) {
        play(atRate: rate, isImmediate: true)
    }

    /// Why a player waits, which was told to play and does not.
    static func reason(_ item: PlayerItemState?) -> WaitingReason {
        guard let item else { return .noItemToPlay }
        if case .failed = item.status { return .noItemToPlay }
        return item.waitsForLevel ? .toMinimizeStalls : .evaluatingBufferingRate
    }
}

extension ItemPipeline {
    func setWaitsToMinimizeStalling(_ waits: Bool) {
        control.change { $0.buffering.waitsToMinimizeStalling = waits }
        evaluate()
    }

    /// Sets how far packets are read ahead.
    func setPreferredDuration(_ duration: MediaTime) {
        control.change { control in
            control.buffering.preferredDuration = duration
            packets.bounds = control.buffering.bounds
        }
    }
}
