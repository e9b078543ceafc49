// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// The loop without a window. It uses a display link without a thread, and a manual clock.
extension PullLoop {
    static func drawPicture(_ options: DemoOptions) throws {
        let width = options.size?.width ?? size.width
        let height = options.size?.height ?? size.height
        let surface = try OffscreenSurface(width: width, height: height)
        try surface.context.makeCurrent()
        defer { surface.context.clearCurrent() }
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: options.films.first.map { URLAsset($0) } ?? Films.builtIn)
        item.add(output)
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.play()
        while player.timeControlStatus != .playing {
            if let error = item.error { throw error }
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }

        let renderer = Renderer(output)
        try renderer.prepare(surface.context, surface.procAddress)
        let canvas = PlainCanvas(
            scale: Double(width) / Double(size.width), isWordless: options.isWordless)
        var sliders = makeSliders()
        // A faded video shows the effect of the sliders.
        sliders[1].value = 0.4
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
            renderer.drawFrame(at: tick, on: surface)
        }
        for _ in 0..<options.frames {
            renderer.update(
                luma: Float(sliders[0].value), chroma: Float(sliders[1].value),
                controls: canvas.inPixels(controls(sliders, on: canvas)))
            _ = output.waitForPixelBuffer(after: item.currentTime)
            link.tick()
        }
        if let image = surface.readPixels() { try ImageFile.writePNG(image, to: options.output) }
        renderer.end()
    }
}
