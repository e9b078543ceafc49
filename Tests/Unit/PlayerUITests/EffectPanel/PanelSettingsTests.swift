// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadLayers
import PlayheadWindow
import Testing

@testable import PlayheadPlayerUI

@MainActor @Suite("Settings of the effect panel")
struct PanelSettingsTests {
    /// Settings that accept only values that are possible.
    private final class Settings: PanelSettings {
        var title = "Desk Camera"
        var argument = "camera:0?zoom=3"
        var settings = [
            PanelSetting(
                name: "zoom", label: "Zoom", kind: .number(100...200, step: 10), value: 150,
                defaultValue: 120),
            PanelSetting(
                name: "light", label: "Light", kind: .toggle, value: 0, defaultValue: 0),
            PanelSetting(
                name: "mode", label: "Mode",
                kind: .menu([.init(value: 1, label: "Manual"), .init(value: 3, label: "Auto")]),
                value: 3, defaultValue: 3),
            PanelSetting(
                name: "exposure", label: "Exposure", kind: .number(1...5000, step: 1), value: 77,
                defaultValue: 100, isSettable: false),
        ]
        private(set) var changes: [String] = []

        func set(_ value: Int, for name: String) {
            guard let index = settings.firstIndex(where: { $0.name == name }) else { return }
            settings[index].value = value
            changes.append("\(name)=\(value)")
        }
    }

    private let settings = Settings()
    private let panel: EffectPanel

    init() {
        panel = EffectPanel(effects: [])
        panel.settings = settings
        panel.isVisible = true
        layOut()
    }

    private func layOut() { _ = panel.layers(width: 800, height: 600, scale: 1) }

    private func press(_ key: Key, _ modifiers: KeyModifiers = []) {
        for action in [KeyEvent.Action.press, .release] {
            _ = panel.handle(
                .key(KeyEvent(key: key, action: action, modifiers: modifiers)), pixelRatio: 1)
        }
    }

    private func click(_ label: String, control: Bool = false, _ share: Double = 0.5) throws {
        layOut()
        let index = try #require(panel.rows.firstIndex { $0.label == label })
        let row = panel.form.rows[index]
        let rect = control ? try #require(row.control ?? row.toggle) : row.frame
        let x = panel.bounds.x + rect.x + (control ? 7 + (rect.width - 14) * share : 20)
        let y = panel.bounds.y + rect.y + rect.height / 2 - panel.scroll.offset
        for isPressed in [true, false] {
            _ = panel.handle(
                .button(
                    PointerButtonEvent(
                        button: .left, isPressed: isPressed, position: WindowPoint(x: x, y: y),
                        clickCount: 1)), pixelRatio: 1)
        }
    }

    @Test func `settings without effects have a title, their values, and what applies to them`() {
        #expect(
            panel.rows.map(\.label) == [
                "Desk Camera", "Zoom", "Light", "Mode", "Exposure", "Reset all", "Copy as --set",
            ])
        // What cannot be set has a value and nothing to click.
        let exposure = panel.rows.first { $0.input == "exposure" }
        #expect(exposure?.control == EffectPanelRow.Control.none && exposure?.value == "77")
        press(.tab)
        #expect(!panel.isVisible)
        settings.settings = []
        press(.tab)
        #expect(!panel.isVisible)
    }

    @Test func `sliders, switches and menus set possible values`() throws {
        try click("Zoom", control: true, 1)
        try click("Zoom", control: true, 0.32)
        try click("Light", control: true)
        try click("Mode")
        try click("Manual")
        #expect(settings.changes == ["zoom=200", "zoom=130", "light=1", "mode=1"])
        try click("Exposure")
        #expect(settings.changes.count == 4)
    }

    @Test func `keys change a number by a step at least, and type it`() {
        press(.down)
        press(.right)
        press(.left, .shift)
        for letter in "188" {
            _ = panel.handle(.key(KeyEvent(key: Key(letter), action: .press)), pixelRatio: 1)
            _ = panel.handle(.text(letter.unicodeScalars.first!), pixelRatio: 1)
        }
        press(.enter)
        press(.backspace)
        #expect(settings.changes == ["zoom=160", "zoom=150", "zoom=190", "zoom=120"])
    }

    @Test func `a reset sets what can be set and differs from its default`() {
        panel.resetAll()
        #expect(settings.changes == ["zoom=120"])
    }

    @Test func `what is copied begins with the argument of the device`() throws {
        var copied = ""
        panel.copyHandler = { copied = $0 }
        try click("Copy as --set")
        #expect(copied == "'camera:0?zoom=3'")
        panel.effects = [
            EffectInstance(
                try ISFImporter.effect(
                    text: """
                        /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
                        void main() {}
                        """, path: "my.fs"))
        ]
        try click("Copy as --set")
        #expect(copied == "'camera:0?zoom=3' --effect my.fs")
    }

    @Test(arguments: [(100...200, 10), (-7...8, 3), (0...1, 1), (5...5, 0), (0...255, 7)])
    func `the nearest value is possible, and another one for another number if there is one`(
        range: ClosedRange<Int>, step: Int
    ) {
        let possible = Array(
            stride(from: range.lowerBound, through: range.upperBound, by: max(step, 1)))
        for value in possible {
            let setting = PanelSetting(
                name: "", label: "", kind: .number(range, step: step), value: value,
                defaultValue: value)
            for number in (range.lowerBound - 20)...(range.upperBound + 20) {
                let nearest = setting.nearest(to: number)
                #expect(possible.contains(nearest))
                let hasOther = possible.contains { number > value ? $0 > value : $0 < value }
                #expect((nearest == value) == (number == value || !hasOther))
            }
        }
    }
}
