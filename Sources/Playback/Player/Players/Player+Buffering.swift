// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization

/// Playback of media that loads more slowly than it plays.
extension Player {
    /// A Boolean value that indicates whether the player waits until enough is loaded for playback
    /// to keep up. It waits before it starts and after it has stalled.
    ///
    /// The player waits only for slow sources: over a network, or if reading hangs. If the value is
    /// false, the player starts and continues as soon as there is anything to play, and may soon
    /// stall again. A declared timeline (`setRate(_:time:atHostTime:)`) never waits. In all cases,
    /// the timeline stops for video and audio together if there is nothing to play, and nothing is
    /// skipped.
    ///
    /// - Corresponds to: `AVPlayer.automaticallyWaitsToMinimizeStalling`. If it is false there and
    ///   playback stalls, the player pauses.
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
            for item in items { item.pipeline.post(.setWaitsToMinimizeStalling(newValue)) }
            publish()
        }
    }

    /// Plays what has been loaded, without waiting until it is enough. After a stall, the player
    /// waits as usual.
    ///
    /// - Parameter rate: The rate, as for the property `rate`.
    /// - Corresponds to: `AVPlayer.playImmediately(atRate:)`.
    public func playImmediately(atRate rate: Double) {
        play(atRate: rate, isImmediate: true)
    }

    /// Returns the reason why a player whose rate is not 0 does not play.
    static func reason(_ item: PlayerItemState?) -> WaitingReason {
        guard let item else { return .noItemToPlay }
        if case .failed = item.status { return .noItemToPlay }
        return item.waitsForLevel ? .toMinimizeStalls : .evaluatingBufferingRate
    }
}
