// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// The keys that control the videos of a demo. Space pauses and resumes them, Home seeks to the
/// start, and the left and right arrows step to an exact frame.
///
///     stage.transport = Transport([player])
///
/// While the videos are paused, the title of the window shows their state.
@MainActor public final class Transport {
    private let players: [Player]
    private let step: MediaTime
    private let pauseKey: Key
    private let hasArrows: Bool
    private let start: (@MainActor (MediaTime) -> Void)?
    /// The handler that is called when all videos have finished a seek.
    public var arrivalHandler: @MainActor () -> Void = {}
    /// The time of the videos after a seek, once all have finished it; nil otherwise.
    private var landing: MediaTime?
    /// The number of seeks so far, and the number of those that have not finished.
    private var moves = 0
    private var onTheWay = 0

    /// Creates the controls.
    ///
    /// - Parameters:
    ///   - players: the players, which are controlled together.
    ///   - step: the distance of a step with an arrow key.
    ///   - pauseKey: the key that pauses and resumes the videos.
    ///   - hasArrows: true if arrow keys control the videos.
    ///   - start: starts the videos at a time, if they must start together; nil if each may start
    ///     by itself.
    public init(
        _ players: [Player], step: MediaTime = MediaTime(value: 1, timescale: 1),
        pauseKey: Key = .space, hasArrows: Bool = true,
        start: (@MainActor (MediaTime) -> Void)? = nil
    ) {
        self.players = players
        self.step = step
        self.pauseKey = pauseKey
        self.hasArrows = hasArrows
        self.start = start
    }

    public var isPlaying: Bool { players.contains { $0.rate != 0 } }

    /// The text that is shown in the title; empty during playback.
    public var words: String {
        if isPlaying { return "" }
        return landing.map { " (paused at \($0.clockDescription))" } ?? " (paused)"
    }

    /// Handles an event.
    ///
    /// - Returns: true if the event was one of these keys.
    public func handle(_ event: WindowEvent) -> Bool {
        guard case .key(let key) = event, key.action != .release else { return false }
        switch key.shortcutKey {
        case pauseKey where key.action == .press: togglePlaying()
        case .home: move(to: .zero)
        case .left where hasArrows: move(to: time - step)
        case .right where hasArrows: move(to: time + step)
        default: return false
        }
        return true
    }

    public func togglePlaying() {
        let time = time
        landing = nil
        if isPlaying {
            for player in players { player.pause() }
        } else if let start {
            start(time)
        } else {
            for player in players { player.play() }
        }
    }

    private var time: MediaTime { players.first?.currentItem?.currentTime ?? .zero }

    private func move(to time: MediaTime) {
        let time = max(.zero, time)
        if isPlaying, let start { return start(time) }
        (landing, onTheWay) = (nil, players.count)
        moves += 1
        let move = moves
        for player in players {
            player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { isThere in
                Task { @MainActor [weak self] in
                    guard let self, isThere, move == moves else { return }
                    onTheWay -= 1
                    guard onTheWay == 0 else { return }
                    landing = time
                    arrivalHandler()
                }
            }
        }
    }
}
