// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime

/// Loops an item, or the range between A and B, by seeking back at the end.
///
/// It can be turned on and off at any time. `PlayerLooper` loops without gaps.
///
/// - Concurrency: the main thread.
@MainActor final class ABLoop {
    private let player: Player
    /// The bounds of the loop, in either order; there is no loop until both are set.
    var start: MediaTime? { didSet { watch() } }
    var end: MediaTime? { didSet { watch() } }
    /// A Boolean value that indicates whether the whole item loops.
    var repeatsFilm = false
    /// The observers of the end of the range and, for reverse playback, of its start.
    private var observers: [ObservationToken] = []
    private weak var item: PlayerItem?
    /// The player's action at the end of an item before a loop changed it; nil if no loop changed
    /// it.
    private var action: Player.ActionAtItemEnd?

    init(player: Player) {
        self.player = player
        item = player.currentItem
    }

    var isRepeating: Bool { repeatsFilm || part != nil }

    /// The range to loop, with its bounds in order.
    private var part: (start: MediaTime, end: MediaTime)? {
        guard let start, let end, start != end else { return nil }
        return (min(start, end), max(start, end))
    }

    /// Seeks back if the end has been reached, and clears the range if the item has changed.
    func update() {
        if player.currentItem !== item {
            item = player.currentItem
            if start != nil || end != nil { (start, end) = (nil, nil) }
        }
        if isRepeating, player.actionAtItemEnd == .advance {
            action = .advance
            player.actionAtItemEnd = .pause
        } else if !isRepeating, let action {
            self.action = nil
            player.actionAtItemEnd = action
        }
        if isRepeating, item?.hasPlayedToEnd == true { goBack() }
    }

    private func watch() {
        guard let part else {
            observers = []
            return
        }
        observers = [(part.end, false), (part.start, true)].map { time, backwards in
            player.addBoundaryTimeObserver(forTimes: [time], on: .main) { [weak self] in
                MainActor.assumeIsolated {
                    guard let self, self.isBackwards == backwards else { return }
                    self.goBack()
                }
            }
        }
        if let item, isBackwards ? item.currentTime < part.start : item.currentTime > part.end {
            goBack()
        }
    }

    private var isBackwards: Bool { player.defaultRate < 0 }

    private func goBack() {
        guard isRepeating, let item = player.currentItem else { return }
        let time = isBackwards ? (part?.end ?? item.end) : (part?.start ?? .zero)
        // Reaching the end stopped the player. The seek clears this flag.
        let hasEnded = item.hasPlayedToEnd
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        if hasEnded { player.play() }
    }
}
