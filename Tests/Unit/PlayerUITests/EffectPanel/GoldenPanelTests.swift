// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadCommands
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import PlayheadWindow
import Testing

@testable import PlayheadPlayerUI

/// The appearance of the panel and the list of keys: images that were inspected once.
@Suite(
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
    .enabled(
        if: FileManager.default.fileExists(
            atPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
        "needs DejaVu Sans (apt install fonts-dejavu-core)"))
@MainActor struct GoldenPanelTests {
    private func compare(_ name: String, width: Int, height: Int, _ layers: [Layer]) throws {
        let image = try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            let ground = Layer(.color([0.35, 0.45, 0.4, 1]))
            _ = renderer.render(
                Scene(layers: [ground] + layers), hostTime: .zero, into: RenderTarget(framebuffer))
            return framebuffer.image()
        }
        try GoldenImage("panel-" + name, maximum: 48, rootMeanSquare: 2).compare(
            TestImage(width: image.width, height: image.height, pixels: image.bytes))
    }

    private static let effect = """
        /*{ "INPUTS": [
            { "NAME": "inputImage", "TYPE": "image" },
            { "NAME": "key", "LABEL": "Key colour", "TYPE": "color", "DEFAULT": [0, 0.69, 0.25, 1] },
            { "NAME": "tolerance", "LABEL": "Tolerance", "TYPE": "float", "DEFAULT": 0.25 },
            { "NAME": "choke", "LABEL": "Choke, in pixels", "TYPE": "float", "DEFAULT": 0,
              "MIN": -6, "MAX": 6, "GROUP": "Matte" },
            { "NAME": "shadows", "LABEL": "Shadow removal", "TYPE": "float", "DEFAULT": 1,
              "GROUP": "Matte" },
            { "NAME": "despill", "LABEL": "Spill suppression in bright and in dark parts",
              "TYPE": "long", "VALUES": [0, 1], "LABELS": ["Unmixing", "Average"],
              "DEFAULT": 0, "GROUP": "Spill" },
            { "NAME": "wrap", "LABEL": "Light wrap", "TYPE": "bool", "DEFAULT": true,
              "GROUP": "Spill" },
            { "NAME": "light", "LABEL": "Light", "TYPE": "point2D", "DEFAULT": [0.5, 0.25] },
            { "NAME": "view", "LABEL": "View", "TYPE": "long", "VALUES": [0, 1, 2],
              "LABELS": ["Composite", "Matte", "Foreground"], "DEFAULT": 0 } ] }*/
        void main() {}
        """

    private func panel() throws -> EffectPanel {
        let effect = try ISFImporter.effect(text: Self.effect, path: "key.fs")
        let panel = EffectPanel(effects: [EffectInstance(effect)])
        panel.isVisible = true
        return panel
    }

    @Test func `rows, groups and units, above the controls`() throws {
        let panel = try panel()
        try compare(
            "window", width: 960, height: 540,
            panel.layers(width: 960, height: 540, scale: 1) { _ in 426 })
    }

    @Test func `a typed number, an open menu and a focused row at twice the scale`() throws {
        let panel = try panel()
        panel.state.open = [.init(effect: 0, input: "view")]
        _ = panel.layers(width: 1280, height: 960, scale: 2)
        let row = try #require(panel.rows.first { $0.input == "tolerance" })
        panel.beginTyping(row)
        _ = panel.type("0")
        try compare(
            "typing", width: 1280, height: 960, panel.layers(width: 1280, height: 960, scale: 2))
    }

    @Test func `a narrow window`() throws {
        let panel = try panel()
        try compare(
            "narrow", width: 240, height: 320, panel.layers(width: 240, height: 320, scale: 1))
    }

    @Test(arguments: [
        ("labels", 640, 480, 1.0), ("labels-narrow", 240, 480, 1.0),
        ("labels-large", 960, 720, 1.5),
    ])
    func `labels of 40 characters wrap instead of being cut off`(
        name: String, width: Int, height: Int, scale: Double
    ) throws {
        let words = "Forty characters of a label that is long"
        let word = "Incomprehensibilitiesandcounterrevolutio"
        let effect = try ISFImporter.effect(
            text: """
                /*{ "INPUTS": [
                    { "NAME": "inputImage", "TYPE": "image" },
                    { "NAME": "number", "LABEL": "\(words)", "TYPE": "float", "DEFAULT": 1 },
                    { "NAME": "flag", "LABEL": "\(word)", "TYPE": "bool" },
                    { "NAME": "menu", "LABEL": "\(words)", "TYPE": "long", "DEFAULT": 1,
                      "VALUES": [1, 2], "LABELS": ["\(words)", "\(word)"], "GROUP": "\(words)" },
                    { "NAME": "tint", "LABEL": "\(word)", "TYPE": "color", "GROUP": "\(words)" } ] }*/
                void main() {}
                """, path: "key.fs")
        let panel = EffectPanel(effects: [EffectInstance(effect)])
        panel.isVisible = true
        panel.state.open = [.init(effect: 0, input: "menu")]
        try compare(
            name, width: width, height: height,
            panel.layers(width: width, height: height, scale: scale))
    }

    @Test func `the list of keys`() throws {
        var scroll = ScrollState()
        var painter = PagePainter(width: 1280, height: 720, scale: 1)
        painter.paintKeys(Self.bindings, scroll: &scroll)
        try compare("keys", width: 1280, height: 720, painter.layers)
    }

    /// A table of the tests' own, which does not change when help texts are reworded.
    private static var bindings: KeyBindings {
        var bindings = KeyBindings()
        var number = 0
        for (group, count) in zip(KeyBinding.Group.allCases, [4, 9, 5, 7, 12, 6]) {
            for index in 0..<count {
                let chord = KeyChord(
                    character: Character(Unicode.Scalar(UInt8(0x61 + number % 26))),
                    modifiers: number < 26 ? [] : .control)
                number += 1
                bindings.bind(
                    KeyBinding(
                        [chord], CommandSequence(.ignore),
                        help: index % 5 == 4
                            ? "A help text that is longer than a line" : "Help of row \(index + 1)",
                        group: group))
            }
        }
        return bindings
    }
}
