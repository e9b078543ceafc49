// SPDX-License-Identifier: Apache-2.0

import Playhead

/// A player that is waited for: on a clock that is moved by hand, decoding takes no time.
@MainActor final class WaitingPlayer {
    private let player: Player
    /// Asks for pictures on nobody's behalf.
    private let probe = PlayerItemVideoOutput()
    /// Sound that has to be there before the clock moves on, in seconds: more than a device takes ahead.
    private static let soundAhead = 0.15

    init(_ player: Player) {
        self.player = player
    }

    var error: MediaError? { player.currentItem?.error }

    /// Whether the film does what it was told to, and has sound in store.
    var isSettled: Bool {
        guard let item = player.currentItem else { return true }
        if !item.outputs.contains(where: { $0 === probe }) { item.add(probe) }
        guard item.status == .readyToPlay else { return false }
        if player.timeControlStatus == .waitingToPlayAtSpecifiedRate, !item.hasPlayedToEnd {
            return false
        }
        guard player.timeControlStatus == .playing, player.rate > 0,
            item.playingTracks.audio != nil, player.audioSinkStatus != nil
        else { return true }
        let depth = item.queueDepths.sound.seconds
        return depth > Self.soundAhead
            || (item.duration - item.currentTime).seconds <= depth + Self.soundAhead
    }

    func waitForPicture(at hostTime: MediaTime) {
        guard player.currentItem?.playingTracks.video != nil else { return }
        _ = probe.waitForPixelBuffer(after: probe.itemTime(forHostTime: hostTime), seconds: 30)
    }
}
