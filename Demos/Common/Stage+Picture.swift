// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Drawing a demo to an image.
extension Stage {
    /// Draws all frames and writes the last one, and prints its text line by line on standard
    /// output.
    func draw(_ demo: some Demo) throws {
        let size = (width: Int((width * scale).rounded()), height: Int((height * scale).rounded()))
        let surface = try OffscreenSurface(width: size.width, height: size.height)
        try surface.context.makeCurrent()
        defer { surface.context.clearCurrent() }
        let renderer = VideoRenderer(context: surface.context)
        try WaitingPlayer.wait(for: "the demo to get ready") { demo.isReady }
        var last = Scene()
        for frame in 0..<options.frames {
            try advance(to: MediaTime(nanoseconds: Int64(frame) * 1_000_000_000 / 60))
            last = demo.scene()
            guard let target = try surface.nextTarget() else { continue }
            var scene = last
            scene.layers = inPixels(last.layers)
            let report = renderer.render(scene, hostTime: time, into: target)
            for problem in report.problems { note(problem) }
            // Events that drawing has caused affect the next scene.
            MainLoop.shared.turn(waitingAtMost: 0)
        }
        guard let image = surface.readPixels() else { return }
        try ImageFile.writePNG(image, to: options.output)
        for word in last.layers.flatMap(Self.words) { print(word) }
    }

    func note(_ problem: RenderReport.Problem) { DemoOptions.note("\(problem)") }

    /// Advances the clock, in nanoseconds, once everything that is displayed and heard until then
    /// has been decoded.
    private func advance(to time: MediaTime) throws {
        guard let clock = clock as? ManualClock else { return }
        // In steps of a block, as a device requests audio.
        let step = MediaTime(value: 1, timescale: 100)
        repeat {
            for player in players { try player.wait() }
            for sink in sinks { sink.renderDueBlocks() }
            clock.advance(to: min(time, clock.time + step))
            MainLoop.shared.turn(waitingAtMost: 0)
        } while clock.time < time
        for player in players { try player.wait() }
    }

    /// Returns the text of a layer and of those in it. Layers of text are named after it.
    private static func words(on layer: Layer) -> [String] {
        guard !layer.isHidden else { return [] }
        return (layer.name.isEmpty ? [] : [layer.name]) + layer.sublayers.flatMap(words)
    }
}
