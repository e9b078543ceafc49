// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video at a rate of its own.
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

    /// The start of the video in its direction.
    private var beginning: MediaTime {
        let end = item.duration.isNumeric ? item.duration : .zero
        return rate == 0 ? end * 0.5 : rate < 0 ? end : .zero
    }

    /// Plays from the start when the host clock reads a time.
    func start(at hostTime: MediaTime) {
        player.setRate(rate, time: beginning, atHostTime: hostTime)
    }

    /// Plays from the present time.
    func goOn(at hostTime: MediaTime) {
        player.setRate(rate, time: item.currentTime, atHostTime: hostTime)
    }

    /// Pauses at the start.
    func rewind() { player.setRate(0, time: beginning) }

    /// Steps as far as it would play in a duration of the clock.
    func step(by time: MediaTime) {
        guard item.duration.isNumeric else { return }
        player.setRate(
            0, time: min(max(item.currentTime + time * rate, .zero), item.duration))
    }

    static func describe(_ rate: Double) -> String {
        "\(rate < 0 ? "−" : "")\(abs(rate).brief)"
    }
}
