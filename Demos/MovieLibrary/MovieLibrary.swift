// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A folder of videos, shown as a list with thumbnails and properties. The selected video plays
/// beside the list, optionally with effects.
@main final class MovieLibrary: Demo {
    static let title = "MovieLibrary"
    static let size = WindowSize(width: 1120, height: 660)
    private static let listWidth = 372.0
    private static let rowHeight = 92.0
    private static let top = 56.0
    /// The built-in effects that can be chosen, and their values.
    private static let effectNames: [(name: String, values: [String: Double])] = [
        ("bloom", [:]), ("edges", [:]), ("film_grain", [:]), ("halftone", [:]),
        ("kaleidoscope", [:]), ("vignette", [:]),
    ]

    private let stage: Stage
    private let shelf: Shelf
    private let player: Player
    private let output: PlayerVideoOutput
    private let effects: [EffectInstance]
    private var selection = 0
    private var scroll = 0.0
    private var pointer: SIMD2<Double> = [-1, -1]

    init(stage: Stage) throws {
        self.stage = stage
        shelf = Shelf(stage.options.films)
        // The list shows which videos cannot be played. The others can still be played.
        player = stage.makePlayer(sink: stage.makeSink(), mayFail: true)
        output = PlayerVideoOutput(player: player)
        effects = try Self.effectNames.map {
            EffectInstance(try EffectLibrary.load($0.name))
        }
        for effect in effects { effect.isEnabled = false }
        stage.transport = Transport([player])
        select(0)
    }

    var isReady: Bool { shelf.isComplete }

    private func select(_ index: Int) {
        guard shelf.films.indices.contains(index) else { return }
        selection = index
        player.replaceCurrentItem(with: PlayerItem(asset: shelf.films[index].asset))
        player.play()
        stage.title = "MovieLibrary – \(shelf.films[index].asset.displayName)"
        // This scrolls the selected row into view.
        let y = Double(index) * Self.rowHeight
        scroll = min(max(scroll, y + Self.rowHeight - listHeight), y)
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        switch event {
        case .key(let key) where key.action != .release:
            switch key.key {
            case .down: select(selection + 1)
            case .up: select(selection - 1)
            case _ where ("1"..."6").contains(key.name ?? ""):
                toggle(Int(key.name ?? "") ?? 0)
            default: break
            }
        case .pointerMoved(let point): pointer = [point.x, point.y]
        case .scrolled(let turn) where turn.position.x < Self.listWidth:
            let longest = Double(shelf.films.count) * Self.rowHeight - listHeight
            scroll = min(max(scroll - turn.y * 40, 0), max(0, longest))
        case .button(let click) where click.button == .left && click.isPressed:
            press([click.position.x, click.position.y])
        default: break
        }
    }

    private func press(_ point: SIMD2<Double>) {
        if let index = shelf.films.indices.first(where: { row($0).contains(point) }) {
            select(index)
        } else if let index = effects.indices.first(where: { chip($0).contains(point) }) {
            toggle(index + 1)
        } else if let item = player.currentItem, timeline.contains(point), item.duration.isNumeric {
            item.seek(to: item.duration * ((point.x - timeline.x) / timeline.width))
        } else if picture.contains(point) {
            stage.transport?.togglePlaying()
        }
    }

    private func toggle(_ number: Int) {
        guard effects.indices.contains(number - 1) else { return }
        effects[number - 1].isEnabled.toggle()
        stage.setNeedsDisplay()
    }

    // MARK: Geometry

    private var listHeight: Double { stage.height - Self.top - 12 }

    private func row(_ index: Int) -> LayerRect {
        LayerRect(
            x: 12, y: Self.top + Double(index) * Self.rowHeight - scroll,
            width: Self.listWidth - 24, height: Self.rowHeight - 8)
    }

    private var picture: LayerRect {
        let width = stage.width - Self.listWidth - 24
        return LayerRect(
            x: Self.listWidth, y: Self.top, width: width,
            height: min(width * 9 / 16, stage.height - Self.top - 170))
    }

    private var timeline: LayerRect {
        LayerRect(x: picture.x, y: picture.y + picture.height + 8, width: picture.width, height: 16)
    }

    private func chip(_ index: Int) -> LayerRect {
        let width = (picture.width - 5 * 8) / 6
        return LayerRect(
            x: picture.x + Double(index) * (width + 8), y: stage.height - 46, width: width,
            height: 32)
    }

    // MARK: Scene

    func scene() -> Scene {
        if let item = player.currentItem, item.hasPlayedToEnd {
            item.seek(to: .zero)
            player.play()
        }
        var layers = [stage.text("Library", size: 22, at: [20, 16], isBold: true)]
        layers.append(
            stage.text(
                shelf.place, size: 13, at: [Self.listWidth - 18, 24], align: .right,
                color: Palette.dimmed))
        layers.append(list)
        layers += detail
        return Scene(background: .color(Palette.background), layers: layers)
    }

    /// The visible rows, clipped to the bounds of the list.
    private var list: Layer {
        let frame = LayerRect(
            x: 0, y: Self.top, width: Self.listWidth, height: stage.height - Self.top)
        var rows: [Layer] = []
        for (index, film) in shelf.films.enumerated() {
            var rect = row(index)
            guard rect.y + rect.height > Self.top, rect.y < stage.height else { continue }
            let isHovered = rect.contains(pointer)
            rect.y -= Self.top
            let color =
                index == selection
                ? Palette.faded(Palette.accent, 0.32)
                : isHovered ? Palette.line : Palette.panel
            rows.append(stage.box(rect, color: color, cornerRadius: 8))
            rows += film.layers(in: rect, on: stage)
        }
        var list = Layer(frame: .pixels(frame), sublayers: rows)
        list.masksToBounds = true
        return list
    }

    private var detail: [Layer] {
        var layers = [
            stage.box(picture, color: [0, 0, 0, 1], cornerRadius: 10),
            stage.film(
                output, in: picture, effects: effects.filter(\.isEnabled), cornerRadius: 10),
        ]
        guard shelf.films.indices.contains(selection) else { return layers }
        let film = shelf.films[selection]
        layers += progress
        let y = timeline.y + timeline.height + 6
        layers.append(
            stage.text(film.asset.displayName, size: 18, at: [picture.x, y], isBold: true))
        for (index, fact) in film.details.enumerated() {
            layers.append(
                stage.text(
                    fact, size: 13, at: [picture.x, y + 28 + Double(index) * 20],
                    color: Palette.dimmed))
        }
        for (index, effect) in effects.enumerated() {
            let rect = chip(index)
            let isOn = effect.isEnabled
            layers.append(
                stage.box(
                    rect, color: isOn ? Palette.accent : Palette.panel, cornerRadius: 16))
            layers.append(
                stage.text(
                    "\(index + 1)  " + Self.effectNames[index].name.replacing("_", with: " "),
                    size: 13, at: [rect.x + rect.width / 2, rect.y + 7], align: .center,
                    color: isOn ? [0, 0, 0, 1] : Palette.text))
        }
        return layers
    }

    private var progress: [Layer] {
        guard let item = player.currentItem else { return [] }
        let share =
            item.duration.isNumeric && item.duration > .zero
            ? min(max(item.currentTime.seconds / item.duration.seconds, 0), 1) : 0
        let track = LayerRect(x: timeline.x, y: timeline.y + 6, width: timeline.width, height: 4)
        var done = track
        done.width *= share
        return [
            stage.box(track, color: Palette.line, cornerRadius: 2),
            stage.box(done, color: Palette.accent, cornerRadius: 2),
        ]
    }
}
