// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadLayers
import PlayheadWindow
import Testing

@testable import PlayheadPlayerUI

@MainActor @Suite("Effect panel")
struct EffectPanelTests {
    private static let text = """
        /*{ "INPUTS": [
            { "NAME": "inputImage", "TYPE": "image" },
            { "NAME": "on", "LABEL": "On", "TYPE": "bool", "DEFAULT": false },
            { "NAME": "mode", "LABEL": "Mode", "TYPE": "long", "DEFAULT": 1, "VALUES": [1, 2, 7],
              "LABELS": ["one", "two", "seven"] },
            { "NAME": "amount", "LABEL": "Amount", "TYPE": "float", "DEFAULT": 1, "MIN": -1,
              "MAX": 3 },
            { "NAME": "place", "LABEL": "Place", "TYPE": "point2D", "DEFAULT": [0, 0],
              "MIN": [0, 0], "MAX": [200, 100] },
            { "NAME": "tint", "LABEL": "Tint", "TYPE": "color", "DEFAULT": [0, 0, 0, 1] },
            { "NAME": "bang", "LABEL": "Bang", "TYPE": "event" } ] }*/
        void main() {}
        """

    /// Returns a panel in a window of 800 x 600, and its one effect.
    private static func panel() throws -> (EffectPanel, EffectInstance) {
        let instance = EffectInstance(try ISFImporter.effect(text: text, path: "my.fs"))
        let panel = EffectPanel(effects: [instance])
        panel.isVisible = true
        _ = panel.layers(width: 800, height: 600, scale: 1)
        return (panel, instance)
    }

    private static func button(
        _ point: SIMD2<Double>, isPressed: Bool = true, _ button: PointerButtonEvent.Button = .left,
        clicks: Int = 1
    ) -> WindowEvent {
        .button(
            PointerButtonEvent(
                button: button, isPressed: isPressed,
                position: WindowPoint(x: point.x, y: point.y), clickCount: clicks))
    }

    /// Returns a point of the label of a row, or of its slider.
    private static func place(
        _ label: String, in panel: EffectPanel, share: Double? = nil
    ) throws -> SIMD2<Double> {
        let index = try #require(panel.rows.firstIndex { $0.label.contains(label) })
        let row = panel.form.rows[index]
        guard let share else { return middle(of: row.frame, in: panel, x: 20) }
        let track = try #require(row.control)
        // The centre of the knob is at least its radius from either end.
        return middle(of: track, in: panel, x: 7 + (track.width - 14) * share)
    }

    /// Returns a point of a rectangle of the form: at a distance from its left edge, or in its
    /// middle.
    private static func middle(
        of rect: LayerRect, in panel: EffectPanel, x: Double? = nil
    ) -> SIMD2<Double> {
        SIMD2(
            panel.bounds.x + rect.x + (x ?? rect.width / 2),
            panel.bounds.y + rect.y + rect.height / 2 - panel.scroll.offset)
    }

    private static func row(_ label: String, in panel: EffectPanel) throws -> FormLayout.Row {
        panel.form.rows[try #require(panel.rows.firstIndex { $0.label.contains(label) })]
    }

    private static func click(_ rect: LayerRect?, in panel: EffectPanel) throws {
        let point = middle(of: try #require(rect), in: panel)
        #expect(panel.handle(button(point), pixelRatio: 1))
        #expect(panel.handle(button(point, isPressed: false), pixelRatio: 1))
    }

    private static func click(
        _ label: String, in panel: EffectPanel, share: Double? = nil, clicks: Int = 1
    ) throws {
        let point = try place(label, in: panel, share: share)
        #expect(panel.handle(button(point, clicks: clicks), pixelRatio: 1))
        #expect(panel.handle(button(point, isPressed: false), pixelRatio: 1))
    }

    @Test func `Tab toggles the panel, and is not handled without effects`() throws {
        let (panel, _) = try Self.panel()
        let tab = WindowEvent.key(KeyEvent(key: .tab, action: .press))
        #expect(panel.handle(tab, pixelRatio: 1))
        #expect(!panel.isVisible)
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty)
        #expect(panel.handle(tab, pixelRatio: 1))
        #expect(panel.isVisible)
        #expect(!EffectPanel(effects: []).handle(tab, pixelRatio: 1))
    }

    @Test
    func `a slider is dragged within its range and reset by a double or right click`() throws {
        let (panel, instance) = try Self.panel()
        var changes = 0
        panel.changeHandler = { changes += 1 }
        let start = try Self.place("Amount", in: panel, share: 0.5)
        #expect(panel.handle(Self.button(start), pixelRatio: 1))
        #expect(instance.value(for: "amount") == .float(1))
        for (x, value) in [(0.75, Float(2)), (5, 3), (-5, -1)] {
            let point = try Self.place("Amount", in: panel, share: x)
            #expect(
                panel.handle(
                    .pointerMoved(WindowPoint(x: point.x, y: 500)), pixelRatio: 1))
            guard case .float(let set) = instance.value(for: "amount") else { return }
            #expect(abs(set - value) < 0.001)
        }
        #expect(panel.handle(Self.button([0, 0], isPressed: false), pixelRatio: 1))
        #expect(!panel.handle(.pointerMoved(WindowPoint(x: 0, y: 0)), pixelRatio: 1))
        #expect(changes >= 4)
        try Self.click("Amount", in: panel, share: 0.2, clicks: 2)
        #expect(instance.value(for: "amount") == .float(1))
    }

    @Test func `a button pressed elsewhere is released elsewhere, even over the panel`() throws {
        let (panel, _) = try Self.panel()
        let point = try Self.place("Amount", in: panel, share: 0.5)
        #expect(!panel.handle(Self.button([0, 0]), pixelRatio: 1))
        #expect(!panel.handle(Self.button(point, isPressed: false), pixelRatio: 1))
        // The panel handles the press, and the release beside it.
        #expect(panel.handle(Self.button(point), pixelRatio: 1))
        #expect(panel.handle(Self.button([0, 0], isPressed: false), pixelRatio: 1))
        #expect(!panel.handle(Self.button([0, 0], isPressed: false), pixelRatio: 1))
    }

    @Test func `R resets all effects while the panel is visible`() throws {
        let (panel, instance) = try Self.panel()
        try instance.set(.float(3), for: "amount")
        let letter = WindowEvent.key(KeyEvent(key: Key("r"), action: .press))
        #expect(panel.handle(letter, pixelRatio: 1))
        #expect(instance.value(for: "amount") == .float(1))
        panel.isVisible = false
        #expect(!panel.handle(letter, pixelRatio: 1))
    }

    @Test func `coordinates are scaled on a high-density display`() throws {
        let (panel, instance) = try Self.panel()
        _ = panel.layers(width: 1600, height: 1200, scale: 2)
        let point = try Self.place("On", in: panel)
        #expect(panel.handle(Self.button(point / 2), pixelRatio: 2))
        #expect(instance.value(for: "on") == .bool(true))
    }

    @Test func `switches, menus, buttons and bypass react to clicks`() throws {
        let (panel, instance) = try Self.panel()
        try Self.click("On", in: panel)
        #expect(instance.value(for: "on") == .bool(true))
        try Self.click("Mode", in: panel)
        try Self.click("seven", in: panel)
        #expect(instance.value(for: "mode") == .long(7))
        #expect(!panel.rows.contains { $0.label.contains("seven") })
        try Self.click("Bang", in: panel)
        try Self.click(try Self.row("my", in: panel).toggle, in: panel)
        #expect(!instance.isEnabled)
        try Self.click(try Self.row("my", in: panel).toggle, in: panel)
        #expect(instance.isEnabled)
        try Self.click("Reset", in: panel)
        #expect(instance.value(for: "mode") == .long(1))
    }

    @Test func `points and colours are picked in the video, in the input's own range`() throws {
        let (panel, instance) = try Self.panel()
        panel.picturePlace = { ($0 - SIMD2(0, 100)) / SIMD2(400, 200) }
        try Self.click("Place", in: panel)
        #expect(panel.handle(Self.button([100, 150]), pixelRatio: 1))
        #expect(instance.value(for: "place") == .point2D([50, 75]))
        // The drag continues.
        #expect(panel.handle(.pointerMoved(WindowPoint(x: 400, y: 300)), pixelRatio: 1))
        #expect(instance.value(for: "place") == .point2D([200, 0]))
        #expect(panel.handle(Self.button([400, 300], isPressed: false), pixelRatio: 1))
        // The panel does not handle the next click beside it.
        #expect(!panel.handle(Self.button([100, 150]), pixelRatio: 1))
        try Self.click("Tint", in: panel)
        try Self.click("Green", in: panel, share: 0.5)
        guard case .color(let color) = instance.value(for: "tint") else { return }
        #expect(abs(color.y - 0.5) < 0.001 && color.x == 0)
    }

    @Test func `effects and groups fold by pointer and by key`() throws {
        let instance = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [
                        { "NAME": "a", "LABEL": "First", "TYPE": "float", "GROUP": "Matte" },
                        { "NAME": "b", "LABEL": "Second", "TYPE": "float" },
                        { "NAME": "c", "LABEL": "Third", "TYPE": "float", "GROUP": "Matte" } ] }*/
                    void main() {}
                    """, path: "my.fs"))
        let panel = EffectPanel(effects: [instance])
        panel.isVisible = true
        _ = panel.layers(width: 800, height: 600, scale: 1)
        // Inputs without a group come first, and those of a group together.
        #expect(
            panel.rows.prefix(5).map(\.label) == ["my", "Second", "Matte", "First", "Third"])
        try Self.click("Matte", in: panel)
        #expect(panel.rows.prefix(4).map(\.label).last == "Compare with original")
        try Self.click("Matte", in: panel)
        try Self.click("my", in: panel)
        #expect(!panel.rows.contains { $0.label == "Second" } && instance.isEnabled)
        try Self.click("my", in: panel)
        #expect(Self.press(.down, in: panel, times: 2))
        #expect(panel.focusedRow?.label == "Matte")
        #expect(Self.press(.left, in: panel))
        #expect(!panel.rows.contains { $0.label == "First" })
        #expect(Self.press(.left, in: panel))
        #expect(!panel.rows.contains { $0.label == "First" })
        #expect(Self.press(.right, in: panel))
        #expect(panel.rows.contains { $0.label == "First" })
    }

    @Test func `a typed number sets a slider, also beyond its range`() throws {
        let (panel, instance) = try Self.panel()
        func type(_ text: String) {
            for scalar in text.unicodeScalars {
                let name = String(Character(scalar))
                let key = KeyEvent(key: Key(Character(scalar)), action: .press, name: name)
                // The panel handles both, so the binding of the digit does nothing.
                #expect(panel.handle(.key(key), pixelRatio: 1))
                #expect(panel.handle(.text(scalar), pixelRatio: 1))
            }
        }
        try Self.click(try Self.row("Amount", in: panel).value, in: panel)
        type("2.25")
        #expect(instance.value(for: "amount") == .float(1))
        #expect(Self.press(.enter, in: panel))
        #expect(instance.value(for: "amount") == .float(2.25))
        // The row keeps the keyboard focus: digits replace the number, Backspace deletes.
        type("-7.8")
        #expect(Self.press(.backspace, in: panel))
        type("5")
        #expect(Self.press(.enter, in: panel))
        #expect(instance.value(for: "amount") == .float(-7.5))
        type("9")
        #expect(panel.isEscapable && Self.press(.escape, in: panel))
        #expect(instance.value(for: "amount") == .float(-7.5))
        // An invalid number changes nothing.
        type("-.")
        #expect(Self.press(.enter, in: panel))
        #expect(instance.value(for: "amount") == .float(-7.5))
        // A click elsewhere ends it, too.
        type("0,5")
        #expect(!panel.handle(Self.button([1, 1]), pixelRatio: 1))
        #expect(instance.value(for: "amount") == .float(0.5))
        // Without a focused row, digits are not handled.
        #expect(!panel.handle(.text("5"), pixelRatio: 1))
    }

    @Test func `units are shown beside values`() throws {
        #expect(InputLabel("Choke of edges, in pixels") == InputLabel("Choke of edges (px)"))
        #expect(InputLabel("Angle (degrees)").text == "Angle")
        #expect(InputLabel("Angle (degrees)").unit == "°")
        #expect(InputLabel("Pixels").unit.isEmpty && InputLabel("in pixels").text == "in pixels")
        #expect(InputLabel("Width (inner)").text == "Width (inner)")
        let instance = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "radius", "LABEL": "Radius, in pixels", "TYPE": "float",
                        "DEFAULT": 4 } ] }*/
                    void main() {}
                    """, path: "my.fs"))
        let row = EffectPanel(effects: [instance]).rows.first { $0.input == "radius" }
        #expect(row?.label == "Radius" && row?.numberWithUnit == "4.0 px")
    }

    @Test func `changed values are copied as a command line, quoted if necessary`() throws {
        let (panel, instance) = try Self.panel()
        var copied = ""
        panel.copyHandler = { copied = $0 }
        try instance.set(.float(0.5), for: "amount")
        try instance.set(.color([1, 0, 0.5, 1]), for: "tint")
        try Self.click("Copy", in: panel)
        #expect(
            copied == "--effect my.fs --set my.amount=0.5 --set my.tint=1.0,0.0,0.5,1.0")
        let odd = EffectInstance(
            try ISFImporter.effect(text: Self.text, path: "it's/my look.fs"))
        #expect(
            EffectPanel(effects: [odd]).commandLine == "--effect 'it'\\''s/my look.fs'")
    }

    @Test func `the divider between original and result can be dragged`() throws {
        let (panel, _) = try Self.panel()
        var film = Layer(.color([1, 1, 1, 1]), effects: panel.effects)
        // The window is divided, whatever the position and rotation of the video.
        film.frame = .pixels(LayerRect(x: -400, y: -300, width: 1600, height: 1200))
        film.transform = .rotation(angle: .pi / 2)
        #expect(panel.layers(for: film) == [film])
        try Self.click("Compare", in: panel)
        #expect(panel.handle(Self.button([402, 300]), pixelRatio: 1))
        #expect(panel.handle(.pointerMoved(WindowPoint(x: 200, y: 300)), pixelRatio: 1))
        let layers = panel.layers(for: film)
        #expect(layers.count == 2)
        #expect(layers.allSatisfy { $0.frame == .whole && $0.transform == .identity })
        var before = film
        before.effects = []
        #expect(layers.map(\.sublayers) == [[before], [film]])
        #expect(
            layers[0].mask
                == .roundedRectangle(LayerRect(x: 0, y: 0, width: 0.25, height: 1), cornerRadius: 0)
        )
    }

    @Test func `an error in a file is shown until it is fixed, with or without the panel`() throws {
        let (panel, instance) = try Self.panel()
        panel.isVisible = false
        let error = EffectError.unreadable(path: "my.fs", reason: "it is gone")
        panel.show(error, of: instance)
        // Without fonts there is no text.
        let canWrite = PanelLayers.width(of: "x", TextLook(size: 12)) > 0
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty == !canWrite)
        panel.isVisible = true
        #expect(panel.rows.contains { $0.style == .problem && $0.label.contains("it is gone") })
        panel.show(nil, of: instance)
        panel.isVisible = false
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty)
    }

    @Test func `an error in a preset is shown before those of effects`() throws {
        let (panel, _) = try Self.panel()
        panel.showPresetError(
            .malformedHeader(path: "p.json", line: 3, column: nil, reason: "no input 'amout'"))
        #expect(panel.rows.first?.style == .problem)
        #expect(panel.rows.first?.label.hasPrefix("p.json:3: error:") == true)
        panel.isVisible = false
        let canWrite = PanelLayers.width(of: "x", TextLook(size: 12)) > 0
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty == !canWrite)
        panel.showPresetError(nil)
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty)
    }

    private static func press(
        _ key: Key, in panel: EffectPanel, times: Int = 1, _ modifiers: KeyModifiers = []
    ) -> Bool {
        (0..<times).map { _ in
            panel.handle(
                .key(KeyEvent(key: key, action: .press, modifiers: modifiers)), pixelRatio: 1)
        }.allSatisfy { $0 }
    }

    @Test func `keys select rows and change them, and are not handled before`() throws {
        let (panel, instance) = try Self.panel()
        for key in [Key.left, .right, .enter, .backspace, .escape] {
            #expect(!Self.press(key, in: panel))
        }
        #expect(Self.press(.down, in: panel))
        #expect(panel.focusedRow?.input == "on")
        #expect(Self.press(.enter, in: panel))
        #expect(instance.value(for: "on") == .bool(true))
        // A menu opens, an item is selected, and it closes.
        #expect(Self.press(.down, in: panel) && Self.press(.enter, in: panel))
        #expect(Self.press(.down, in: panel, times: 3) && Self.press(.enter, in: panel))
        #expect(instance.value(for: "mode") == .long(7))
        #expect(panel.focusedRow?.input == "mode")
        #expect(!panel.rows.contains { $0.label.contains("seven") })
        // A twentieth of the range, a hundredth with shift; not beyond its end.
        #expect(Self.press(.down, in: panel) && Self.press(.right, in: panel))
        #expect(Self.press(.left, in: panel, [.shift]))
        guard case .float(let amount) = instance.value(for: "amount") else { return }
        #expect(abs(amount - 1.16) < 0.001)
        #expect(Self.press(.right, in: panel, times: 30))
        #expect(instance.value(for: "amount") == .float(3))
        #expect(Self.press(.backspace, in: panel))
        #expect(instance.value(for: "amount") == .float(1))
        // A point moves while it is picked.
        #expect(Self.press(.down, in: panel) && Self.press(.enter, in: panel))
        #expect(Self.press(.right, in: panel) && Self.press(.up, in: panel, times: 2))
        #expect(instance.value(for: "place") == .point2D([10, 10]))
        #expect(Self.press(.escape, in: panel))
        #expect(Self.press(.down, in: panel) && Self.press(.enter, in: panel))
        #expect(Self.press(.down, in: panel, times: 2) && Self.press(.right, in: panel, times: 2))
        #expect(instance.value(for: "tint") == .color([0, 0.1, 0, 1]))
        #expect(panel.isEscapable && Self.press(.escape, in: panel))
        #expect(!panel.isEscapable && !Self.press(.right, in: panel))
    }

    @Test func `integer sliders show and set integers in the largest range`() throws {
        let instance = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "seed", "LABEL": "Seed", "TYPE": "long",
                        "DEFAULT": 2147483647, "MIN": -2147483648 } ] }*/
                    void main() {}
                    """, path: "my.fs"))
        let panel = EffectPanel(effects: [instance])
        panel.isVisible = true
        _ = panel.layers(width: 800, height: 600, scale: 1)
        try Self.click("Seed", in: panel, share: 0)
        #expect(instance.value(for: "seed") == .long(.min))
        try instance.set(.long(3), for: "seed")
        #expect(panel.rows.first { $0.input == "seed" }?.control.number == "3")
        try Self.click("Seed", in: panel, share: 1)
        #expect(instance.value(for: "seed") == .long(.max))
        #expect(Self.press(.down, in: panel) && Self.press(.right, in: panel))
        #expect(instance.value(for: "seed") == .long(.max))
    }

    @Test func `sliders with the largest ranges are drawn and dragged to finite numbers`() throws {
        let instance = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "gain", "LABEL": "Gain", "TYPE": "float",
                        "DEFAULT": 1e39, "MIN": -1e39, "MAX": 1e39 } ] }*/
                    void main() {}
                    """, path: "my.fs"))
        #expect(instance.value(for: "gain") == .float(.greatestFiniteMagnitude))
        let panel = EffectPanel(effects: [instance])
        panel.isVisible = true
        let layers = panel.layers(width: 800, height: 600, scale: 1).flatMap(\.sublayers)
        for layer in layers {
            guard case .pixels(let frame) = layer.frame else { continue }
            #expect(frame.x.isFinite && frame.width.isFinite)
        }
        try Self.click("Gain", in: panel, share: 0.5)
        guard case .float(let middle) = instance.value(for: "gain") else { return }
        #expect(middle.magnitude < 1e36)
    }

    @Test func `the focused row keeps the focus and stays visible when rows are added`() throws {
        let (panel, instance) = try Self.panel()
        _ = panel.layers(width: 800, height: 120, scale: 1)
        #expect(Self.press(.down, in: panel, times: 6))
        let row = try #require(panel.focusedRow)
        panel.show(.unreadable(path: "my.fs", reason: "it is gone"), of: instance)
        #expect(panel.focusedRow == row)
        #expect(Self.press(.down, in: panel, times: 20))
        #expect(panel.focusedRow?.action == .copy)
        #expect(panel.scroll.offset == panel.form.height - panel.bounds.height)
        #expect(Self.press(.up, in: panel, times: 30))
        #expect(panel.scroll.offset == 0)
    }

    @Test func `an error is wrapped, and its caret points to the visible part of the line`() {
        let word = "gl_FragColor = " + String(repeating: "a + ", count: 30) + "gain;"
        let column = 4 + word.count - 5
        let lines = EffectPanelRow.problemLines(
            "shaders/glow.fs:12:25: error: no function of this name takes what it is given here\n"
                + "\t   \(word)\n" + String(repeating: " ", count: column) + "^")
        #expect(lines.allSatisfy { $0.count <= 43 })
        #expect(lines.count == 4)
        let caret = try? #require(lines.last?.firstIndex(of: "^"))
        let place = caret.map { lines[3].distance(from: lines[3].startIndex, to: $0) } ?? -1
        #expect(place > 0 && lines[2].dropFirst(place).hasPrefix("gain"))
        // An indented label is visible from its first word on.
        #expect(
            EffectPanelRow.problemLines("        int a = b;\n                ^")
                == ["int a = b;", "        ^"])
    }

    @Test func `a caret is below its character`() throws {
        let (panel, instance) = try Self.panel()
        guard PanelLayers.width(of: "x", TextLook(size: 12)) > 0 else { return }
        let error = ShaderDiagnostic(
            path: "m", message: "\n    H          H\n               ^")
        panel.show(.compilation(effect: "m", diagnostics: [error]), of: instance)
        let layer = try #require(panel.layers(width: 800, height: 600, scale: 1).last)
        let lines = layer.sublayers.compactMap(Self.ink)
        // The disclosure triangle, the effect's name, and the message come first.
        try #require(lines.count >= 5)
        let (source, caret) = (lines[3], lines[4])
        // The last letter is as wide as the caret.
        let center = (caret.left + caret.right) / 2
        #expect(center > source.right - 8 && center < source.right)
        // Eleven characters of any monospaced font.
        #expect(source.left < 20 && caret.left > source.left + 40)
    }

    /// Returns the start and the end of a layer's text in the panel; nil for a layer without text.
    private static func ink(of layer: Layer) -> (left: Double, right: Double, top: Double)? {
        guard case .image(let picture) = layer.content, case .pixels(let frame) = layer.frame
        else { return nil }
        let plane = picture.planes[0]
        let start = Int((layer.contentsRect.x * Double(picture.width)).rounded())
        let columns = (start..<min(start + Int(frame.width), plane.width)).filter { x in
            (0..<plane.height).contains { y in
                plane.baseAddress.load(
                    fromByteOffset: y * plane.bytesPerRow + x * 4 + 3, as: UInt8.self) > 64
            }
        }
        guard let first = columns.first, let last = columns.last else { return nil }
        return (
            frame.x + Double(first - start), frame.x + Double(last + 1 - start), frame.y
        )
    }

    @Test func `a long panel scrolls up to its end`() throws {
        let (panel, _) = try Self.panel()
        _ = panel.layers(width: 800, height: 150, scale: 1)
        let inside = WindowPoint(x: panel.bounds.x + 5, y: panel.bounds.y + 5)
        for _ in 0..<50 {
            #expect(
                panel.handle(.scrolled(ScrollEvent(x: 0, y: -1, position: inside)), pixelRatio: 1))
        }
        #expect(panel.scroll.offset == panel.form.height - panel.bounds.height)
        #expect(
            !panel.handle(
                .scrolled(ScrollEvent(x: 0, y: -1, position: WindowPoint(x: 1, y: 1))),
                pixelRatio: 1))
    }

    @Test func `clicks on a covered part of the video are not handled`() throws {
        let (panel, _) = try Self.panel()
        panel.isCovered = { $0.y > 500 }
        try Self.click("Inspect pixels", in: panel)
        #expect(panel.handle(Self.button(SIMD2(50, 100)), pixelRatio: 1))
        #expect(!panel.handle(Self.button(SIMD2(50, 550)), pixelRatio: 1))
    }
}
