// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadScreens
import PlayheadUI

/// A magnifying glass over one's own screen. In images, a computed camera takes the screen's place.
@main final class ScreenLoupe: Demo {
    static let title = "ScreenLoupe"

    private let stage: Stage
    private let session = CaptureSession()
    private let preview = CapturePreview()
    private let device: CaptureDevice
    /// The computed camera, which delivers frames as long as it exists; nil with a screen.
    private let synthetic: SyntheticCamera?
    private let contrast: EffectInstance
    private var glass: Glass
    private var isEnhanced = false
    private var isFrozen = false

    init(stage: Stage) throws {
        self.stage = stage
        stage.sleepsWhileHidden = true
        synthetic = stage.options.isHeadless ? SyntheticCamera(clock: stage.clock) : nil
        device = try synthetic?.device ?? CaptureDevice.screen(showsCursor: false)
        contrast = EffectInstance(try EffectLibrary.load("contrast"))
        glass = Glass(center: SIMD2(stage.width * 0.42, stage.height * 0.42))
        try session.addInput(CaptureDeviceInput(device: device))
        try session.addOutput(preview)
        try session.startRunning()
    }

    var isReady: Bool { stage.options.isHeadless || preview.receivedFrameCount > 0 }

    func handle(_ event: WindowEvent) {
        switch event {
        // A minimised window needs no screen.
        case .iconifiedChanged(let isIconified):
            preview.connection?.isEnabled = !isIconified && !isFrozen
            return
        case .pointerMoved(let point): glass.center = SIMD2(point.x, point.y)
        case .scrolled(let scroll): glass.scroll(by: scroll.y, upTo: 32)
        case .key(let key) where key.action == .press: press(key)
        default: return
        }
        stage.title =
            "ScreenLoupe – \(device.localizedName), \(Int((glass.zoom * 100).rounded())) %"
            + (isFrozen ? ", frozen" : "")
    }

    private func press(_ key: KeyEvent) {
        switch key.shortcutKey {
        case .space:
            isFrozen.toggle()
            preview.connection?.isEnabled = !isFrozen
        case .left: glass.center.x -= 1
        case .right: glass.center.x += 1
        case .up: glass.center.y -= 1
        case .down: glass.center.y += 1
        case Key("c"): isEnhanced.toggle()
        default: break
        }
    }

    func scene() -> Scene {
        let effects = isEnhanced ? [contrast] : []
        return Scene(
            layers: [Layer(.video(preview), effects: effects)]
                + glass.layers(over: .video(preview), on: stage))
    }
}
