// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Drawing the images of a demo.
extension Stage {
    /// Draws all frames, writes the last one to a file, and prints its texts on standard output,
    /// one per line.
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
            // Events that are caused by drawing affect the next scene.
            MainLoop.shared.turn(waitingAtMost: 0)
        }
        guard let image = surface.readPixels() else { return }
        try ImageFile.writePNG(image, to: options.output)
        for word in last.layers.flatMap(Self.words) { print(word) }
    }

    func note(_ problem: RenderReport.Problem) { DemoOptions.note("\(problem)") }

    /// Waits until everything that is displayed and heard up to a time has been decoded, and then
    /// advances the clock to it.
    private func advance(to time: MediaTime) throws {
        guard let clock = clock as? ManualClock else { return }
        // The clock advances in steps of one block, as if an audio device requested the audio.
        let step = MediaTime(value: 1, timescale: 100)
        repeat {
            for player in players { try player.wait() }
            for sink in sinks { sink.renderDueBlocks() }
            clock.advance(to: min(time, clock.time + step))
            MainLoop.shared.turn(waitingAtMost: 0)
        } while clock.time < time
        for player in players { try player.wait() }
    }

    /// Returns the texts of a layer and its sublayers. The name of a text layer is its text.
    private static func words(on layer: Layer) -> [String] {
        guard !layer.isHidden else { return [] }
        return (layer.name.isEmpty ? [] : [layer.name]) + layer.sublayers.flatMap(words)
    }
}
