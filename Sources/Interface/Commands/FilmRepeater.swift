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
    /// The part to repeat; without an end, up to the film's.
    var start: MediaTime? { didSet { watch() } }
    var end: MediaTime? { didSet { watch() } }
    /// Whether the whole film is.
    var repeatsFilm = false
    /// Of the part's bounds: of its end, and of its start for when the film goes backwards.
    private var observers: [ObservationToken] = []
    private weak var item: PlayerItem?
    /// What the player did at its end before this had a hand in it.
    private var action: Player.ActionAtItemEnd?

    init(player: Player) { self.player = player }

    var isRepeating: Bool { repeatsFilm || (start != nil && end != nil) }

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
        guard let start, let end, start < end else {
            observers = []
            return
        }
        observers = [(end, false), (start, true)].map { time, backwards in
            player.addBoundaryTimeObserver(forTimes: [time], on: .main) { [weak self] in
                MainActor.assumeIsolated {
                    guard let self, self.isBackwards == backwards else { return }
                    self.goBack()
                }
            }
        }
        if let item, isBackwards ? item.currentTime < start : item.currentTime > end { goBack() }
    }

    private var isBackwards: Bool { player.defaultRate < 0 }

    private func goBack() {
        guard isRepeating, let item = player.currentItem else { return }
        let time = isBackwards ? (end ?? item.end) : (start ?? .zero)
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        if item.hasPlayedToEnd { player.play() }
    }
}
