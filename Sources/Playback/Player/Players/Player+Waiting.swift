// SPDX-License-Identifier: Apache-2.0

extension Player.Shared {
    /// A Boolean value that indicates whether the current item has ended and the next one has begun
    /// without a gap, but a thread has not made the next one current yet.
    var hasPassedOn: Bool {
        guard actionAtItemEnd == .advance, let next = waiting.first,
            item?.observers.state.hasPlayedToEnd == true
        else { return false }
        return next.observers.state.isPlaying
    }
}

extension Player {
    /// A reason why a player whose rate is not 0 does not play.
    ///
    /// - Corresponds to: `AVPlayer.WaitingReason`.
    public enum WaitingReason: Sendable, Hashable {
        /// There is nothing to play: there is no item, or the item has failed. When another item is
        /// set, that item plays.
        case noItemToPlay
        /// The item is being opened, or its first frames and audio are being decoded.
        case evaluatingBufferingRate
        /// Too little media has been loaded: playback would soon stall, or has stalled.
        case toMinimizeStalls
    }

    /// The reason why the player waits; nil while it plays or is paused.
    ///
    /// - Corresponds to: `AVPlayer.reasonForWaitingToPlay`.
    public var reasonForWaitingToPlay: WaitingReason? {
        observable.access(self, \.reasonForWaitingToPlay)
        return observers.state.reasonForWaitingToPlay
    }
}
