// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video on the wall, and its measurements.
@MainActor struct WallFilm {
    let player: Player
    let item: PlayerItem
    /// The number of vsyncs at which the timeline was read, and the number of those at which a
    /// frame was shown that was no longer due.
    private(set) var shown = 0
    private(set) var late = 0
    /// The deviation of the video's timeline from that of the wall, in nanoseconds.
    private(set) var error: Int64 = 0
    private(set) var largestError: Int64 = 0
    /// The number of vsyncs since the last late frame.
    private var sinceLate = 1000
    private let output: WatchedOutput
    private let effects: [EffectInstance]

    /// Creates a video.
    ///
    /// - Parameter effects: the effects on its frames.
    init(_ asset: Asset, effects: [EffectInstance], on stage: Stage) {
        self.effects = effects
        item = PlayerItem(asset: asset)
        let output = PlayerItemVideoOutput()
        item.add(output)
        self.output = WatchedOutput(output)
        player = stage.makePlayer(item)
    }

    /// Reads the records since the previous call.
    ///
    /// - Parameter start: the host time at which the wall's timeline reads zero; invalid while the
    ///   wall is paused.
    mutating func read(start: MediaTime) {
        for showing in output.takeShowings() {
            guard start.isNumeric, showing.hostTime > start, showing.displayTime.isNumeric else {
                continue
            }
            shown += 1
            error = (showing.itemTime - (showing.hostTime - start)).nanoseconds ?? 0
            largestError = max(largestError, abs(error))
            let isLate =
                frameDuration.isNumeric
                && showing.itemTime - showing.displayTime > frameDuration + VideoFrame.timeTolerance
            late += isLate ? 1 : 0
            sinceLate = isLate ? 0 : sinceLate + 1
        }
    }

    /// Restarts the measurements.
    mutating func forget() {
        _ = output.takeShowings()
        (shown, late, error, largestError, sinceLate) = (0, 0, 0, 0, 1000)
    }

    private var frameDuration: MediaTime {
        item.playingTracks.video?.frameDuration ?? .invalid
    }

    func layers(in rect: LayerRect, number: Int, on stage: Stage) -> [Layer] {
        let rate = item.playingTracks.video?.nominalFrameRate ?? 0
        let bottom = rect.y + rect.height
        let strip = LayerRect(x: rect.x, y: bottom - 24, width: rect.width, height: 24)
        let light = sinceLate < 60 ? Palette.bad : Palette.good
        return [
            stage.film(
                output, in: rect, gravity: .resizeAspectFill, effects: effects, cornerRadius: 6),
            stage.box(strip, color: Palette.glass, cornerRadius: 6),
            stage.box(
                LayerRect(x: rect.x + 9, y: bottom - 16, width: 8, height: 8), color: light,
                cornerRadius: 4),
            stage.text(
                "\(number)   \(rate.brief) fps", size: 12,
                at: [rect.x + 24, bottom - 20]),
            stage.text(
                "\(error) ns   \(late) late", size: 12, at: [rect.x + rect.width - 9, bottom - 20],
                align: .right),
        ]
    }
}
