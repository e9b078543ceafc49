// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadCapture
import PlayheadUI

/// A camera with effects to choose from, photos with the effect, and recordings. Without a camera,
/// and in images, a computed one takes its place.
@main final class PhotoBooth: Demo {
    static let title = "PhotoBooth"

    private let stage: Stage
    private let session = CaptureSession()
    private let preview = CapturePreview()
    private let photo = CapturePhotoOutput()
    private let movie = CaptureMovieFileOutput()
    /// A second preview. When the demo draws an image without a window, photos are taken from it.
    private let still = CapturePreview()
    private let camera: CaptureDevice
    /// The computed camera, which delivers frames as long as it exists; nil with a real one.
    private let synthetic: SyntheticCamera?
    private let backdrop: EffectInstance
    private var looks: [Look] = []
    private var selected = 0
    private var shots: [Shot] = []
    private var sceneCount = 0
    private var recordingPath: String?
    /// The recordings that have been stopped, and whose files are not complete.
    private let incomplete = DispatchGroup()
    private var interruptions: ObservationToken?

    /// Effects under a name.
    private struct Look {
        var name: String
        var effects: [EffectInstance]
        var isKeyed = false
    }

    /// A photo, with the look that it was taken with.
    private struct Shot {
        var frame: PixelBuffer
        var look: Int
    }

    private static let names = [
        "plain", "chroma_key", "halftone", "kaleidoscope", "pixelate", "edges", "lens_distortion",
    ]

    init(stage: Stage) throws {
        self.stage = stage
        stage.sleepsWhileHidden = true
        let real = stage.options.isHeadless ? nil : try? CaptureDevice.defaultCamera()
        synthetic = real == nil ? SyntheticCamera(clock: stage.clock) : nil
        guard let camera = real ?? synthetic?.device else { preconditionFailure("no camera") }
        self.camera = camera
        backdrop = EffectInstance(try EffectLibrary.load("gradient"))
        for name in Self.names {
            let isPlain = name == "plain"
            looks.append(
                Look(
                    name: name.replacing("_", with: " "),
                    effects: isPlain ? [] : [EffectInstance(try EffectLibrary.load(name))],
                    isKeyed: name == "chroma_key"))
        }
        try session.addInput(CaptureDeviceInput(device: camera))
        for output in [preview, photo, movie, still] { try session.addOutput(output) }
        preview.connection?.isVideoMirrored = synthetic == nil
        interruptions = session.observe(on: .main) { [weak self] event in
            MainActor.assumeIsolated { self?.note(event) }
        }
        try session.startRunning()
        if stage.options.isHeadless { selected = 2 }
        showState()
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        if case .iconifiedChanged(let isIconified) = event { setHidden(isIconified) }
        if case .closeRequested = event { completeRecordings() }
        guard case .key(let key) = event, key.action == .press else { return }
        if PlayerWindow.quits(key) { return completeRecordings() }
        switch key.shortcutKey {
        case .right: select(selected + 1)
        case .left: select(selected - 1)
        case .space: takePhoto()
        case Key("m"): preview.connection?.isVideoMirrored.toggle()
        case Key("r"): toggleRecording()
        default: break
        }
    }

    /// Closes the camera while the window is minimised, unless it is recorded. Its light is then
    /// off, and other programs can use it.
    private func setHidden(_ isHidden: Bool) {
        session.beginConfiguration()
        for output in [preview, photo, still] { output.connection?.isEnabled = !isHidden }
        movie.connection?.isEnabled = !isHidden || recordingPath != nil
        do {
            try session.commitConfiguration()
        } catch {
            stage.title = "PhotoBooth – \(error)"
        }
    }

    /// Shows why there is no new frame, such as a camera that another program uses.
    private func note(_ event: CaptureSession.Event) {
        switch event {
        case .wasInterrupted(let error), .deviceStalled(let error), .runtimeError(let error):
            stage.title = "PhotoBooth – \(error)"
        case .interruptionEnded, .deviceResumed: showState()
        case .didStart, .didStop: break
        }
    }

    private func select(_ index: Int) {
        selected = (index + looks.count) % looks.count
        showState()
    }

    private func showState() {
        stage.title =
            "PhotoBooth – \(camera.localizedName), \(looks[selected].name)"
            + (recordingPath == nil ? "" : ", recording")
    }

    // MARK: Photos

    private func takePhoto() {
        Task {
            do {
                let frame = try await photo.capturePhoto()
                add(Shot(frame: frame.pixelBuffer, look: selected))
            } catch {
                stage.title = "PhotoBooth – \(error)"
            }
        }
    }

    private func add(_ shot: Shot) {
        shots = shots.suffix(3) + [shot]
        guard !stage.options.isHeadless else { return }
        do {
            let path = Self.freePath("png")
            try ImageFile.writePNG(try draw(shot), to: path)
            stage.title = "PhotoBooth – saved \(path)"
        } catch {
            stage.title = "PhotoBooth – \(error)"
        }
    }

    /// Draws a photo at the size of its frame.
    private func draw(_ shot: Shot) throws -> RGBAImage {
        let surface = try OffscreenSurface(width: shot.frame.width, height: shot.frame.height)
        try surface.context.makeCurrent()
        defer { surface.context.clearCurrent() }
        let renderer = VideoRenderer(context: surface.context)
        guard let target = try surface.nextTarget() else { throw PhotoError.noTarget }
        let layers = layers(.image(shot.frame), look: shot.look, in: .whole)
        _ = renderer.render(Scene(layers: layers), hostTime: stage.time, into: target)
        guard let image = surface.readPixels() else { throw PhotoError.noTarget }
        return image
    }

    private enum PhotoError: Error, CustomStringConvertible {
        case noTarget

        var description: String { "the photo could not be drawn" }
    }

    /// Returns the first name in the current folder that no file has.
    private static func freePath(_ pathExtension: String) -> String {
        var number = 1
        while FileManager.default.fileExists(atPath: "photo-booth-\(number).\(pathExtension)") {
            number += 1
        }
        return "photo-booth-\(number).\(pathExtension)"
    }

    // MARK: Recording

    /// Records what the camera sees, without effects.
    private func toggleRecording() {
        if let path = recordingPath { return stopRecording(path) }
        do {
            let path = Self.freePath("mkv")
            try movie.startRecording(to: path)
            recordingPath = path
            showState()
        } catch {
            stage.title = "PhotoBooth – \(error)"
        }
    }

    private func stopRecording(_ path: String) {
        recordingPath = nil
        showState()
        incomplete.enter()
        Task.detached { [weak self, movie, incomplete] in
            let result: String
            do {
                try await movie.stopRecording()
                result = "saved \(path)"
            } catch {
                result = "\(error)"
            }
            incomplete.leave()
            await self?.show(result)
        }
    }

    private func show(_ result: String) { stage.title = "PhotoBooth – \(result)" }

    /// Waits for the files of recordings before the demo ends. They would keep temporary names.
    private func completeRecordings() {
        if let path = recordingPath { stopRecording(path) }
        incomplete.wait()
    }

    // MARK: Drawing

    var isReady: Bool { stage.options.isHeadless || preview.receivedFrameCount > 0 }

    func scene() -> Scene {
        sceneCount += 1
        if stage.options.isHeadless, sceneCount % 12 == 0 { poseForImage() }
        let strip = 0.2 * stage.height
        let frame = LayerRect(x: 0, y: 0, width: stage.width, height: stage.height - strip)
        var layers = layers(.video(preview), look: selected, in: .pixels(frame))
        layers += thumbnails(in: strip)
        if recordingPath != nil {
            layers.append(
                stage.box(
                    LayerRect(x: 20, y: 20, width: 18, height: 18),
                    color: SIMD4(0.9, 0.15, 0.15, 1), cornerRadius: 9))
        }
        layers.append(
            stage.text(
                looks[selected].name, size: 20,
                at: SIMD2(stage.width / 2, frame.height - 40), align: .center, isBold: true))
        return Scene(layers: layers)
    }

    /// Takes a photo with each look in turn.
    private func poseForImage() {
        let time = still.itemTime(forHostTime: stage.time)
        guard let (frame, _) = still.copyPixelBuffer(forItemTime: time) else { return }
        add(Shot(frame: frame, look: 1 + shots.count % (looks.count - 1)))
    }

    /// The camera or a photo with a look, over the backdrop if a colour is keyed out.
    private func layers(_ content: Layer.Content, look: Int, in frame: LayerFrame) -> [Layer] {
        var layers: [Layer] = []
        if looks[look].isKeyed { layers.append(Layer(.generator(backdrop), frame: frame)) }
        layers.append(Layer(content, frame: frame, effects: looks[look].effects))
        return layers
    }

    private func thumbnails(in strip: Double) -> [Layer] {
        let (height, gap) = (strip * 0.8, strip * 0.1)
        return shots.enumerated().flatMap { index, shot -> [Layer] in
            let width = height * Double(shot.frame.width) / Double(shot.frame.height)
            let rect = LayerRect(
                x: gap + Double(index) * (width + gap), y: stage.height - strip + gap, width: width,
                height: height)
            return layers(.image(shot.frame), look: shot.look, in: .pixels(rect))
        }
    }
}
