// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A player that is waited for: on a clock that is moved by hand, decoding takes no time.
@MainActor public final class WaitingPlayer {
    private let player: Player
    /// Asks for pictures on nobody's behalf.
    private let probe = PlayerItemVideoOutput()
    /// Sound that has to be there before the clock moves on, in seconds: more than a device takes
    /// ahead.
    private static let soundAhead = 0.15
    /// Machines may be busy, but a test has to end.
    private static let patience = MediaTime(value: 60, timescale: 1)

    public init(_ player: Player) {
        self.player = player
    }

    /// Waits until there is all that is to be seen and heard now.
    ///
    /// - Throws: why the film cannot be played.
    public func wait() throws {
        try Self.wait(for: "a film to be decoded") {
            if let error = failure { throw error }
            return isSettled
        }
        guard let item = player.currentItem, item.playingTracks.video != nil else { return }
        _ = probe.waitForPixelBuffer(after: item.currentTime, seconds: Self.patience.seconds)
    }

    /// Why there is nothing to play. Queues let go of what they cannot.
    public var failure: MediaError? {
        player.currentItem?.error ?? (player as? QueuePlayer)?.skippedItems.last?.error
    }

    /// Whether the film does what it was told to, and has sound in store.
    private var isSettled: Bool {
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

    /// Serves the main actor until something is so.
    static func wait(for what: String, _ condition: () throws -> Bool) throws {
        let deadline = HostClock.shared.time + patience
        while try !condition() {
            guard HostClock.shared.time < deadline else { throw TimeOut(what: what) }
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    struct TimeOut: Error, CustomStringConvertible {
        var what: String
        var description: String { "waited a minute for \(what)" }
    }
}
