// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadCapture
import PlayheadUI

/// `play camera:…`, `screen:…` or `window:…`: shows a camera, a screen or the window of another
/// program, in a window or off screen. The video can be recorded, with the audio of a microphone.
@MainActor final class CameraPlayback: LivePerformance {
    private let stage: LiveStage
    private let options: PlayOptions
    private let camera: LiveVideoArgument
    private let effects: [EffectInstance]
    private let capture: LiveCapture
    private let input: CaptureDeviceInput
    private let preview = CapturePreview()
    private let controls: CameraControls?
    private let checkerboard = Scene.Background.checkerboard()
    /// The output that measures the microphone's levels; nil without one.
    private var sound: CaptureAudioDataOutput?
    /// The name of the device that was last reported as stalled or gone.
    private var troubled = ""

    /// Opens the camera, and the microphone if there is one.
    init(_ options: PlayOptions) throws {
        self.options = options
        stage = LiveStage(options)
        capture = LiveCapture(stage)
        let cameras = options.files.filter(LiveVideoArgument.isOne)
        let microphones = options.files.filter(MicrophoneArgument.isMicrophone)
        let noun = LiveVideoArgument.noun(cameras[0])
        guard cameras.count == 1, microphones.count <= 1,
            options.files.count == cameras.count + microphones.count
        else {
            throw ToolError(
                .wrongUsage,
                "\(options.files[0]): a \(noun) can be combined only with one microphone; "
                    + "remove the other files")
        }
        try LiveStage.check(options, noun)
        camera = try LiveVideoArgument(cameras[0])
        effects = try options.effects.load()
        let device = try camera.device()
        input = CaptureDeviceInput(device: device)
        controls =
            if case .camera(let camera) = camera { CameraControls(camera, device) } else { nil }
        try capture.session.addInput(input)
        try capture.session.addOutput(preview)
        preview.connection?.isVideoMirrored = options.capture.mirror
        if let name = microphones.first {
            try capture.session.addInput(
                CaptureDeviceInput(device: try MicrophoneArgument(name).device()))
            let sound = CaptureAudioDataOutput()
            try capture.session.addOutput(sound)
            self.sound = sound
        }
        try capture.startRecording()
    }

    func run() throws {
        try capture.run(
            self, showing: preview, effects: effects,
            onStart: { [unowned self] in noteAgreement() },
            onEvent: { [weak self] in self?.note($0) })
    }

    /// Reports a size or a rate that the driver has changed.
    private func noteAgreement() {
        guard let agreed = input.statistics.configuration else { return }
        let (wish, format) = (camera.choice, agreed.format)
        if let width = wish.width, let height = wish.height,
            (width, height) != (format.width, format.height)
        {
            stage.problems.remark(
                "\(camera.text): the driver delivers \(format.width)x\(format.height) instead of "
                    + "\(width)x\(height)")
        }
        if let rate = wish.framesPerSecond, agreed.frameDuration.isNumeric,
            abs(rate * agreed.frameDuration.seconds - 1) > 0.01
        {
            stage.problems.remark(
                "\(camera.text): the driver delivers \(CaptureFormat.rate(agreed.frameDuration)) "
                    + "fps instead of \(rate)")
        }
    }

    // MARK: - Events

    private func note(_ event: CaptureSession.Event) {
        switch event {
        case .deviceStalled(let error), .wasInterrupted(let error): troubled = error.subject
        case .deviceResumed, .interruptionEnded:
            let noun = troubled == input.device.localizedName ? "frames" : "audio"
            Console.note("\(troubled): delivers \(noun) again")
        case .runtimeError, .didStart, .didStop: break
        }
        updateLiveness()
    }

    /// The number of frames that had arrived when the window was last hidden; nil after another
    /// one.
    private var hiddenFrameCount: Int?

    private func updateLiveness() {
        isLive =
            capture.session.interruption?.subject != input.device.localizedName
            && !input.statistics.isStalled && hiddenFrameCount == nil
    }

    /// Closes the camera and the microphone unless they are recorded. Until the camera delivers
    /// again, its last frame is old.
    func setHidden(_ isHidden: Bool) {
        if isHidden { hiddenFrameCount = preview.receivedFrameCount }
        // A screen that the user has selected stays open, because it would be asked for again.
        preview.connection?.isEnabled = !isHidden || input.device.asksUser
        sound?.connection?.isEnabled = !isHidden
        updateLiveness()
    }

    /// A Boolean value that indicates whether frames arrive.
    private var isLive = true {
        didSet { if isLive != oldValue { stage.updateScene() } }
    }

    // MARK: - Showing

    var settings: (any PanelSettings)? { controls }

    func scene(_ arrange: (Layer) -> [Layer]) -> Scene {
        // A frame that is no longer live is dimmed.
        let layer = Layer(.video(preview), opacity: isLive ? 1 : 0.3, effects: effects)
        return Scene(
            background: effects.isEmpty || !isLive ? .black : checkerboard,
            layers: arrange(layer))
    }

    func picturePlace(at point: SIMD2<Double>, in size: WindowSize) -> SIMD2<Double>? {
        guard let format = input.statistics.configuration?.format, format.width > 0,
            format.height > 0, size.width > 0, size.height > 0
        else { return nil }
        let picture = SIMD2(Double(format.width), Double(format.height))
        let whole = SIMD2(Double(size.width), Double(size.height))
        let shown = picture * (whole / picture).min()
        return (point - (whole - shown) / 2) / shown
    }

    /// Returns the size of the frames, reduced to fit a limit.
    func size(fitting limit: (width: Double, height: Double)) -> (width: Int, height: Int) {
        let format = input.statistics.configuration?.format
        let (width, height) = (Double(format?.width ?? 640), Double(format?.height ?? 480))
        let scale = min(1, limit.width / width, limit.height / height)
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }

    func look() throws -> Bool {
        guard try capture.continues() else { return false }
        let count = preview.receivedFrameCount
        if count > 0 { stage.begin() }
        if let hidden = hiddenFrameCount, count > hidden {
            hiddenFrameCount = nil
            updateLiveness()
        }
        return true
    }

    /// The name, and the size and the rate at which frames arrive.
    var title: String {
        let statistics = input.statistics
        var title = input.device.localizedName
        if let format = statistics.configuration?.format {
            title += " - \(format.width) x \(format.height)"
        }
        if !isLive { return title + ", no frames" }
        if let rate = statistics.framesPerSecond { title += String(format: ", %.1f fps", rate) }
        if let sound { title += ", " + MicrophonePlayback.level(of: sound.connection) }
        return title + capture.title
    }

    func press(_ key: KeyEvent) {
        switch key.name {
        case "m": preview.connection?.isVideoMirrored.toggle()
        case "p", " ": capture.toggleRecording()
        case "s": stage.saveScreenshot(of: input.device.localizedName)
        default: break
        }
    }

    // MARK: - Results

    func finish(_ capabilities: GLCapabilities) throws {
        let presenter = stage.presenter
        presenter?.isPaused = true
        try stage.finish(capture.movie)
        try stage.writeScreenshot(hasFrame: preview.receivedFrameCount > 0)
        var played = PlaybackTotals()
        played.begin(camera.text)
        let report = PlayReport(
            films: played, frames: stage.ledger.statistics, capabilities: capabilities,
            renderer: presenter?.rendererState())
        if let path = options.statsJson { try report.write(to: path) }
        let (statistics, noun) = (input.statistics, LiveVideoArgument.noun(camera.text))
        Console.note(
            "\(report.line); \(noun): \(statistics.frameCount) frames, "
                + "\(statistics.lostFrameCount) lost, \(statistics.damagedFrameCount) damaged, "
                + "\(statistics.lateFrameCount) late")
    }
}
