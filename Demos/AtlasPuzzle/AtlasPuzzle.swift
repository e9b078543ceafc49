// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadAtlas
import PlayheadUI
import SlidingPuzzle

/// A sliding puzzle whose tiles are videos. All of the videos are in one file.
@main final class AtlasPuzzle: Demo {
    static let title = "AtlasPuzzle"
    static let size = WindowSize(width: 1120, height: 630)

    private let stage: Stage
    private let atlas: TextureAtlas
    private let player: QueuePlayer
    private let looper: PlayerLooper
    private let output: PlayerVideoOutput
    private let key: EffectInstance
    private var game: Game
    private var hand: Hand?
    /// The task that searches for a solution.
    private var search: Task<Void, Never>?
    private let table = Table()

    /// A press of the pointer, which may become a tap, a drag, or a request for the solution.
    fileprivate struct Hand {
        var place: Int?
        var start: SIMD2<Double>
        var now: SIMD2<Double>
        var pressed: MediaTime
    }

    init(stage: Stage) throws {
        self.stage = stage
        // The video, and the manifest beside it.
        let film = stage.options.films.first ?? Films.path(of: "loops.mp4")
        let manifest = URL(fileURLWithPath: film).deletingPathExtension()
            .appendingPathExtension("json").path
        atlas = try TextureAtlas(contentsOf: manifest)
        // There is one player and one output, however many tiles there are.
        player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: URLAsset(film)))
        output = PlayerVideoOutput(player: player)
        key = EffectInstance(try EffectLibrary.load("chroma_key"))
        key.isEnabled = stage.options.isHeadless
        // Without a window, the board is the same in every run, so that images are too.
        game = Game(
            board: stage.options.isHeadless
                ? Board(side: 4, tiles: [1, 2, 3, 4, 6, 11, 5, 8, 9, 7, 0, 12, 13, 10, 15, 14])
                : Self.shuffled(stage.options.seed))
        stage.register(player)
        // Space and the arrow keys control the game.
        stage.transport = Transport([player], pauseKey: Key("p"), hasArrows: false)
        player.play()
        tell()
    }

    private static func shuffled(_ seed: UInt64? = nil) -> Board {
        var random = Chance(seed: seed)
        return Board.shuffled(side: 4, using: &random)
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        switch event {
        case .key(let key) where key.action == .press: press(key.shortcutKey)
        case .button(let button) where button.button == .left:
            button.isPressed ? press(at: button.position) : release(at: button.position)
        case .pointerMoved(let point): hand?.now = SIMD2(point.x, point.y)
        default: break
        }
        tell()
    }

    private func press(_ key: Key) {
        let wasSolving = game.isSolving
        stopSolving()
        switch key {
        // An arrow key moves the tile that can slide in the arrow's direction.
        case .left: game.slide(from: (column: 1, row: 0), at: stage.time)
        case .right: game.slide(from: (column: -1, row: 0), at: stage.time)
        case .up: game.slide(from: (column: 0, row: 1), at: stage.time)
        case .down: game.slide(from: (column: 0, row: -1), at: stage.time)
        case .space: self.key.isEnabled.toggle()
        case Key("s") where !wasSolving: solve()
        case Key("n"): game = Game(board: Self.shuffled())
        default: break
        }
    }

    private func press(at point: WindowPoint) {
        if game.isSolving {
            stopSolving()
            return
        }
        let place = SIMD2(point.x, point.y)
        hand = Hand(place: table.place(at: place), start: place, now: place, pressed: stage.time)
    }

    private func release(at point: WindowPoint) {
        guard var hand else { return }
        self.hand = nil
        hand.now = SIMD2(point.x, point.y)
        if hand.isStill {
            key.isEnabled.toggle()
        } else if let place = hand.place, game.board.movable.contains(place) {
            let way = table.drag(place, to: game.board.gap, by: hand.now - hand.start)
            // If the tile was dragged at least half of the way, it slides into the gap; otherwise
            // it goes back.
            game.drop(place, at: way.rect, slides: way.share > 0.5, time: stage.time)
        }
    }

    private func solve() {
        game.isThinking = true
        let board = game.board
        search = Task.detached {
            var solver = Solver(side: board.side)
            let moves = solver.solve(board) ?? []
            await MainActor.run {
                // The search may have been cancelled in the meantime.
                if !Task.isCancelled { self.game.play(moves, for: board) }
            }
        }
    }

    private func stopSolving() {
        search?.cancel()
        game.stopSolving()
    }

    private func tell() { stage.title = "AtlasPuzzle – \(game.summary)\(keyName)" }

    private var keyName: String { key.isEnabled ? ", keyed" : "" }

    // MARK: Scene

    func scene() -> Scene {
        if let hand, hand.isStill, (stage.time - hand.pressed).seconds > 0.6 {
            self.hand = nil
            solve()
        }
        if game.takeStep(at: stage.time) { tell() }
        var cards: [Layer] = []
        var films: [Layer] = []
        var numbers: [Layer] = []
        for (place, tile) in game.board.tiles.enumerated() where tile != 0 {
            let rect = rect(of: tile, at: place)
            let move = game.move(of: tile, table)
            func moving(_ layer: Layer) -> Layer {
                var layer = layer
                if let move {
                    layer.animate(
                        .frame([move.from, rect]), beginTime: move.begin,
                        duration: Game.slideDuration, timingFunction: .easeOut)
                }
                return layer
            }
            let hue = Double(tile) / 15
            let card = stage.box(
                rect, color: Palette.hue(hue, saturation: 0.5) * SIMD4(0.45, 0.45, 0.45, 1),
                cornerRadius: 12)
            cards.append(moving(card))
            // Each tile is a layer that shows a different part of the same output.
            var film = stage.film(output, in: rect, gravity: .resizeAspectFill, cornerRadius: 12)
            film.contentsRect = atlas.contentsRect(of: atlas.tiles[(tile - 1) % atlas.tiles.count])
            films.append(moving(film))
            var number = Layer(
                frame: .pixels(rect),
                sublayers: [
                    stage.text(
                        "\(tile)", size: 13, at: [10, 7], color: Palette.faded(Palette.text, 0.85),
                        isBold: true)
                ])
            number = moving(number)
            numbers.append(number)
        }
        // One chroma key for all tiles: an effect of a group is applied to the group as a single
        // image.
        var pictures = Layer(sublayers: films)
        if key.isEnabled { pictures.effects = [key] }
        return Scene(
            background: .color(Palette.background),
            layers: [table.layer(on: stage)] + cards + [pictures] + numbers + panel)
    }

    private func rect(of tile: Int, at place: Int) -> LayerRect {
        guard let hand, hand.place == place, game.board.movable.contains(place) else {
            return table.rect(of: place)
        }
        return table.drag(place, to: game.board.gap, by: hand.now - hand.start).rect
    }

    private var panel: [Layer] {
        let left = 648.0
        let width = stage.width - left - 24
        let height = width * Double(atlas.height) / Double(atlas.width)
        let film = LayerRect(x: left, y: stage.height - height - 28, width: width, height: height)
        var layers = [
            stage.text("AtlasPuzzle", size: 26, at: [left, 26], isBold: true),
            stage.text(
                game.count == 1 ? "1 move" : "\(game.count) moves", size: 40, at: [left, 76],
                color: Palette.accent, isBold: true),
            stage.text(game.state, size: 15, at: [left, 132], color: Palette.warm),
        ]
        let hints = [
            ("drag, arrows", "move a tile"), ("tap, space", "chroma key"),
            ("hold, s", "solve it"), ("n", "new game"),
        ]
        for (index, hint) in hints.enumerated() {
            let y = 184 + 30 * Double(index)
            layers.append(stage.text(hint.0, size: 14, at: [left, y]))
            layers.append(
                stage.text(
                    hint.1, size: 14, at: [left + width, y], align: .right, color: Palette.dimmed))
        }
        layers.append(
            stage.text(
                "\(atlas.tiles.count) videos in one", size: 13, at: [left, film.y - 24],
                color: Palette.dimmed))
        layers.append(stage.film(output, in: film, cornerRadius: 6))
        return layers
    }
}

extension AtlasPuzzle.Hand {
    /// A Boolean value that indicates whether the pointer has not moved since the press. In that
    /// case the press is a tap or a long press.
    fileprivate var isStill: Bool {
        let way = now - start
        return way.x * way.x + way.y * way.y < 36
    }
}
