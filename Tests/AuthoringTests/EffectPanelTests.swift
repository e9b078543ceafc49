// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadEffects
import PlayheadLayers
import PlayheadWindow
import Testing

@testable import PlayheadAuthoring

@MainActor @Suite("The effect panel")
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

    /// A panel in a window of 800 x 600, and its one effect.
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

    /// The middle of a line, or a place in its control.
    private static func place(
        _ label: String, in panel: EffectPanel, share: Double? = nil
    ) throws -> SIMD2<Double> {
        let index = try #require(panel.rows.firstIndex { $0.label.contains(label) })
        let area = panel.controlArea
        let x = share.map { area.lowerBound + (area.upperBound - area.lowerBound) * $0 }
        return SIMD2(
            x ?? panel.bounds.x + 20,
            panel.bounds.y + 6 + (Double(index) + 0.5) * panel.rowHeight)
    }

    private static func click(
        _ label: String, in panel: EffectPanel, share: Double? = nil, clicks: Int = 1
    ) throws {
        let point = try place(label, in: panel, share: share)
        #expect(panel.handle(button(point, clicks: clicks), pixelRatio: 1))
        #expect(panel.handle(button(point, isPressed: false), pixelRatio: 1))
    }

    @Test("Tab shows and hides it; without effects Tab is somebody else's")
    func tab() throws {
        let (panel, _) = try Self.panel()
        let tab = WindowEvent.key(KeyEvent(key: .tab, action: .press))
        #expect(panel.handle(tab, pixelRatio: 1))
        #expect(!panel.isVisible)
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty)
        #expect(panel.handle(tab, pixelRatio: 1))
        #expect(panel.isVisible)
        #expect(!EffectPanel(effects: []).handle(tab, pixelRatio: 1))
    }

    @Test(
        "a slider is dragged within its range, and set back by a double click or the other button")
    func slider() throws {
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

    @Test("a button that was pressed elsewhere is let go elsewhere, over the panel too")
    func release() throws {
        let (panel, _) = try Self.panel()
        let point = try Self.place("Amount", in: panel, share: 0.5)
        #expect(!panel.handle(Self.button([0, 0]), pixelRatio: 1))
        #expect(!panel.handle(Self.button(point, isPressed: false), pixelRatio: 1))
        // And the panel's own, beside it.
        #expect(panel.handle(Self.button(point), pixelRatio: 1))
        #expect(panel.handle(Self.button([0, 0], isPressed: false), pixelRatio: 1))
        #expect(!panel.handle(Self.button([0, 0], isPressed: false), pixelRatio: 1))
    }

    @Test("R sets everything back while it is shown, and is somebody else's key when it is not")
    func reset() throws {
        let (panel, instance) = try Self.panel()
        try instance.set(.float(3), for: "amount")
        let letter = WindowEvent.key(KeyEvent(key: Key("r"), action: .press))
        #expect(panel.handle(letter, pixelRatio: 1))
        #expect(instance.value(for: "amount") == .float(1))
        panel.isVisible = false
        #expect(!panel.handle(letter, pixelRatio: 1))
    }

    @Test("pixels of a dense screen are not its coordinates")
    func density() throws {
        let (panel, instance) = try Self.panel()
        _ = panel.layers(width: 1600, height: 1200, scale: 2)
        let index = try #require(panel.rows.firstIndex { $0.label == "On" })
        let y = panel.bounds.y + 12 + (Double(index) + 0.5) * panel.rowHeight
        #expect(
            panel.handle(
                Self.button([(panel.bounds.x + 40) / 2, y / 2]), pixelRatio: 2))
        #expect(instance.value(for: "on") == .bool(true))
    }

    @Test("switches, menus, buttons and bypass")
    func controls() throws {
        let (panel, instance) = try Self.panel()
        try Self.click("On", in: panel)
        #expect(instance.value(for: "on") == .bool(true))
        try Self.click("Mode", in: panel)
        try Self.click("seven", in: panel)
        #expect(instance.value(for: "mode") == .long(7))
        #expect(!panel.rows.contains { $0.label.contains("seven") })
        try Self.click("Bang", in: panel)
        try Self.click("my", in: panel)
        #expect(!instance.isEnabled)
        try Self.click("my", in: panel)
        #expect(instance.isEnabled)
        try Self.click("Reset", in: panel)
        #expect(instance.value(for: "mode") == .long(1))
    }

    @Test("points and colours are picked in the picture, in the input's own range")
    func picking() throws {
        let (panel, instance) = try Self.panel()
        panel.picturePlace = { ($0 - SIMD2(0, 100)) / SIMD2(400, 200) }
        try Self.click("Place", in: panel)
        #expect(panel.handle(Self.button([100, 150]), pixelRatio: 1))
        #expect(instance.value(for: "place") == .point2D([50, 75]))
        // Held, it goes on.
        #expect(panel.handle(.pointerMoved(WindowPoint(x: 400, y: 300)), pixelRatio: 1))
        #expect(instance.value(for: "place") == .point2D([200, 0]))
        #expect(panel.handle(Self.button([400, 300], isPressed: false), pixelRatio: 1))
        // The next click beside the panel is not the panel's.
        #expect(!panel.handle(Self.button([100, 150]), pixelRatio: 1))
        try Self.click("Tint", in: panel)
        try Self.click("green", in: panel, share: 0.5)
        guard case .color(let color) = instance.value(for: "tint") else { return }
        #expect(abs(color.y - 0.5) < 0.001 && color.x == 0)
    }

    @Test("what was changed is copied as a command line, quoted for shells where need be")
    func copy() throws {
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

    @Test("before and after stand side by side, and the line between them is dragged")
    func split() throws {
        let (panel, _) = try Self.panel()
        var film = Layer(.color([1, 1, 1, 1]), effects: panel.effects)
        // Wherever the film lies, and however it is turned, the window is what is divided.
        film.frame = .pixels(LayerRect(x: -400, y: -300, width: 1600, height: 1200))
        film.transform = .rotation(angle: .pi / 2)
        #expect(panel.layers(for: film) == [film])
        try Self.click("Before", in: panel)
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

    @Test("what is wrong with a file stays on the screen until it is mended, panel or not")
    func failures() throws {
        let (panel, instance) = try Self.panel()
        panel.isVisible = false
        let error = EffectError.unreadable(path: "my.fs", reason: "it is gone")
        panel.show(error, of: instance)
        // Without fonts there are no words.
        let canWrite = panel.rasterizer != nil
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty == !canWrite)
        panel.isVisible = true
        #expect(panel.rows.contains { $0.style == .problem && $0.label.contains("it is gone") })
        panel.show(nil, of: instance)
        panel.isVisible = false
        #expect(panel.layers(width: 800, height: 600, scale: 1).isEmpty)
    }

    @Test("a long panel is scrolled, as far as there is something")
    func scrolling() throws {
        let (panel, _) = try Self.panel()
        _ = panel.layers(width: 800, height: 150, scale: 1)
        let inside = WindowPoint(x: panel.bounds.x + 5, y: panel.bounds.y + 5)
        for _ in 0..<50 {
            #expect(
                panel.handle(.scrolled(ScrollEvent(x: 0, y: -1, position: inside)), pixelRatio: 1))
        }
        #expect(panel.scrolled == panel.contentHeight - panel.bounds.height)
        #expect(
            !panel.handle(
                .scrolled(ScrollEvent(x: 0, y: -1, position: WindowPoint(x: 1, y: 1))),
                pixelRatio: 1))
    }

    @Test("clicks on what lies over the picture are not the panel's")
    func covered() throws {
        let (panel, _) = try Self.panel()
        panel.isCovered = { $0.y > 500 }
        try Self.click("Look at pixels", in: panel)
        #expect(panel.handle(Self.button(SIMD2(50, 100)), pixelRatio: 1))
        #expect(!panel.handle(Self.button(SIMD2(50, 550)), pixelRatio: 1))
    }
}
