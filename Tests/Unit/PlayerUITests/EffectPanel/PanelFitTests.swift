// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadEffects
import PlayheadLayers
import Testing

@testable import PlayheadPlayerUI

/// The panel and the controls in windows of many sizes: nothing overlaps, and no label is cut off.
@Suite @MainActor struct PanelFitTests {
    nonisolated static let sizes = [
        (160, 120), (240, 180), (320, 180), (320, 480), (426, 240), (480, 270), (640, 360),
        (800, 600), (960, 540), (1280, 720), (1920, 1080), (2560, 600),
    ]
    nonisolated static let scales = [1, 1.5, 2]

    /// Labels of 40 characters, of words and of a single one.
    private static let words = "Forty characters of a label that is long"
    private static let word = "Incomprehensibilitiesandcounterrevolutio"

    private static func effect() throws -> EffectInstance {
        EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [
                        { "NAME": "inputImage", "TYPE": "image" },
                        { "NAME": "gain", "LABEL": "Gain", "TYPE": "float", "DEFAULT": 0.5 },
                        { "NAME": "number", "LABEL": "\(words)", "TYPE": "float", "DEFAULT": 1 },
                        { "NAME": "flag", "LABEL": "\(words)", "TYPE": "bool" },
                        { "NAME": "menu", "LABEL": "\(word)", "TYPE": "long", "DEFAULT": 1,
                          "VALUES": [1, 2], "LABELS": ["\(words)", "\(word)"], "GROUP": "\(words)" },
                        { "NAME": "tint", "LABEL": "\(words)", "TYPE": "color", "GROUP": "\(words)" },
                        { "NAME": "seed", "LABEL": "\(words)", "TYPE": "long", "GROUP": "\(word)",
                          "DEFAULT": -2147483648 },
                        { "NAME": "place", "LABEL": "\(words)", "TYPE": "point2D" },
                        { "NAME": "bang", "LABEL": "\(words)", "TYPE": "event" } ] }*/
                    void main() {}
                    """, path: "\(word).fs"))
    }

    private static func model() -> ControlsModel {
        var model = ControlsModel()
        model.kind = .film
        model.isSeekable = true
        model.total = 5400
        model.menus[.audio] = .tracks(
            .audioTrack, title: "Audio", names: [words, word, "English"], current: .number(1),
            canBeOff: true)
        model.menus[.speed] = .speeds(current: 1)
        return model
    }

    private static func panel(
        _ width: Int, _ height: Int, _ scale: Double
    ) throws -> (EffectPanel, ControlsLayout) {
        let controls = ControlsLayout(
            width: width, height: height, scale: scale, model: model(), labelWidth: 58 * scale)
        let panel = EffectPanel(effects: [try effect(), try effect()])
        panel.isVisible = true
        panel.state.open = [
            .init(effect: 0, input: "menu"), .init(effect: 0, input: "tint"),
        ]
        let top = controls.panel.y
        let right = controls.panel.x + controls.panel.width
        _ = panel.layers(width: width, height: height, scale: scale) {
            right > $0 ? top : Double(height)
        }
        return (panel, controls)
    }

    @Test(arguments: sizes, scales)
    func `rows keep clear of each other, and their parts of one another`(
        size: (Int, Int), scale: Double
    ) throws {
        let (panel, _) = try Self.panel(size.0, size.1, scale)
        let form = panel.form
        var bottom = 0.0
        for (row, place) in zip(panel.rows, form.rows) {
            #expect(place.frame.y >= bottom)
            bottom = place.frame.y + place.frame.height
            for (index, part) in place.parts.enumerated() {
                #expect(
                    part.x >= 0 && part.x + part.width <= panel.bounds.width + 0.5
                        && part.y >= place.frame.y && part.y + part.height <= bottom,
                    "\(row.label) \(row.control): \(part) in \(place.frame)")
                for other in place.parts[(index + 1)...] {
                    #expect(!part.intersects(other), "\(row.label): \(part) and \(other)")
                }
            }
        }
        #expect(form.height >= bottom)
    }

    @Test(arguments: sizes, scales)
    func `no label, value or item is cut off`(size: (Int, Int), scale: Double) throws {
        let (panel, _) = try Self.panel(size.0, size.1, scale)
        for (row, place) in zip(panel.rows, panel.form.rows) {
            let letters = place.label.lines.joined().filter { $0 != " " }
            #expect(letters == row.label.filter { $0 != " " })
            #expect(place.label.width <= place.labelRect.width + 0.5, "\(row.label)")
            if let text = place.fieldText, let control = place.control {
                #expect(text.width <= control.width && text.height <= control.height)
            }
            if let value = place.value, size.0 >= Int(200 * scale) {
                let text = row.value.isEmpty ? row.numberWithUnit : row.value
                let look = place.label.look
                #expect(PanelLayers.width(of: text, look) <= value.width + 0.5, "\(text)")
            }
        }
    }

    @Test(arguments: sizes, scales)
    func `the panel lies in the window, above controls that are below it`(
        size: (Int, Int), scale: Double
    ) throws {
        let (panel, controls) = try Self.panel(size.0, size.1, scale)
        let bounds = panel.bounds
        guard bounds.height > 0 else {
            // There is room only for the controls.
            #expect(controls.panel.y < 50 * scale)
            return
        }
        #expect(bounds.x >= 0 && bounds.x + bounds.width <= Double(size.0))
        #expect(bounds.y >= 0 && bounds.y + bounds.height <= Double(size.1))
        #expect(!bounds.intersects(controls.panel))
        // Every row can be scrolled to.
        panel.scroll.scroll(by: 1e6)
        #expect(panel.scroll.offset + bounds.height >= panel.form.height - 0.5)
    }

    @Test(arguments: sizes, scales)
    func `menus of the controls lie above them, and their items are not cut off`(
        size: (Int, Int), scale: Double
    ) throws {
        let model = Self.model()
        let layout = ControlsLayout(
            width: size.0, height: size.1, scale: scale, model: model, labelWidth: 58 * scale)
        guard let button = layout.elements[.audio], let menu = model.menus[.audio] else { return }
        let room = MenuLayout.textRoom(in: layout)
        let blocks = menu.items.map {
            TextBlock($0.title, TextLook(size: layout.points(13)), room: room)
        }
        let place = MenuLayout(
            itemCount: blocks.count, firstItem: 0, textWidth: blocks.map(\.width).max() ?? 0,
            textHeight: blocks.map(\.height).max() ?? 0, over: button, in: layout)
        #expect(!place.panel.intersects(layout.panel))
        #expect(place.panel.x >= 0 && place.panel.x + place.panel.width <= layout.width)
        for row in place.rows {
            let text = row.width - layout.points(26) - layout.points(8)
            #expect(blocks.allSatisfy { $0.width <= text + 0.5 && $0.height <= row.height })
        }
    }

    @Test func `lines break between words, and in words that are wider than a line`() {
        func lines(_ text: String, _ room: Double) -> [String] {
            TextBlock(text, TextLook(size: 10), room: room) { Double($0.count) }.lines
        }
        #expect(lines("one two three", 7) == ["one two", "three"])
        #expect(lines("one two three", 13) == ["one two three"])
        #expect(lines("a threehundred b", 5) == ["a", "three", "hundr", "ed b"])
        #expect(lines("first\nsecond line", 6) == ["first", "second", "line"])
        #expect(lines("", 6) == [""])
        #expect(lines("abc", 0) == ["a", "b", "c"])
    }
}
