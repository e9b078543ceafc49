// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadScreens
import PlayheadUI
import Synchronization
import Testing

// The code of Documentation/Capture.md; a test compares the two.

private struct UsingCameras {
    // document begins
    struct Booth {
        let session = CaptureSession()
        let preview = CapturePreview()
        let photo = CapturePhotoOutput()
        let movie = CaptureMovieFileOutput()

        init(camera: CaptureDevice, microphone: CaptureDevice? = nil) throws {
            try session.addInput(CaptureDeviceInput(device: camera))
            if let microphone { try session.addInput(CaptureDeviceInput(device: microphone)) }
            for output in [preview, photo, movie] { try session.addOutput(output) }
        }

        /// Starts a recording, or ends the current one.
        func toggleRecording(to path: String) async throws {
            if movie.isRecording {
                try await movie.stopRecording()
            } else {
                try movie.startRecording(to: path, replacesExistingFile: true)
            }
        }

        /// Saves the next frame of the camera with an effect, drawn by the presenter of a window.
        func takePhoto(
            with effect: EffectInstance, drawnBy presenter: Presenter, to path: String
        ) async throws {
            let frame = try await photo.capturePhoto().pixelBuffer
            let scene = Scene(layers: [Layer(.image(frame), effects: [effect])])
            guard let image = presenter.image(of: scene, width: frame.width, height: frame.height)
            else { return }
            try ImageFile.writePNG(image, to: path)
        }
    }

    struct Viewer {
        @MainActor static func main() throws {
            let camera = (try? CaptureDevice.defaultCamera()) ?? SyntheticCamera().device
            let booth = try Booth(camera: camera)
            booth.preview.connection?.isVideoMirrored = true
            let window = try Window(WindowConfiguration(title: camera.localizedName))
            let presenter = try Presenter(
                surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource())
            let effect = EffectInstance(try EffectLibrary.load("vignette"))
            presenter.scene = Scene(layers: [Layer(.video(booth.preview), effects: [effect])])
            presenter.isPaused = false
            window.eventHandler = { event in
                switch event {
                case .framebufferResized: presenter.surfaceDidResize()
                case .key(let key) where key.action == .press:
                    Task {
                        do {
                            switch key.name {
                            case "p":
                                try await booth.takePhoto(
                                    with: effect, drawnBy: presenter, to: "photo.png")
                            case "r": try await booth.toggleRecording(to: "video.mkv")
                            default: break
                            }
                        } catch {
                            print(error)
                        }
                    }
                case .closeRequested:
                    Task {
                        defer { MainLoop.shared.stop() }
                        if booth.movie.isRecording { try await booth.movie.stopRecording() }
                    }
                default: break
                }
            }
            try booth.session.startRunning()
            MainLoop.shared.run()
            booth.session.stopRunning()
            presenter.invalidate()
            window.close()
        }
    }
    // document ends

    // document begins
    /// Lists the cameras and their formats, and returns the one with a name.
    func camera(_ name: String) throws -> CaptureDevice {
        for camera in CaptureDiscoverySession.cameras.devices {
            print(camera.uniqueID, camera.localizedName)
            for format in try camera.loadFormats() { print("  \(format)") }
        }
        let camera = try CaptureDiscoverySession.cameras.device(name)
        try camera.configure { configuration in
            configuration.frameDuration = MediaTime(value: 1, timescale: 30)
        }
        return camera
    }
    // document ends

    // document begins
    /// Records until `end` returns, for example after `Task.sleep(for: .seconds(10))`.
    func record(
        _ booth: Booth, to path: String, until end: @Sendable () async throws -> Void
    ) async throws {
        try booth.movie.startRecording(to: path)
        try await end()
        try await booth.movie.stopRecording()
        print(booth.movie.droppedFrameCount, "frames dropped")
    }
    // document ends

    // document begins
    /// Records a screen, and the audio that the default output plays, until `end` returns.
    func recordScreen(
        to path: String, until end: @Sendable () async throws -> Void
    ) async throws {
        let session = CaptureSession()
        let movie = CaptureMovieFileOutput()
        try session.addInput(CaptureDeviceInput(device: .screen()))
        if let output = try? PulseAudioDevice.all().first(where: \.isDefault) {
            let monitor = try CaptureDiscoverySession.microphones.device(output.name + ".monitor")
            try session.addInput(CaptureDeviceInput(device: monitor))
        }
        try session.addOutput(movie)
        try movie.startRecording(to: path)  // from the first frame of the session on
        try session.startRunning()
        try await end()
        try await movie.stopRecording()
        session.stopRunning()
    }
    // document ends

    // document begins
    final class Detector: CaptureVideoDataOutputDelegate {
        func captureOutput(
            _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
            from connection: CaptureConnection
        ) {
            let buffer = frame.pixelBuffer
            print(frame.presentationTime.seconds, buffer.format, buffer.width, buffer.height)
        }
    }

    /// Retain the detector, because the output does not.
    func detect(with detector: Detector, in session: CaptureSession) throws {
        let output = CaptureVideoDataOutput()
        output.setDelegate(detector)
        try session.addOutput(output)
    }
    // document ends

    // document begins
    /// Reports interruptions until the token is cancelled or released.
    func reportInterruptions(
        of session: CaptureSession, to report: @escaping @Sendable (String) -> Void
    ) -> ObservationToken {
        session.observe { event in
            switch event {
            case .wasInterrupted(let error): report("waiting: \(error)")
            case .interruptionEnded, .deviceResumed: report("frames arrive again")
            case .deviceStalled(let error): report("no frames: \(error)")
            case .runtimeError(let error): report("stopped: \(error)")
            case .didStart, .didStop: break
            }
        }
    }
    // document ends
}

/// The code of the guide, run with a simulated camera and without a window.
@Suite @MainActor struct UsingCamerasTests {
    private let guide = UsingCameras()

    private final class Reports: Sendable {
        let texts = Mutex<[String]>([])
    }

    @Test func `a camera is shown, photographed and recorded without hardware`() async throws {
        let folder = TemporaryFolder()
        let (movie, picture) = (folder.appending("out.mkv"), folder.appending("photo.png"))
        let other = folder.appending("other.mkv").path
        let booth = try UsingCameras.Booth(
            camera: SyntheticCamera().device, microphone: SyntheticMicrophone().device)
        let detector = UsingCameras.Detector()
        try guide.detect(with: detector, in: booth.session)
        try booth.session.startRunning()
        let isShown = await eventually { booth.preview.receivedFrameCount > 0 }
        #expect(isShown)

        let presenter = try Presenter(
            surface: OffscreenSurface(width: 64, height: 36),
            vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)))
        let effect = EffectInstance(try EffectLibrary.load("vignette"))
        try await booth.takePhoto(with: effect, drawnBy: presenter, to: picture.path)
        let image = try TestImage(contentsOf: picture)
        #expect(image.width == 640 && image.height == 360)
        presenter.invalidate()

        try await guide.record(booth, to: movie.path) {
            let isRecorded = await eventually { booth.movie.recordedDuration.seconds > 0.2 }
            #expect(isRecorded)
        }
        try await booth.toggleRecording(to: other)
        let isRecordedAgain = await eventually { booth.movie.recordedDuration.seconds > 0.2 }
        #expect(isRecordedAgain && booth.movie.isRecording)
        try await booth.toggleRecording(to: other)
        booth.session.stopRunning()
        for path in [movie.path, other] {
            let tracks = try await URLAsset(path).load(.tracks)
            #expect(Set(tracks.map(\.mediaType)) == [.video, .audio])
        }
        withExtendedLifetime(detector) {}
    }

    @Test func `an unplugged camera interrupts the session until it is back`() async throws {
        let camera = SyntheticCamera()
        let booth = try UsingCameras.Booth(camera: camera.device)
        let reports = Reports()
        let token = guide.reportInterruptions(of: booth.session) { text in
            reports.texts.withLock { $0.append(text) }
        }
        try booth.session.startRunning()
        camera.disconnect()
        let isInterrupted = await eventually {
            reports.texts.withLock { $0.contains { $0.hasPrefix("waiting: Synthetic Camera: ") } }
        }
        #expect(isInterrupted)
        camera.reconnect()
        let hasEnded = await eventually {
            reports.texts.withLock { $0.contains("frames arrive again") }
        }
        #expect(hasEnded && booth.session.isRunning)
        booth.session.stopRunning()
        token.cancel()
    }

    @Test func `a camera that is not connected is an error with the names of the others`() {
        let error = #expect(throws: CaptureError.self) { try guide.camera("no such camera") }
        #expect(error?.code == .noSuchDevice)
    }
}
