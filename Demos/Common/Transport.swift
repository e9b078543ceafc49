// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// What keys do to the films of a demo: space pauses them and lets them go on, Home takes them to
/// their beginning, left and right by a step, exactly to the frame.
///
///     stage.transport = Transport([player])
///
/// What it says about films that stand is part of the window's title.
@MainActor public final class Transport {
    private let players: [Player]
    private let step: MediaTime
    private let pauseKey: Key
    private let hasArrows: Bool
    private let start: (@MainActor (MediaTime) -> Void)?
    /// Called when films that were sent somewhere have arrived.
    public var arrivalHandler: @MainActor () -> Void = {}
    /// Where films stand that were sent there, once all of them are; nil elsewhere.
    private var landing: MediaTime?
    /// How often they were sent somewhere, and how many have not arrived.
    private var moves = 0
    private var onTheWay = 0

    /// - Parameters:
    ///   - players: which do the same, all of them.
    ///   - step: how far the arrow keys go.
    ///   - pauseKey: pauses and plays.
    ///   - hasArrows: whether arrow keys are the films' at all.
    ///   - start: how films that belong together begin to play at a time of theirs; nil for those
    ///     that may begin one by one.
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

    /// For the title: nothing while films play.
    public var words: String {
        if isPlaying { return "" }
        return landing.map { " (paused at \($0.clockDescription))" } ?? " (paused)"
    }

    /// - Returns: whether the event was a key of its own.
    public func handle(_ event: WindowEvent) -> Bool {
        guard case .key(let key) = event, key.action != .release else { return false }
        switch key.key {
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
