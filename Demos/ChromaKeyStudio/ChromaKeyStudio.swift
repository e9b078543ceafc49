// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A green-screen video that is keyed over a background. The demo shows how to pick the key colour
/// from the frame, set the key's parameters, show its matte, and compare the result with the
/// original.
@main final class ChromaKeyStudio: Demo {
    static let title = "ChromaKeyStudio"
    static let size = WindowSize(width: 1280, height: 640)

    private let stage: Stage
    private let player: QueuePlayer
    private let looper: PlayerLooper
    private let output: PlayerVideoOutput
    /// The output from which a colour is picked. It provides the video's own samples.
    private let probe: PlayerVideoOutput
    private let key: EffectInstance
    private var sliders: [(input: String, slider: Slider)] = []
    private var backdrop: Backdrop
    private var view: Int32
    /// The position of the divider between the keyed side and the original side, as a fraction of
    /// the frame's width.
    private var split = 1.0
    private var isSplitHeld = false
    private var picked: SIMD2<Double>?
    /// The position at which a colour is to be picked as soon as there is a frame.
    private var wanted: SIMD2<Double>?

    /// The inputs that sliders change, in order.
    private static let inputs = [
        "tolerance", "blackPoint", "whitePoint", "softness", "choke", "feather", "spill",
        "lightWrap",
    ]
    private static let views = ["composite", "matte", "status", "foreground"]

    init(stage: Stage) throws {
        self.stage = stage
        player = QueuePlayer(audioSink: nil, masterClock: stage.clock)
        looper = PlayerLooper(player: player, templateItem: PlayerItem(asset: stage.films[0]))
        output = PlayerVideoOutput(player: player)
        probe = PlayerVideoOutput(player: player)
        key = EffectInstance(try EffectLibrary.load("chroma_key"))
        backdrop = try Backdrop(named: stage.options.films.dropFirst().first, on: stage)
        view = 0
        for name in Self.inputs {
            guard let input = key.effect.input(named: name), let low = input.minimum?.number,
                let high = input.maximum?.number
            else { continue }
            let slider = Slider(input.label, value: input.defaultValue.number, in: low...high)
            sliders.append((name, slider))
        }
        // In an image, both sides are to be visible.
        if stage.options.isHeadless { split = 0.62 }
        stage.register(player)
        stage.transport = Transport([player])
        player.play()
    }

    // MARK: Input

    func handle(_ event: WindowEvent) {
        layOut()
        for index in sliders.indices where sliders[index].slider.handle(event) {
            set(.float(Float(sliders[index].slider.value)), for: sliders[index].input)
            tell(
                "\(sliders[index].input) \(sliders[index].slider.describe(sliders[index].slider.value))"
            )
            return
        }
        switch event {
        case .key(let key) where key.action == .press: press(key.shortcutKey)
        case .button(let button) where button.button == .left:
            press(at: SIMD2(button.position.x, button.position.y), isPressed: button.isPressed)
        case .pointerMoved(let point) where isSplitHeld:
            split = min(max((point.x - picture.x) / picture.width, 0), 1)
        default: break
        }
    }

    private func press(_ key: Key) {
        switch key {
        case Key("m"):
            view = (view + 1) % Int32(Self.views.count)
            set(.long(view), for: "view")
            tell(Self.views[Int(view)])
        case Key("b"): tell(backdrop.next())
        case Key("a"):
            self.key.isEnabled.toggle()
            tell(self.key.isEnabled ? "key on" : "key off")
        case Key("r"):
            self.key.reset()
            for index in sliders.indices {
                let input = self.key.effect.input(named: sliders[index].input)
                sliders[index].slider.value = input?.defaultValue.number ?? 0
            }
            (view, picked, split) = (0, nil, 1)
            tell("reset")
        default: break
        }
    }

    private func press(at point: SIMD2<Double>, isPressed: Bool) {
        guard isPressed else {
            isSplitHeld = false
            return
        }
        isSplitHeld = abs(point.x - picture.x - split * picture.width) < 10
        guard !isSplitHeld, picture.contains(point) else { return }
        let place = SIMD2(
            (point.x - picture.x) / picture.width, (point.y - picture.y) / picture.height)
        wanted = place
        pick()
    }

    /// Picks the key colour from the video and not from the screen, where the video may be covered.
    private func pick() {
        let time = probe.itemTime(forHostTime: stage.time)
        guard let place = wanted, let (picture, _) = probe.copyPixelBuffer(forItemTime: time),
            let color = picture.averageColor(atX: place.x, y: place.y, radius: 6)
        else { return }
        wanted = nil
        picked = place
        set(.color(SIMD4(color, 1)), for: "keyColor")
        func level(_ value: Float) -> Int { Int((value * 255).rounded()) }
        tell("picked \(level(color.x)), \(level(color.y)), \(level(color.z))")
    }

    private func set(_ value: EffectValue, for name: String) {
        // The names are those of the effect's inputs.
        try? key.set(value, for: name)
        stage.setNeedsDisplay()
    }

    private func tell(_ what: String) { stage.title = "ChromaKeyStudio – \(what)" }

    // MARK: Scene

    private var picture: LayerRect {
        let left = 316.0
        let width = stage.width - left - 20
        return LayerRect(x: left, y: 60, width: width, height: width * 9 / 16)
    }

    private func layOut() {
        for index in sliders.indices {
            sliders[index].slider.frame = LayerRect(
                x: 24, y: 142 + 43 * Double(index), width: 252, height: 36)
        }
    }

    func scene() -> Scene {
        layOut()
        if wanted != nil { pick() }
        var layers = [
            stage.box(
                LayerRect(x: 0, y: 0, width: 300, height: stage.height), color: Palette.panel)
        ]
        layers.append(group(0, split, keyed: true))
        if split < 1 { layers += [group(split, 1, keyed: false)] }
        layers += handleLayers + panel
        return Scene(background: .color(Palette.background), layers: layers)
    }

    /// Returns the part of the frame between two positions, as fractions of its width.
    private func group(_ from: Double, _ to: Double, keyed: Bool) -> Layer {
        let area = LayerRect(
            x: picture.x + from * picture.width, y: picture.y, width: (to - from) * picture.width,
            height: picture.height)
        let whole = LayerRect(
            x: -from * picture.width, y: 0, width: picture.width, height: picture.height)
        let film = stage.film(
            output, in: whole, gravity: .resizeAspectFill, effects: keyed ? [key] : [])
        var group = Layer(
            frame: .pixels(area), sublayers: keyed ? backdrop.layers(in: whole) + [film] : [film])
        group.masksToBounds = true
        return group
    }

    private var handleLayers: [Layer] {
        let x = picture.x + split * picture.width
        var layers = [
            stage.box(
                LayerRect(x: x - 1, y: picture.y, width: 2, height: picture.height),
                color: Palette.text),
            stage.box(
                LayerRect(x: x - 5, y: picture.y + picture.height / 2 - 22, width: 10, height: 44),
                color: Palette.text, cornerRadius: 5),
        ]
        if let picked {
            let (px, py) = (
                picture.x + picked.x * picture.width, picture.y + picked.y * picture.height
            )
            for (radius, color) in [(9.0, SIMD4<Float>(1, 1, 1, 1)), (6.5, keyColor)] {
                layers.append(
                    stage.box(
                        LayerRect(
                            x: px - radius, y: py - radius, width: 2 * radius, height: 2 * radius),
                        color: color, cornerRadius: radius))
            }
        }
        return layers
    }

    private var keyColor: SIMD4<Float> {
        if case .color(let color)? = key.value(for: "keyColor") { return color }
        return [0, 1, 0, 1]
    }

    private var panel: [Layer] {
        var layers = [
            stage.text("ChromaKeyStudio", size: 22, at: [24, 18], isBold: true),
            stage.box(
                LayerRect(x: 24, y: 66, width: 56, height: 56), color: keyColor, cornerRadius: 10),
            stage.text("Key colour", size: 15, at: [94, 72]),
            stage.text(
                "click the video to pick it", size: 13, at: [94, 96], color: Palette.dimmed),
        ]
        for (_, slider) in sliders { layers += slider.layers(on: stage) }
        let hints = [
            ("drag the white bar", "before and after"), ("m", "matte and other views"),
            ("b", "background"), ("a", "key off and on"), ("r", "reset"),
            ("space, arrows", "pause, move"),
        ]
        for (index, hint) in hints.enumerated() {
            let y = 500 + 21 * Double(index)
            layers.append(stage.text(hint.0, size: 13, at: [24, y]))
            layers.append(
                stage.text(
                    hint.1, size: 13, at: [276, y], align: .right, color: Palette.dimmed))
        }
        layers.append(
            stage.text(
                (key.isEnabled ? Self.views[Int(view)] : "key off") + " before \(backdrop.name)",
                size: 15, at: [picture.x, 24], color: Palette.warm))
        return layers
    }
}
