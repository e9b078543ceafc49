// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video that plays at its own rate.
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

    /// The time at which the video begins to play: its start, in reverse its end, and at rate 0 its
    /// middle.
    private var beginning: MediaTime {
        let end = item.duration.isNumeric ? item.duration : .zero
        return rate == 0 ? end * 0.5 : rate < 0 ? end : .zero
    }

    /// Plays from the beginning when the host clock reads the given time.
    func start(at hostTime: MediaTime) {
        player.setRate(rate, time: beginning, atHostTime: hostTime)
    }

    /// Plays from the current time.
    func goOn(at hostTime: MediaTime) {
        player.setRate(rate, time: item.currentTime, atHostTime: hostTime)
    }

    /// Pauses at the beginning.
    func rewind() { player.setRate(0, time: beginning) }

    /// Steps by the distance that the video would play in the given time of the clock.
    func step(by time: MediaTime) {
        guard item.duration.isNumeric else { return }
        player.setRate(
            0, time: min(max(item.currentTime + time * rate, .zero), item.duration))
    }

    static func describe(_ rate: Double) -> String {
        "\(rate < 0 ? "−" : "")\(abs(rate).brief)"
    }
}
