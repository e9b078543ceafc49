// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI
import Synchronization

/// A pull loop that is written by hand. At each vsync, it asks an output whether another frame is
/// due. The planes of a frame become textures, and a shader of the demo draws them. While nothing
/// changes, the display link is paused.
@main @MainActor final class PullLoop: PlayerItemOutputPullDelegate {
    static let size = WindowSize(width: 960, height: 540)
    private let window: Window
    private let output = PlayerItemVideoOutput()
    private let player: Player
    private let item: PlayerItem
    private let link: DisplayLink
    private let renderer: Renderer
    private let canvas: PlainCanvas
    private let transport: Transport
    private var sliders = makeSliders()

    static func main() {
        do {
            let options = DemoOptions.ofProcess()
            if options.isHeadless { try drawPicture(options) } else { try PullLoop(options).run() }
        } catch {
            DemoOptions.fail(error)
        }
    }

    private init(_ options: DemoOptions) throws {
        item = PlayerItem(asset: options.films.first.map { URLAsset($0) } ?? Films.builtIn)
        item.add(output)
        player = Player(playerItem: item, audioSink: try? PulseAudioSink())
        window = try Window(WindowConfiguration(title: "PullLoop", size: Self.size))
        canvas = PlainCanvas(scale: window.contentScale, isWordless: options.isWordless)
        transport = Transport([player])
        let (renderer, surface) = (Renderer(output), WindowSurface(window.context))
        self.renderer = renderer
        link = DisplayLink(source: window.makeVsyncSource()) { tick in
            renderer.drawFrame(at: tick, on: surface)
        }
        let context = window.context
        try link.performAndWait {
            try surface.context.makeCurrent()
            try renderer.prepare(surface.context, context.procAddress)
        }
    }

    private func run() throws {
        output.setDelegate(self)
        window.eventHandler = { [weak self] in self?.handle($0) }
        transport.arrivalHandler = { [weak self] in self?.tell() }
        renderer.whenIdle { [weak self] in self?.rest() }
        // This restarts playback from the beginning.
        let end = item.observe(\.hasPlayedToEnd, on: .main) { [item, player] change in
            guard change.newValue else { return }
            item.seek(to: .zero)
            player.play()
        }
        let failure = item.observe(\.status, options: .initial, on: .main) { change in
            guard case .failed = change.newValue else { return }
            Task { @MainActor in MainLoop.shared.stop() }
        }
        player.play()
        wake()
        MainLoop.shared.run()
        end.cancel()
        failure.cancel()
        link.perform { [renderer, context = window.context] in
            renderer.end()
            context.clearCurrent()
        }
        link.invalidate()
        window.close()
        if let error = item.error { throw error }
    }

    // MARK: Freewheeling

    /// Pauses the link after a time without changes, until the output expects a frame.
    nonisolated private func rest() {
        link.isPaused = true
        output.requestNotificationOfMediaDataChange(
            withAdvanceInterval: MediaTime(value: 1, timescale: 10))
    }

    nonisolated func outputMediaDataWillChange(_ output: PlayerItemVideoOutput) {
        link.isPaused = false
    }

    /// Draws a frame with the current values of the sliders.
    private func wake() {
        renderer.update(
            luma: Float(sliders[0].value), chroma: Float(sliders[1].value),
            controls: canvas.inPixels(Self.controls(sliders, on: canvas)))
        link.isPaused = false
    }

    static func controls(_ sliders: [Slider], on canvas: PlainCanvas) -> [Layer] {
        let pane = LayerRect(x: 20, y: 466, width: 920, height: 60)
        return [canvas.box(pane, color: Palette.glass, cornerRadius: 10)]
            + sliders.flatMap { $0.layers(on: canvas) }
    }

    static func makeSliders() -> [Slider] {
        ["Luma", "Chroma"].enumerated().map { index, name in
            var slider = Slider(name, value: 1, in: 0...2)
            slider.frame = LayerRect(
                x: 40 + 460 * Double(index), y: 480, width: 420, height: 36)
            return slider
        }
    }

    private func handle(_ event: WindowEvent) {
        switch event {
        case .closeRequested: MainLoop.shared.stop()
        case .key(let key) where key.action == .press && PlayerWindow.quits(key):
            MainLoop.shared.stop()
        case .key(let key) where key.action == .press && key.shortcutKey == Key("f"):
            window.toggleFullscreen()
        case .framebufferResized, .refreshNeeded: wake()
        case _ where transport.handle(event): break
        default:
            let event = event.inPoints(of: window)
            for index in sliders.indices where sliders[index].handle(event) { wake() }
        }
        tell()
    }

    private func tell() {
        let values = sliders.map { "\($0.label) \($0.describe($0.value))" }
        window.title = "PullLoop – " + values.joined(separator: ", ") + transport.words
    }
}
