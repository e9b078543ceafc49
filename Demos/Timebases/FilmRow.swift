// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Playhead

/// A film at a rate of its own.
@MainActor struct FilmRow {
    let player: Player
    let item: PlayerItem
    let output = PlayerItemVideoOutput()
    var rate: Double

    init(_ asset: Asset, rate: Double, on stage: Stage) {
        item = PlayerItem(asset: asset)
        item.add(output)
        player = stage.makePlayer(item)
        self.rate = rate
    }

    /// Plays from where a film begins in that direction, when the host clock reads a time.
    func start(at hostTime: MediaTime) {
        let middle = item.duration.isNumeric ? item.duration * 0.5 : .zero
        player.setRate(
            rate, time: rate == 0 ? middle : rate < 0 ? item.duration : .zero, atHostTime: hostTime)
    }

    static func describe(_ rate: Double) -> String {
        let hundredths = Int((abs(rate) * 100).rounded())
        let fraction = hundredths % 100
        let digits = fraction == 0 ? "" : fraction % 10 == 0 ? ".\(fraction / 10)" : ".\(fraction)"
        return "\(rate < 0 ? "−" : "")\(hundredths / 100)\(digits)"
    }
}
