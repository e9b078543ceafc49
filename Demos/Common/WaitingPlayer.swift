// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A player that a program with a manual clock can wait for. The clock stands still during
/// decoding.
@MainActor public final class WaitingPlayer {
    private let player: Player
    /// An output that requests frames, so that they are decoded.
    private let probe = PlayerItemVideoOutput()
    /// The duration of audio that must be buffered before the clock advances, in seconds. It is
    /// longer than what a device requests ahead.
    private static let soundAhead = 0.15
    /// The time limit for a wait. A machine may be busy, but a test must end.
    private static let timeLimit = MediaTime(value: 600, timescale: 1)

    public init(_ player: Player) {
        self.player = player
    }

    /// Waits until everything that is displayed and heard at the current time has been decoded.
    ///
    /// - Throws: the error of a video that cannot be played.
    public func wait() throws {
        try Self.wait(for: "a video to be decoded") {
            if let error = failure { throw error }
            return isSettled
        }
        guard let item = player.currentItem, item.playingTracks.video != nil else { return }
        _ = probe.waitForPixelBuffer(after: item.currentTime, seconds: Self.timeLimit.seconds)
    }

    /// The error that prevents playback. Queues skip items that they cannot play.
    public var failure: MediaError? {
        player.currentItem?.error ?? (player as? QueuePlayer)?.skippedItems.last?.error
    }

    /// A Boolean value that indicates whether the video has finished its seek and has buffered
    /// audio.
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

    /// Runs the main actor until a condition holds.
    static func wait(for what: String, _ condition: () throws -> Bool) throws {
        let deadline = HostClock.shared.time + timeLimit
        while try !condition() {
            guard HostClock.shared.time < deadline else { throw TimeOut(what: what) }
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    struct TimeOut: Error, CustomStringConvertible {
        var what: String
        var description: String { "waited ten minutes for \(what)" }
    }
}
