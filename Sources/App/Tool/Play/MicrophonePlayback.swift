// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadCapture
import PlayheadUI

/// `play microphone:…`: shows the levels of a microphone or a monitor, and records it.
///
/// The audio is not played, because the microphone would pick it up again.
@MainActor final class MicrophonePlayback: LivePerformance {
    private let stage: LiveStage
    private let options: PlayOptions
    private let capture: LiveCapture
    private let input: CaptureDeviceInput
    private let sound = CaptureAudioDataOutput()
    private var loudest: Float = -.infinity
    private var drawnLevels: [[Float]] = []

    /// Opens the microphone.
    init(_ options: PlayOptions) throws {
        self.options = options
        stage = LiveStage(options)
        capture = LiveCapture(stage)
        guard options.files.count == 1 else {
            throw ToolError(
                .wrongUsage,
                "\(options.files[0]): a microphone can be combined only with one camera; "
                    + "remove the other files")
        }
        try LiveStage.check(options, "microphone")
        guard options.effects.names.isEmpty else {
            throw ToolError(
                .wrongUsage, "--effect cannot be combined with a microphone; remove --effect")
        }
        input = CaptureDeviceInput(device: try MicrophoneArgument(options.files[0]).device())
        try capture.session.addInput(input)
        try capture.session.addOutput(sound)
        try capture.startRecording()
        isMuted = options.sound.mute
    }

    private var isMuted = false {
        didSet { capture.movie.connection(with: .audio)?.isAudioMuted = isMuted }
    }

    func run() throws {
        try capture.run(self) { [weak self] in self?.note($0) }
    }

    private func note(_ event: CaptureSession.Event) {
        switch event {
        case .deviceResumed, .interruptionEnded:
            Console.note("\(input.device.localizedName): delivers audio again")
        default: break
        }
    }

    // MARK: - Showing

    func size(fitting limit: (width: Double, height: Double)) -> (width: Int, height: Int) {
        (480, 60 + 40 * max(1, sound.connection?.audioChannels.count ?? 1))
    }

    func look() throws -> Bool {
        guard try capture.continues() else { return false }
        if input.statistics.audioFrameCount > 0 { stage.begin() }
        let channels = sound.connection?.audioChannels ?? []
        loudest = max(loudest, channels.map(\.peakHoldLevel).max() ?? -.infinity)
        let levels = channels.map { [$0.averagePowerLevel.rounded(), $0.peakHoldLevel.rounded()] }
        if levels != drawnLevels {
            drawnLevels = levels
            stage.updateScene()
        }
        return true
    }

    /// The level at which a bar has no length, in decibels.
    private static let floor: Float = -60

    /// Returns the position of a level on the meter, from 0 to 1.
    private static func place(_ level: Float) -> Double {
        level.isFinite ? Double(max(0, min(1, 1 - level / floor))) : 0
    }

    var settings: (any PanelSettings)? { nil }

    func picturePlace(at point: SIMD2<Double>, in size: WindowSize) -> SIMD2<Double>? { nil }

    /// The levels as bars: the mean power, and the peak as a line.
    func scene(_ arrange: (Layer) -> [Layer]) -> Scene {
        var layers: [Layer] = []
        let count = max(1, drawnLevels.count)
        let height = 0.8 / Double(count)
        for (index, levels) in drawnLevels.enumerated() {
            let top = 0.1 + Double(index) * height
            func bar(_ from: Double, _ to: Double, _ color: SIMD4<Float>) {
                guard to > from else { return }
                layers.append(
                    Layer(
                        .color(color),
                        frame: .fraction(
                            LayerRect(
                                x: 0.05 + 0.9 * from, y: top, width: 0.9 * (to - from),
                                height: height * 0.8))))
            }
            bar(0, 1, SIMD4(0.15, 0.15, 0.15, 1))
            // Green up to -18 dB, the alignment level of EBU R 68, and red above -6 dB.
            let edges = [0, Self.place(-18), Self.place(-6), 1]
            let colors: [SIMD4<Float>] = [
                SIMD4(0.2, 0.7, 0.3, 1), SIMD4(0.85, 0.7, 0.2, 1), SIMD4(0.85, 0.25, 0.2, 1),
            ]
            let end = Self.place(levels[0])
            for (part, color) in colors.enumerated() {
                bar(
                    edges[part], min(end, edges[part + 1]),
                    isMuted ? SIMD4(0.4, 0.4, 0.4, 1) : color)
            }
            let peak = Self.place(levels[1])
            if peak > 0 { bar(peak - 0.006, peak, SIMD4(0.9, 0.9, 0.9, 1)) }
        }
        return Scene(background: .black, layers: layers)
    }

    /// The level of a microphone as text.
    static func level(of connection: CaptureConnection?) -> String {
        let level = connection?.audioChannels.map(\.averagePowerLevel).max() ?? -.infinity
        return level.isFinite ? String(format: "%.0f dB", level) : "silent"
    }

    var title: String {
        var title = "\(input.device.localizedName), \(Self.level(of: sound.connection))"
        if isMuted { title += ", muted" }
        return title + capture.title
    }

    /// Closes the microphone unless it is recorded.
    func setHidden(_ isHidden: Bool) { sound.connection?.isEnabled = !isHidden }

    func press(_ key: KeyEvent) {
        switch key.name {
        case "m":
            isMuted.toggle()
            stage.updateScene()
        case "p", " ": capture.toggleRecording()
        case "s": stage.saveScreenshot(of: input.device.localizedName)
        default: break
        }
    }

    // MARK: - Results

    func finish(_ capabilities: GLCapabilities) throws {
        stage.presenter?.isPaused = true
        try stage.finish(capture.movie)
        try stage.writeScreenshot(hasFrame: input.statistics.audioFrameCount > 0)
        let count = input.statistics.audioFrameCount
        let rate = (try? input.device.loadConfiguration().format.audioFormat?.sampleRate) ?? 48_000
        let peak = loudest.isFinite ? String(format: "%.1f dB", loudest) : "silent"
        Console.note(
            String(
                format: "microphone: %d samples, %.2f s, peak %@", count,
                Double(count) / Double(max(1, rate)), peak))
    }
}
