// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A clock and the timebases of five videos that follow it, with a tick for each second. The rates
/// are 1, 2, 0, −1 and 0.5.
@main final class Timebases: Demo {
    static let title = "Timebases"
    static let size = WindowSize(width: 1040, height: 640)
    private static let rates = [1.0, 2, 0, -1, 0.5]
    private static let rowHeight = 96.0
    private static let top = 60.0

    private let stage: Stage
    private var rows: [FilmRow]
    /// The host time at which the displayed clock reads zero.
    private var origin = MediaTime.zero
    /// The clock's time while all videos are held; nil while the clock runs.
    private var held: MediaTime?
    private(set) var isReady = false
    private let key: EffectInstance
    private let room: EffectInstance

    init(stage: Stage) throws {
        self.stage = stage
        key = try DemoEffects.chromaKey()
        room = try DemoEffects.backdrop([0.24, 0.30, 0.44, 1])
        rows = Self.rates.map { FilmRow(stage.films[0], rate: $0, on: stage) }
        Task {
            for row in rows { _ = await row.player.preroll(atRate: row.rate == 0 ? 1 : row.rate) }
            isReady = true
            start()
        }
    }

    /// A time that is far enough ahead for all videos to be ready.
    private var soon: MediaTime {
        stage.time + MediaTime(value: stage.options.isHeadless ? 0 : 1, timescale: 10)
    }

    /// Starts all videos at the same time.
    private func start() {
        origin = soon
        for row in rows { row.start(at: origin) }
        tell()
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        switch event {
        case .key(let key) where key.action != .release && isReady: press(key)
        case .scrolled(let scroll):
            let index = Int((scroll.position.y - Self.top) / Self.rowHeight) - 1
            guard rows.indices.contains(index) else { return }
            rows[index].rate = min(max(rows[index].rate + (scroll.y > 0 ? 0.25 : -0.25), -4), 4)
            if held == nil { rows[index].player.rate = rows[index].rate }
        default: break
        }
        tell()
    }

    private func press(_ key: KeyEvent) {
        let second = MediaTime(value: 1, timescale: 1)
        switch (key.key, held) {
        case (.space, let time?):
            let instant = soon
            origin = instant - time
            held = nil
            for row in rows { row.goOn(at: instant) }
        case (.space, nil):
            held = stage.time - origin
            for row in rows { row.player.pause() }
        case (.home, nil): start()
        case (.home, _?):
            held = .zero
            for row in rows { row.rewind() }
        case (.right, let time?):
            held = time + second
            for row in rows { row.step(by: second) }
        case (.left, let time?) where time >= second:
            held = time - second
            for row in rows { row.step(by: -second) }
        default: break
        }
    }

    private func tell() {
        let rates = rows.map { FilmRow.describe($0.rate) }.joined(separator: ", ")
        let state = held.map { " (held at \($0.clockDescription))" } ?? ""
        stage.title = "Timebases – \(rates)\(state)"
    }

    // MARK: Scene

    func scene() -> Scene {
        let now = stage.time
        var layers = [
            stage.text("Clock and timebases", size: 20, at: [24, 16], isBold: true),
            stage.text(
                "wheel: rate    space: hold    arrows, home: while held", size: 13,
                at: [stage.width - 24, 22],
                align: .right, color: Palette.dimmed),
        ]
        let clock = held ?? now - origin
        let ruler = Ruler(
            stage: stage, left: 150, right: stage.width - 24 - 168, now: now)
        let height = Self.rowHeight - 10
        layers += ruler.layers(
            y: Self.top, height: height, name: "clock", value: clock, isClock: true,
            time: { clock + $0 - now })
        layers.append(
            stage.text(
                "drives all timelines", size: 13,
                at: [stage.width - 24 - 153, Self.top + height / 2 - 8], color: Palette.dimmed))
        for (index, row) in rows.enumerated() {
            if row.item.hasPlayedToEnd, held == nil { row.start(at: now) }
            let y = Self.top + Double(index + 1) * Self.rowHeight
            let timebase = row.item.timebase
            let time = timebase.time
            layers += ruler.layers(
                y: y, height: height, name: FilmRow.describe(row.rate), value: time,
                isClock: false,
                time: {
                    // While all videos are held, the ruler shows how the timeline would continue.
                    held == nil ? timebase.time(atHostTime: $0) : time + ($0 - now) * row.rate
                })
            let picture = LayerRect(
                x: stage.width - 24 - 153, y: y, width: 153, height: height)
            layers.append(stage.generator(room, in: picture, cornerRadius: 6))
            layers.append(
                stage.film(
                    row.output, in: picture, gravity: .resizeAspectFill, effects: [key],
                    cornerRadius: 6))
        }
        layers += ruler.needle(from: Self.top, to: Self.top + 6 * Self.rowHeight - 10)
        return Scene(background: .color(Palette.background), layers: layers)
    }
}
