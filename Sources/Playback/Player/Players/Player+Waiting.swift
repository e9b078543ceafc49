// SPDX-License-Identifier: Apache-2.0

extension Player.Shared {
    /// Whether the current item has ended and the one after it has begun, without a gap, so that it plays on
    /// though nobody has come yet to call that the current one.
    var hasPassedOn: Bool {
        guard actionAtItemEnd == .advance, let next = waiting.first,
            item?.pipeline.observers.state.hasPlayedToEnd == true
        else { return false }
        return next.pipeline.observers.state.isPlaying
    }
}

extension Player {
    /// Why a player that was told to play does not.
    ///
    /// - Corresponds to: `AVPlayer.WaitingReason`.
    public enum WaitingReason: Sendable, Hashable {
        /// There is nothing to play: no item, or one that has failed. Another that takes its place
        /// plays.
        case noItemToPlay
        /// The item is being opened, or the first pictures and sound are being decoded.
        case evaluatingBufferingRate
        /// What has been loaded would not last: playback would stop soon, or has.
        case toMinimizeStalls
    }

    /// Why the player waits; nil while it plays or is paused.
    ///
    /// - Corresponds to: `AVPlayer.reasonForWaitingToPlay`.
    public var reasonForWaitingToPlay: WaitingReason? {
        observable.access(self, \.reasonForWaitingToPlay)
        return observers.state.reasonForWaitingToPlay
    }
}
