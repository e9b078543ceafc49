// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadCapture
import PlayheadUI

/// The interface through which a `LiveStage` shows a live device.
@MainActor protocol LivePerformance: AnyObject {
    /// The title of the window.
    var title: String { get }
    /// The size of the window or surface in pixels, if the user asks for none.
    func size(fitting limit: (width: Double, height: Double)) -> (width: Int, height: Int)
    /// Called once the presenter has been created, and then between events. Returns whether the run
    /// continues.
    func look() throws -> Bool
    /// The values that the panel shows above the effects; nil for none.
    var settings: (any PanelSettings)? { get }
    /// Returns what is shown.
    ///
    /// - Parameter arrange: Returns the layers to draw for that of the video. There are two while
    ///   the original is compared with the result of the effects.
    func scene(_ arrange: (Layer) -> [Layer]) -> Scene
    /// Returns the position in the video of a point of the window, where (0, 0) is the video's
    /// upper left corner and (1, 1) its lower right corner; nil if there is no video.
    func picturePlace(at point: SIMD2<Double>, in size: WindowSize) -> SIMD2<Double>?
    /// Handles a key to which the stage does not respond.
    func press(_ key: KeyEvent)
    /// Called when the window is minimised or restored. Closes devices that are not recorded.
    func setHidden(_ isHidden: Bool)
    /// Called after the run, while the presenter still has its last frame.
    func finish(_ capabilities: GLCapabilities) throws
}

/// The window that shows a live device, or an offscreen surface, and the loop of the run. The loop
/// ends at a key, a signal, or the number of frames or the duration that the user set.
@MainActor final class LiveStage {
    let options: PlayOptions
    let ledger = FrameLedger()
    let problems = ProblemLog()
    private(set) var presenter: Presenter?
    private var performance: (any LivePerformance)?
    private var window: Window?
    /// The panel of effects and settings, in a window.
    private var panel: EffectPanel?
    /// The time at which the panel was last laid out, by the host clock in nanoseconds.
    private var panelTime: Int64 = 0
    /// The interval at which the panel is laid out, in nanoseconds. Times of passes and values that
    /// the camera changes by itself appear without an event.
    private static let panelInterval: Int64 = 250_000_000
    /// A Boolean value that indicates whether the run continues.
    var isRunning = true
    /// A Boolean value that indicates whether the window is minimised.
    private var isHidden = false
    /// The time of the first frame or audio, from which the duration counts.
    private(set) var start: MediaTime?
    private var screenshots: ScreenshotNames

    init(_ options: PlayOptions) {
        self.options = options
        screenshots = ScreenshotNames(options)
    }

    /// Throws an error if an option does not apply to a live device.
    static func check(_ options: PlayOptions, _ device: String) throws {
        let refused = [
            ("--start", options.start != nil), ("--speed", options.speed != 1),
            ("--ab-loop", options.abLoop != nil), ("--loop", options.loop),
            ("--loop-playlist", options.loopPlaylist), ("--shuffle", options.shuffle),
            ("--untimed", options.untimed), ("--transition", options.transition.name != nil),
            ("--save-position", options.savePosition), ("--pause", options.window.pause),
            ("--ipc", options.window.ipc != nil),
        ]
        if let (name, _) = refused.first(where: \.1) {
            throw ToolError(
                .wrongUsage, "\(name) cannot be combined with a \(device); remove \(name)")
        }
        guard let path = options.capture.record else { return }
        try OutputFile.checkMovie(path)
        if FileManager.default.fileExists(atPath: path) {
            throw ToolError(
                .mediaFailure, "\(path): the file already exists; record into a new one")
        }
    }

    /// Shows a device until the run ends.
    ///
    /// - Parameters:
    ///   - source: The source whose frames the ledger records; nil for none.
    ///   - effects: The effects whose files are watched.
    func run(
        _ performance: any LivePerformance, showing source: (any PixelBufferSource)?,
        effects: [EffectInstance]
    ) throws {
        ledger.recordStart(hostTime: HostClock.shared.time)
        Interruption.watch()
        self.performance = performance
        defer { self.performance = nil }
        if options.headless {
            try runHeadless(performance, source)
        } else {
            try runInWindow(performance, source, effects)
        }
        try problems.throwStatus()
    }

    /// Starts measuring `--duration`, unless that has started already.
    func begin() { if start == nil { start = HostClock.shared.time } }

    private func runHeadless(
        _ performance: any LivePerformance, _ source: (any PixelBufferSource)?
    ) throws {
        let size =
            options.window.size.map { ($0.width, $0.height) }
            ?? performance.size(fitting: (1920, 1080))
        let surface = try OffscreenSurface(width: size.0, height: size.1)
        let rate = MediaTime(value: 1000, timescale: Int32((options.fps * 1000).rounded()))
        let presenter = try Presenter(
            surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(period: rate)),
            ledger: ledger)
        self.presenter = presenter
        if let source { presenter.observe(live: source) }
        defer { presenter.invalidate() }
        updateScene()
        presenter.isPaused = false
        while try continues(performance) { MainLoop.shared.turn(waitingAtMost: 0.005) }
        try performance.finish(surface.context.capabilities)
    }

    private func runInWindow(
        _ performance: any LivePerformance, _ source: (any PixelBufferSource)?,
        _ effects: [EffectInstance]
    ) throws {
        var configuration = WindowConfiguration(title: performance.title)
        let size =
            options.window.size.map { ($0.width, $0.height) }
            ?? performance.size(fitting: (1280, 720))
        configuration.size = WindowSize(width: size.0, height: size.1)
        configuration.isScaledToMonitor =
            options.window.hidpiWindowScale && options.window.size == nil
        configuration.refreshRate = options.window.displayFps
        configuration.swapInterval = options.window.vsync ? .vsync : .immediate
        try options.window.windowSystem.select()
        let window = try Window(configuration)
        if let remark = WindowSystem.remark { Console.note(remark) }
        let presenter = try Presenter(
            surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource(),
            ledger: ledger)
        self.presenter = presenter
        if let source { presenter.observe(live: source) }
        let panel = makePanel(effects, performance, in: window)
        (self.window, self.panel) = (window, panel)
        defer {
            (self.window, self.panel) = (nil, nil)
            presenter.invalidate()
            window.close()
        }
        if options.window.fullscreen { window.toggleFullscreen() }
        window.eventHandler = { [unowned self] event in handle(event, in: window, performance) }
        let live = LiveEffects { outcome in
            if let instance = outcome.instance { panel.show(outcome.error, of: instance) }
        }
        for effect in effects { live.watch(effect, format: options.effects.format) }
        defer { live.stop() }
        updateScene()
        presenter.isPaused = false
        while try continues(performance) {
            if isHidden {
                // Events, signals and reports of devices end the wait.
                MainLoop.shared.turn(waitingAtMost: remainingDuration)
                continue
            }
            if window.title != performance.title { window.title = performance.title }
            if panel.isVisible, HostClock.nanoseconds - panelTime > Self.panelInterval {
                updateScene()
            }
            MainLoop.shared.turn(waitingAtMost: 0.05)
        }
        try performance.finish(window.context.capabilities)
    }

    private func makePanel(
        _ effects: [EffectInstance], _ performance: any LivePerformance, in window: Window
    ) -> EffectPanel {
        let panel = EffectPanel(effects: effects)
        panel.settings = performance.settings
        panel.changeHandler = { [weak self] in self?.updateScene() }
        panel.visibilityHandler = { [weak self] isVisible in
            self?.presenter?.setMeasuresGPU(isVisible)
        }
        panel.copyHandler = { [weak window] line in
            window?.clipboard = line
            Console.note("copied: \(line)")
        }
        panel.picturePlace = { [weak self] point in
            guard let self, let window = self.window else { return nil }
            return performance.picturePlace(at: point, in: window.framebufferSize)
        }
        return panel
    }

    /// Sets the presenter's scene: what the performance shows, and the panel.
    func updateScene() {
        guard let presenter, let performance else { return }
        var scene = performance.scene { panel?.layers(for: $0) ?? [$0] }
        if let panel, let window {
            let size = window.framebufferSize
            scene.layers += panel.layers(
                width: size.width, height: size.height, scale: window.contentScale)
            panelTime = HostClock.nanoseconds
        }
        presenter.scene = scene
    }

    private func continues(_ performance: any LivePerformance) throws -> Bool {
        for problem in presenter?.takeProblems() ?? [] { problems.note(problem) }
        guard try performance.look() else { return false }
        if Interruption.isRequested || !isRunning { return false }
        if let frames = options.frames, ledger.presentedCount >= frames { return false }
        return remainingDuration.map { $0 > 0 } ?? true
    }

    /// The rest of `--duration`, in seconds; nil without this option.
    private var remainingDuration: Double? {
        guard let duration = options.duration?.time, let start else { return nil }
        return (start + duration - HostClock.shared.time).seconds
    }

    /// Stops drawing while the window is minimised, and closes devices that are not recorded.
    private func setHidden(_ isHidden: Bool, _ performance: any LivePerformance) {
        guard isHidden != self.isHidden else { return }
        self.isHidden = isHidden
        // There may be no frame from which the duration counts.
        begin()
        performance.setHidden(isHidden)
        presenter?.isPaused = isHidden
        if !isHidden { updateScene() }
    }

    private func handle(
        _ event: WindowEvent, in window: Window, _ performance: any LivePerformance
    ) {
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        if panel?.handle(event, pixelRatio: ratio) == true {
            updateScene()
            return
        }
        switch event {
        case .closeRequested: isRunning = false
        case .refreshNeeded: presenter?.setNeedsDisplay()
        case .framebufferResized, .contentScaleChanged: updateScene()
        case .iconifiedChanged(let isIconified): setHidden(isIconified, performance)
        case .key(let key) where key.action == .press:
            switch (key.key, key.name) {
            case (.escape, _):
                if window.isFullscreen { window.toggleFullscreen() } else { isRunning = false }
            case (_, "q"): isRunning = false
            case (_, "f"): window.toggleFullscreen()
            default: performance.press(key)
            }
        default: break
        }
    }

    // MARK: - Results

    /// Saves a screenshot of what is shown, with a new name.
    func saveScreenshot(of name: String) {
        guard let image = presenter?.image() else { return }
        do {
            let path = try screenshots.next(
                ScreenshotTemplate.Facts(file: name, time: .zero, date: time(nil)))
            try OutputFile.write(image, to: path)
            Console.note("\(path): saved")
        } catch {
            problems.note(error)
        }
    }

    /// Writes the image of `--screenshot`.
    func writeScreenshot(hasFrame: Bool) throws {
        guard let path = options.screenshot else { return }
        guard hasFrame, let image = presenter?.image() else {
            throw ToolError(.mediaFailure, "\(path): the device delivered no frame")
        }
        try OutputFile.write(image, to: path)
    }

    /// Ends a recording and reports its duration.
    func finish(_ movie: CaptureMovieFileOutput) throws {
        guard let path = options.capture.record, movie.isRecording else { return }
        let (duration, dropped) = (movie.recordedDuration, movie.droppedFrameCount)
        if let error = movie.complete() { throw error }
        Console.note(
            String(format: "%@: recorded %.2f s", path, duration.seconds)
                + (dropped > 0 ? ", \(dropped) frames dropped" : ""))
    }
}
