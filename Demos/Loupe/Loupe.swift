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
    private var glass: Glass
    private var isHeld = false

    init(stage: Stage) {
        self.stage = stage
        player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: stage.films[0]))
        output = PlayerVideoOutput(player: player)
        glass = Glass(center: SIMD2(stage.width * 0.42, stage.height * 0.42))
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
        case .scrolled(let scroll): glass.scroll(by: scroll.y)
        default: return
        }
        let (x, y, percent) = (glass.center.x, glass.center.y, glass.zoom * 100)
        stage.title = "Loupe – \(Int(x)), \(Int(y)), \(Int(percent.rounded())) %"
    }

    private func move(to point: WindowPoint) { glass.center = SIMD2(point.x, point.y) }

    func scene() -> Scene {
        Scene(layers: [Layer(.video(output))] + glass.layers(over: .video(output), on: stage))
    }
}
