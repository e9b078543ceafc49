// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime

/// Loops an item, or the range between A and B.
///
/// It can be turned on and off at any time. `PlayerLooper` loops without gaps.
///
/// - Concurrency: the main thread.
@MainActor final class ABLoop {
    private let player: Player
    /// The bounds of the loop, in either order; there is no loop until both are set.
    var start: MediaTime? { didSet { apply() } }
    var end: MediaTime? { didSet { apply() } }
    /// A Boolean value that indicates whether the whole item loops.
    var repeatsFilm = false { didSet { apply() } }
    private weak var item: PlayerItem?
    /// A Boolean value that indicates whether the item loops.
    private var isApplied = false

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

    /// Clears the range if the item has changed. If the item has played to its end, restarts the
    /// loop.
    func update() {
        if player.currentItem !== item {
            item = player.currentItem
            isApplied = false
            if start != nil || end != nil { (start, end) = (nil, nil) }
            apply()
        }
        if isRepeating, item?.hasPlayedToEnd == true { goBack() }
    }

    private func apply() {
        guard let item = item ?? player.currentItem, isRepeating || isApplied else { return }
        isApplied = isRepeating
        item.setLoop(
            from: part?.start ?? .zero, to: part?.end ?? .invalid, count: isRepeating ? -1 : 0)
        if let part, isBackwards ? item.currentTime < part.start : item.currentTime > part.end {
            goBack()
        }
    }

    private var isBackwards: Bool { player.defaultRate < 0 }

    private func goBack() {
        guard isRepeating, let item = player.currentItem else { return }
        // At the end, the player has stopped. The flag is read before the seek, which clears it.
        let hasEnded = item.hasPlayedToEnd
        item.seek(
            to: item.firstTime(inReverse: isBackwards), toleranceBefore: .zero,
            toleranceAfter: .zero)
        if hasEnded { player.play() }
    }
}
