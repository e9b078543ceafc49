// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime

/// Plays a film, or a part of it, over and over: goes back when the end has come.
///
/// A film without gaps is a `PlayerLooper`'s; this can be switched on and off at any time.
///
/// - Concurrency: the main thread.
@MainActor final class FilmRepeater {
    private let player: Player
    /// The bounds of the part to repeat, whichever comes first; nothing is repeated until both are set.
    var start: MediaTime? { didSet { watch() } }
    var end: MediaTime? { didSet { watch() } }
    /// Whether the whole film is.
    var repeatsFilm = false
    /// Of the part's bounds: of its end, and of its start for when the film goes backwards.
    private var observers: [ObservationToken] = []
    private weak var item: PlayerItem?
    /// What the player did at its end before this had a hand in it.
    private var action: Player.ActionAtItemEnd?

    init(player: Player) {
        self.player = player
        item = player.currentItem
    }

    var isRepeating: Bool { repeatsFilm || part != nil }

    /// The part to repeat. One that ends before it begins is meant the other way round.
    private var part: (start: MediaTime, end: MediaTime)? {
        guard let start, let end, start != end else { return nil }
        return (min(start, end), max(start, end))
    }

    /// Looks whether the end has come, and whether it is another film.
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
        // Its end has stopped the player, and once it has been sought it has no end any more.
        let hasEnded = item.hasPlayedToEnd
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        if hasEnded { player.play() }
    }
}
