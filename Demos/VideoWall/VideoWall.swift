// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// Sixteen videos on one clock, and the deviation of each.
@main final class VideoWall: Demo {
    static let title = "VideoWall"
    static let size = WindowSize(width: 1120, height: 690)
    private static let columns = 4
    private static let header = 44.0
    private static let gap = 8.0

    private let stage: Stage
    private var films: [WallFilm]
    /// The host time at which all timelines read zero.
    private var start = MediaTime.invalid
    private(set) var isReady = false
    /// The video that is enlarged to fill the wall, if any, and its progress from 0 to 1.
    private var grown: (index: Int, share: Double)?
    private var isShrinking = false

    init(stage: Stage) throws {
        self.stage = stage
        let named = stage.options.films.map { URLAsset($0) }
        films = try (0..<Self.columns * Self.columns).map { index in
            guard named.isEmpty else {
                return WallFilm(named[index % named.count], effects: [], on: stage)
            }
            let tint = Palette.hue(0.45 + 0.55 * Double(index) / 15, saturation: 0.62)
            return WallFilm(
                Self.channel(index), effects: [try DemoEffects.monochrome(tint)], on: stage)
        }
        Task {
            // All videos are prepared before any of them starts.
            for film in films { _ = await film.player.preroll(atRate: 1) }
            isReady = true
            play(from: .zero)
            takeKeys()
        }
    }

    private func takeKeys() {
        let transport = Transport(
            films.map(\.player), step: MediaTime(value: 5, timescale: 1)
        ) { [weak self] in self?.play(from: $0) }
        // After a seek, earlier measurements are not valid.
        transport.arrivalHandler = { [weak self] in
            guard let self else { return }
            for index in films.indices { films[index].forget() }
        }
        stage.transport = transport
    }

    /// Starts all videos with the same pair of item time and host time.
    private func play(from time: MediaTime) {
        let soon = MediaTime(value: stage.options.isHeadless ? 0 : 1, timescale: 5)
        let instant = stage.time + soon
        start = instant - time
        for film in films { film.player.setRate(1, time: time, atHostTime: instant) }
    }

    private var isPlaying: Bool { films[0].player.rate != 0 }

    func handle(_ event: WindowEvent) {
        switch event {
        case .button(let click) where click.button == .left && click.isPressed:
            if grown != nil {
                isShrinking = true
            } else if let index = films.indices.first(where: {
                place(of: $0).contains([click.position.x, click.position.y])
            }) {
                (grown, isShrinking) = ((index, 0), false)
            }
        default: break
        }
        stage.title =
            "VideoWall"
            + (grown.map { " – \(films[$0.index].item.asset.displayName)" } ?? "")
    }

    // MARK: Scene

    func scene() -> Scene {
        for index in films.indices { films[index].read(start: isPlaying ? start : .invalid) }
        if films.contains(where: \.item.hasPlayedToEnd) { play(from: .zero) }
        var layers: [Layer] = []
        for (index, film) in films.enumerated() {
            layers += film.layers(in: place(of: index), number: index + 1, on: stage)
        }
        if let (index, share) = grow() {
            let (from, to) = (place(of: index), wall)
            let eased = share * share * (3 - 2 * share)
            func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * eased }
            let rect = LayerRect(
                x: mix(from.x, to.x), y: mix(from.y, to.y), width: mix(from.width, to.width),
                height: mix(from.height, to.height))
            layers += films[index].layers(in: rect, number: index + 1, on: stage)
        }
        return Scene(background: .color(Palette.background), layers: layers + headline)
    }

    /// Advances the enlargement of a video by one step, a fifteenth of the way.
    private func grow() -> (index: Int, share: Double)? {
        guard let (index, last) = grown else { return nil }
        let share = min(1, last + (isShrinking ? -1 : 1) / 15.0)
        grown = share > 0 ? (index, share) : nil
        return grown
    }

    private var wall: LayerRect {
        LayerRect(
            x: Self.gap, y: Self.header, width: stage.width - 2 * Self.gap,
            height: stage.height - Self.header - Self.gap)
    }

    private func place(of index: Int) -> LayerRect {
        let count = Double(Self.columns)
        let width = (wall.width - (count - 1) * Self.gap) / count
        let height = (wall.height - (count - 1) * Self.gap) / count
        return LayerRect(
            x: wall.x + Double(index % Self.columns) * (width + Self.gap),
            y: wall.y + Double(index / Self.columns) * (height + Self.gap), width: width,
            height: height)
    }

    private var headline: [Layer] {
        let (shown, late) = films.reduce((0, 0)) { ($0.0 + $1.shown, $0.1 + $1.late) }
        let apart = films.map(\.largestError).max() ?? 0
        let time = films[0].item.currentTime.clockDescription
        let pictures = "\(late) of \(shown) frames late"
        return [
            stage.text(
                "Sixteen videos, one clock", size: 20, at: [Self.gap + 4, 10], isBold: true),
            stage.text(
                "timelines off by \(apart) ns at most    \(pictures)    \(time)", size: 14,
                at: [stage.width - Self.gap - 4, 15], align: .right,
                color: Palette.dimmed),
        ]
    }

    /// Returns a video with one of the usual frame rates and its own colour.
    private static func channel(_ index: Int) -> Asset {
        let rates = [24, 25, 30, 24000.0 / 1001, 50, 30, 60, 25, 30000.0 / 1001, 15, 24, 48]
        let rate = rates[index % rates.count]
        return Films.synthetic("Channel \(index + 1)", seconds: 120, framesPerSecond: rate) {
            $0.sounds = []
        }
    }
}
