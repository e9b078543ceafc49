// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadCapture
import PlayheadUI

/// `play camera:…`: shows a camera in a window, or runs without a window, and records the camera.
@MainActor final class CameraPlayback {
    private let options: PlayOptions
    private let camera: CameraArgument
    private let effects: [EffectInstance]
    private let problems = ProblemLog()
    private let session = CaptureSession()
    private let input: CaptureDeviceInput
    private let preview = CapturePreview()
    private let movie = CaptureMovieFileOutput()
    private let ledger = FrameLedger()
    private var screenshots: ScreenshotNames
    private var isRunning = true
    /// The error that ended the session, or the recording.
    private var failure: CaptureError?
    private var tokens: [ObservationToken] = []

    /// Opens the camera.
    init(_ options: PlayOptions) throws {
        self.options = options
        try Self.check(options)
        camera = try CameraArgument(options.files[0])
        effects = try options.effects.load()
        screenshots = ScreenshotNames(options)
        let device = try camera.device()
        input = CaptureDeviceInput(device: device)
        try session.addInput(input)
        try session.addOutput(preview)
        preview.connection?.isVideoMirrored = options.capture.mirror
        if let path = options.capture.record {
            try session.addOutput(movie)
            try movie.startRecording(to: path)
        }
    }

    /// Throws an error for options that a camera does not support.
    private static func check(_ options: PlayOptions) throws {
        guard options.files.count == 1 else {
            throw ToolError(
                .wrongUsage,
                "\(options.files[0]): a camera cannot play with other files; remove them")
        }
        let refused = [
            ("--start", options.start != nil), ("--speed", options.speed != 1),
            ("--ab-loop", options.abLoop != nil), ("--loop", options.loop),
            ("--loop-playlist", options.loopPlaylist), ("--shuffle", options.shuffle),
            ("--untimed", options.untimed), ("--transition", options.transition.name != nil),
            ("--save-position", options.savePosition), ("--pause", options.window.pause),
            ("--ipc", options.window.ipc != nil),
        ]
        if let (name, _) = refused.first(where: \.1) {
            throw ToolError(.wrongUsage, "\(name) cannot be combined with a camera; remove it")
        }
        guard let path = options.capture.record else { return }
        try OutputFile.checkMovie(path)
        if FileManager.default.fileExists(atPath: path) {
            throw ToolError(
                .mediaFailure, "\(path): the file already exists; record into a new one")
        }
    }

    func run() throws {
        tokens = [
            session.observe(on: .main) { [weak self] event in
                MainActor.assumeIsolated { self?.note(event) }
            },
            movie.observe(on: .main) { [weak self] event in
                MainActor.assumeIsolated { self?.note(event) }
            },
        ]
        defer { for token in tokens { token.cancel() } }
        try session.startRunning()
        defer { session.stopRunning() }
        noteAgreement()
        ledger.recordStart(hostTime: HostClock.shared.time)
        Interruption.watch()
        if options.headless { try runHeadless() } else { try runInWindow() }
        try problems.throwStatus()
    }

    /// Reports a size or rate that the driver has changed.
    private func noteAgreement() {
        guard let agreed = input.statistics.configuration else { return }
        let (wish, format) = (camera.choice, agreed.format)
        if let width = wish.width, let height = wish.height,
            (width, height) != (format.width, format.height)
        {
            problems.remark(
                "\(camera.text): the driver delivers \(format.width)x\(format.height) instead of "
                    + "\(width)x\(height)")
        }
        if let rate = wish.framesPerSecond, agreed.frameDuration.isNumeric,
            abs(rate * agreed.frameDuration.seconds - 1) > 0.01
        {
            problems.remark(
                "\(camera.text): the driver delivers \(CaptureFormat.rate(agreed.frameDuration)) "
                    + "fps instead of \(rate)")
        }
    }

    // MARK: - Events

    private func note(_ event: CaptureSession.Event) {
        switch event {
        case .deviceStalled(let error), .wasInterrupted(let error):
            Console.note(error.description)
        case .deviceResumed, .interruptionEnded:
            Console.note("\(input.device.localizedName): delivers frames again")
        case .runtimeError(let error):
            failure = error
            isRunning = false
        case .didStart, .didStop: break
        }
        isLive = session.interruption == nil && !input.statistics.isStalled
    }

    private func note(_ event: CaptureMovieFileOutput.Event) {
        guard case .didFinish(_, let error?) = event else { return }
        failure = error
        isRunning = false
    }

    /// A Boolean value that indicates whether frames arrive.
    private var isLive = true {
        didSet { if isLive != oldValue { updateScene() } }
    }

    // MARK: - Showing

    private var presenter: Presenter?

    private func updateScene() {
        // A frame that is no longer live is dimmed.
        let layer = Layer(.video(preview), opacity: isLive ? 1 : 0.3, effects: effects)
        presenter?.scene = Scene(
            background: effects.isEmpty || !isLive ? .black : .checkerboard(), layers: [layer])
    }

    /// Returns the size of the frames, reduced to fit a limit.
    private func size(fitting limit: (width: Double, height: Double)) -> (width: Int, height: Int) {
        let format = input.statistics.configuration?.format
        let (width, height) = (Double(format?.width ?? 640), Double(format?.height ?? 480))
        let scale = min(1, limit.width / width, limit.height / height)
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }

    /// Performs the work between two events. Returns whether the run continues.
    private func look() throws -> Bool {
        for problem in presenter?.takeProblems() ?? [] { problems.note(problem) }
        if let failure {
            self.failure = nil
            if failure.code == .limitReached { return false }
            throw failure
        }
        if Interruption.isRequested || !isRunning { return false }
        if let frames = options.frames, ledger.presentedCount >= frames { return false }
        if let duration = options.duration?.time, let start,
            HostClock.shared.time - start >= duration
        {
            return false
        }
        if start == nil, preview.receivedFrameCount > 0 { start = HostClock.shared.time }
        return true
    }

    /// The time of the first frame.
    private var start: MediaTime?

    private func runHeadless() throws {
        let size = options.window.size.map { ($0.width, $0.height) } ?? size(fitting: (1920, 1080))
        let surface = try OffscreenSurface(width: size.0, height: size.1)
        let rate = MediaTime(
            value: 1000, timescale: Int32((options.fps * 1000).rounded()))
        let presenter = try Presenter(
            surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(period: rate)),
            ledger: ledger)
        self.presenter = presenter
        presenter.observe(live: preview)
        defer { presenter.invalidate() }
        updateScene()
        presenter.isPaused = false
        while try look() { MainLoop.shared.turn(waitingAtMost: 0.005) }
        try finish(surface.context.capabilities)
    }

    private func runInWindow() throws {
        var configuration = WindowConfiguration(title: title)
        let size = options.window.size.map { ($0.width, $0.height) } ?? size(fitting: (1280, 720))
        configuration.size = WindowSize(width: size.0, height: size.1)
        configuration.isScaledToMonitor =
            options.window.hidpiWindowScale && options.window.size == nil
        configuration.refreshRate = options.window.displayFps
        configuration.swapInterval = options.window.vsync ? .vsync : .immediate
        let window = try Window(configuration)
        let presenter = try Presenter(
            surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource(),
            ledger: ledger)
        self.presenter = presenter
        presenter.observe(live: preview)
        defer {
            presenter.invalidate()
            window.close()
        }
        if options.window.fullscreen { window.toggleFullscreen() }
        window.eventHandler = { [unowned self] event in handle(event, in: window) }
        let live = LiveEffects { [weak presenter] _ in presenter?.setNeedsDisplay() }
        for effect in effects { live.watch(effect, format: options.effects.format) }
        defer { live.stop() }
        updateScene()
        presenter.isPaused = false
        while try look() {
            if window.title != title { window.title = title }
            MainLoop.shared.turn(waitingAtMost: 0.05)
        }
        try finish(window.context.capabilities)
    }

    /// The name of the camera, and the size and rate of the frames.
    private var title: String {
        let statistics = input.statistics
        var title = input.device.localizedName
        if let format = statistics.configuration?.format {
            title += " - \(format.width) x \(format.height)"
        }
        if !isLive { return title + ", no frames" }
        if let rate = statistics.framesPerSecond { title += String(format: ", %.1f fps", rate) }
        if movie.isRecording { title += movie.isRecordingPaused ? ", paused" : ", recording" }
        return title
    }

    private func handle(_ event: WindowEvent, in window: Window) {
        switch event {
        case .closeRequested: isRunning = false
        case .refreshNeeded: presenter?.setNeedsDisplay()
        case .key(let key) where key.action == .press: press(key, in: window)
        default: break
        }
    }

    private func press(_ key: KeyEvent, in window: Window) {
        if key.key == .escape {
            if window.isFullscreen { window.toggleFullscreen() } else { isRunning = false }
            return
        }
        switch key.name {
        case "q": isRunning = false
        case "f": window.toggleFullscreen()
        case "m": preview.connection?.isVideoMirrored.toggle()
        case "p", " ":
            if movie.isRecordingPaused { movie.resumeRecording() } else { movie.pauseRecording() }
        case "s": saveScreenshot()
        default: break
        }
    }

    private func saveScreenshot() {
        guard let image = presenter?.image() else { return }
        do {
            let path = try screenshots.next(
                ScreenshotTemplate.Facts(
                    file: input.device.localizedName, time: .zero, date: time(nil)))
            try OutputFile.write(image, to: path)
            Console.note("\(path): saved")
        } catch {
            problems.note(error)
        }
    }

    // MARK: - Results

    private func finish(_ capabilities: GLCapabilities) throws {
        presenter?.isPaused = true
        if let path = options.capture.record, movie.isRecording {
            let (duration, dropped) = (movie.recordedDuration, movie.droppedFrameCount)
            if let error = movie.stopRecordingAndWait() { throw error }
            Console.note(
                String(format: "%@: recorded %.2f s", path, duration.seconds)
                    + (dropped > 0 ? ", \(dropped) frames dropped" : ""))
        }
        if let path = options.screenshot {
            guard preview.receivedFrameCount > 0, let image = presenter?.image() else {
                throw ToolError(.mediaFailure, "\(path): no frame has arrived")
            }
            try OutputFile.write(image, to: path)
        }
        var played = PlaybackTotals()
        played.begin(camera.text)
        let report = PlayReport(
            films: played, frames: ledger.statistics, capabilities: capabilities,
            renderer: presenter?.rendererState())
        if let path = options.statsJson { try report.write(to: path) }
        let statistics = input.statistics
        Console.note(
            "\(report.line); camera: \(statistics.frameCount) frames, \(statistics.lostFrameCount) "
                + "lost, \(statistics.damagedFrameCount) damaged, \(statistics.lateFrameCount) late"
        )
    }
}
