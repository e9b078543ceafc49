// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video, and a wheel with six handles. Each handle rotates, saturates and lightens the hue at
/// its position.
@main final class HueCurve: Demo {
    static let title = "HueCurve"
    static let size = WindowSize(width: 1120, height: 630)

    private let stage: Stage
    private let player: QueuePlayer
    private let looper: PlayerLooper
    private let output: PlayerVideoOutput
    private let curve: EffectInstance
    /// An instance of the effect on a colour wheel, which shows the change of each hue.
    private let wheel: EffectInstance
    private let rim: EffectInstance
    private var handles = Handle.all
    private var held: Int?

    init(stage: Stage) throws {
        self.stage = stage
        player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        looper = PlayerLooper(
            player: player,
            templateItem: PlayerItem(
                asset: stage.options.films.isEmpty
                    ? URLAsset(Films.path(of: "loops.mp4")) : stage.films[0]))
        output = PlayerVideoOutput(player: player)
        curve = EffectInstance(try EffectLibrary.load("hue_curve"))
        wheel = EffectInstance(try EffectLibrary.load("color_wheel"))
        rim = EffectInstance(try EffectLibrary.load("color_wheel"))
        try rim.set(.float(0.9), for: "hole")
        stage.register(player)
        stage.transport = Transport([player])
        player.play()
        if stage.options.isHeadless {
            // For an image, this makes a visible change: green becomes violet, and red becomes
            // paler.
            handles[2].move(angle: 60, reach: 1.4)
            handles[0].move(angle: -8, reach: 0.5)
            for index in [0, 2] { apply(index) }
        }
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        switch event {
        case .button(let button) where button.button == .left:
            held = button.isPressed ? index(at: button.position) : nil
            // A double click resets a handle.
            if let held, button.clickCount == 2 {
                handles[held] = Handle.all[held]
                apply(held)
            }
        case .pointerMoved(let point):
            guard let held else { return }
            let place = SIMD2(point.x, point.y) - center
            handles[held].drag(to: SIMD2(place.x, -place.y) / radius)
            apply(held)
        case .scrolled(let scroll):
            guard let index = index(at: scroll.position) else { return }
            handles[index].lighten(scroll.y > 0 ? 0.03 : -0.03)
            apply(index)
        case .key(let key) where key.action == .press: press(key.shortcutKey)
        default: break
        }
    }

    private func press(_ key: Key) {
        switch key {
        case Key("a"):
            curve.isEnabled.toggle()
            stage.title = curve.isEnabled ? "HueCurve – on" : "HueCurve – off"
        case Key("r"):
            handles = Handle.all
            for index in handles.indices { apply(index) }
            stage.title = "HueCurve – reset"
        default: break
        }
    }

    private func index(at point: WindowPoint) -> Int? {
        let nearest = handles.indices.min { distance($0, point) < distance($1, point) }
        return nearest.flatMap { distance($0, point) < 22 ? $0 : nil }
    }

    private func distance(_ index: Int, _ point: WindowPoint) -> Double {
        let way = place(of: handles[index]) - SIMD2(point.x, point.y)
        return (way * way).sum().squareRoot()
    }

    private func apply(_ index: Int) {
        for (name, value) in handles[index].values {
            // The names are those of the effect's inputs.
            try? curve.set(.float(Float(value)), for: name)
        }
        stage.title = "HueCurve – \(handles[index].summary)"
        stage.setNeedsDisplay()
    }

    // MARK: Scene

    private var radius: Double { min(190, stage.height * 0.34) }
    private var center: SIMD2<Double> { SIMD2(stage.width - radius - 56, 76 + radius) }

    private func place(of handle: Handle) -> SIMD2<Double> {
        let point = handle.point * radius
        return center + SIMD2(point.x, -point.y)
    }

    private func disc(_ content: Layer.Content, _ radius: Double) -> Layer {
        Layer(
            content,
            frame: .pixels(
                LayerRect(
                    x: center.x - radius, y: center.y - radius, width: 2 * radius,
                    height: 2 * radius)))
    }

    func scene() -> Scene {
        let left = stage.width - 2 * radius - 112
        // The video is beside the wheel, and is centred on it.
        let film = LayerRect(x: 24, y: 64, width: left - 48, height: 2 * (center.y - 64))
        var layers = [
            stage.text("HueCurve", size: 22, at: [24, 18], isBold: true),
            stage.film(output, in: film, effects: [curve]),
        ]
        // The ring around the wheel shows the original hues.
        layers.append(disc(.generator(rim), radius * 1.12))
        var changed = disc(.generator(wheel), radius)
        changed.effects = [curve]
        layers.append(changed)
        for index in handles.indices { layers += self.layers(of: index) }
        let hints = [
            "drag a handle around: its hue",
            "in or out: its saturation", "wheel: darker or lighter",
            "double click: reset    r: reset all", "a: off and on    space: pause",
        ]
        for (index, hint) in hints.enumerated() {
            layers.append(
                stage.text(
                    hint, size: 13,
                    at: [center.x, center.y + radius * 1.12 + 18 + 20 * Double(index)],
                    align: .center, color: Palette.dimmed))
        }
        return Scene(background: .color(Palette.background), layers: layers)
    }

    private func layers(of index: Int) -> [Layer] {
        let handle = handles[index]
        let (home, place) = (self.place(of: Handle.all[index]), self.place(of: handle))
        func dot(_ center: SIMD2<Double>, _ radius: Double, _ color: SIMD4<Float>) -> Layer {
            stage.box(
                LayerRect(
                    x: center.x - radius, y: center.y - radius, width: 2 * radius,
                    height: 2 * radius), color: color, cornerRadius: radius)
        }
        var layers = [dot(home, 4, Palette.faded(Palette.text, 0.6))]
        // A row of dots connects the neutral position with the current one.
        let way = place - home
        let length = (way * way).sum().squareRoot()
        for bead in stride(from: 10.0, to: length - 10, by: 7) {
            layers.append(dot(home + way * (bead / length), 1.5, Palette.faded(Palette.text, 0.6)))
        }
        layers += [
            dot(place, index == held ? 13 : 11, [0, 0, 0, 0.55]),
            dot(place, index == held ? 12 : 10, Palette.text), dot(place, 7, handle.color),
        ]
        return layers
    }
}
