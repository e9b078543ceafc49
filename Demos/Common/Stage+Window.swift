// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Running a demo in a window.
extension Stage {
    /// The interval between two scenes while something changes: the duration of a frame on the
    /// display.
    private static let period = 1.0 / 60
    /// The time without changes after which scenes are requested less often.
    private static let restlessness = MediaTime(value: 1, timescale: 2)
    private static let restingPeriod = 0.1
    /// The suffix of the window's title while the demo is not ready.
    private static let waiting = " …"

    func openWindow() throws {
        // This is the title until the demo is ready.
        var configuration = WindowConfiguration(
            title: title + Self.waiting, size: WindowSize(width: Int(width), height: Int(height)))
        configuration.applicationID = "playhead-demo"
        let window = try Window(configuration)
        let presenter = try Presenter(
            surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource(),
            ledger: ledger)
        opened = (window, presenter)
        measure(window)
    }

    /// Runs a demo until its window is closed.
    ///
    /// - Throws: the error of a video that cannot be played.
    func perform(_ demo: some Demo) throws {
        guard let (window, presenter) = opened else { return }
        window.eventHandler = { [weak self] event in self?.handle(event, for: demo) }
        presenter.isPaused = false
        defer {
            presenter.invalidate()
            window.close()
        }
        var lastChange = time
        while !isOver {
            if isHidden, sleepsWhileHidden {
                MainLoop.shared.turn()
                continue
            }
            let isResting = time - lastChange > Self.restlessness
            MainLoop.shared.turn(waitingAtMost: isResting ? Self.restingPeriod : Self.period)
            var scene = demo.scene()
            scene.layers = inPixels(scene.layers)
            if presenter.scene != scene {
                presenter.scene = scene
                lastChange = time
            }
            let title = title + (demo.isReady ? transport?.words ?? "" : Self.waiting)
            if window.title != title { window.title = title }
            for problem in presenter.takeProblems() { note(problem) }
            for player in players { if let failure = player.failure { throw failure } }
        }
    }

    private func measure(_ window: Window) {
        let pixels = window.framebufferSize
        scale = max(0.1, window.contentScale)
        width = Double(pixels.width) / scale
        height = Double(pixels.height) / scale
    }

    private func handle(_ event: WindowEvent, for demo: some Demo) {
        guard let (window, presenter) = opened else { return }
        switch event {
        case .closeRequested: quit()
        case .key(let key) where key.action == .press && PlayerWindow.quits(key): quit()
        case .key(let key) where key.action == .press && key.shortcutKey == Key("f"):
            window.toggleFullscreen()
        case .framebufferResized, .contentScaleChanged, .refreshNeeded:
            measure(window)
            presenter.setNeedsDisplay()
        case .iconifiedChanged(let isIconified):
            isHidden = isIconified
            presenter.isPaused = isIconified
        default: break
        }
        if transport?.handle(event) == true { return }
        demo.handle(event.inPoints(of: window))
    }
}
