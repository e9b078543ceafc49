// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A video, and a second layer that shows the same output in a circle, magnified four times.
@main final class Loupe: Demo {
    static let title = "Loupe"

    private let stage: Stage
    private let player: QueuePlayer
    private let looper: PlayerLooper
    private let output: PlayerVideoOutput
    private var center: SIMD2<Double>
    private var zoom = 4.0
    private var isHeld = false

    init(stage: Stage) {
        self.stage = stage
        player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: stage.films[0]))
        output = PlayerVideoOutput(player: player)
        center = SIMD2(stage.width * 0.42, stage.height * 0.42)
        stage.register(player)
        stage.transport = Transport([player])
        player.play()
    }

    func handle(_ event: WindowEvent) {
        switch event {
        case .button(let button) where button.button == .left:
            isHeld = button.isPressed
            if isHeld { move(to: button.position) }
        case .pointerMoved(let point) where isHeld: move(to: point)
        case .scrolled(let scroll): zoom = min(max(zoom * (scroll.y > 0 ? 1.25 : 0.8), 1.5), 16)
        default: return
        }
        stage.title = "Loupe – \(Int(center.x)), \(Int(center.y)), \(Int((zoom * 100).rounded())) %"
    }

    private func move(to point: WindowPoint) { center = SIMD2(point.x, point.y) }

    func scene() -> Scene {
        let radius = 0.26 * min(stage.width, stage.height)
        // The point under the centre of the loupe keeps its position.
        let large = LayerRect(
            x: center.x * (1 - zoom), y: center.y * (1 - zoom), width: stage.width * zoom,
            height: stage.height * zoom)
        var glass = Layer(.video(output), frame: .pixels(large))
        glass.mask = .ellipse(
            in: LayerRect(
                x: (center.x - radius - large.x) / large.width,
                y: (center.y - radius - large.y) / large.height,
                width: 2 * radius / large.width, height: 2 * radius / large.height))
        // A soft shadow that consists of discs of increasing size.
        let shadow = (0..<9).map { disc(radius + 2.0 * Double($0), [0, 0, 0, 0.05], lower: 9) }
        let rim = [
            disc(radius + 5, [0.92, 0.93, 0.95, 1]), disc(radius + 1, [0.1, 0.1, 0.12, 1]),
        ]
        return Scene(layers: [Layer(.video(output))] + shadow + rim + [glass])
    }

    private func disc(_ radius: Double, _ color: SIMD4<Float>, lower: Double = 0) -> Layer {
        stage.box(
            LayerRect(
                x: center.x - radius, y: center.y - radius + lower, width: 2 * radius,
                height: 2 * radius), color: color, cornerRadius: radius)
    }
}
