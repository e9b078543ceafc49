// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

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

    /// Where the film begins in its direction.
    private var beginning: MediaTime {
        let end = item.duration.isNumeric ? item.duration : .zero
        return rate == 0 ? end * 0.5 : rate < 0 ? end : .zero
    }

    /// Plays from where the film begins when the host clock reads a time.
    func start(at hostTime: MediaTime) {
        player.setRate(rate, time: beginning, atHostTime: hostTime)
    }

    /// Plays from where the film stands.
    func goOn(at hostTime: MediaTime) {
        player.setRate(rate, time: item.currentTime, atHostTime: hostTime)
    }

    /// Stands where the film begins.
    func rewind() { player.setRate(0, time: beginning) }

    /// Goes as far as it would in some time of the clock's.
    func step(by time: MediaTime) {
        guard item.duration.isNumeric else { return }
        player.setRate(
            0, time: min(max(item.currentTime + time * rate, .zero), item.duration))
    }

    static func describe(_ rate: Double) -> String {
        "\(rate < 0 ? "−" : "")\(abs(rate).brief)"
    }
}
