// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadCommands
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// The font of the golden images: another font has other glyphs.
private enum GoldenFont {
    static let isThere = FileManager.default.fileExists(
        atPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
}

/// The appearance of the controls: images that were inspected once, at two sizes and for each kind
/// of media.
@Suite(
    "Golden controls", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"),
    .enabled(if: GoldenFont.isThere, "needs DejaVu Sans (apt install fonts-dejavu-core)"))
@MainActor struct GoldenControlsTests {
    private static func model(_ change: (inout ControlsModel) -> Void = { _ in }) -> ControlsModel {
        var model = ControlsModel()
        model.kind = .film
        model.isPlaying = true
        model.elapsed = 754
        model.total = 2710
        model.progress = 754.0 / 2710
        model.loaded = [0.27...0.46]
        model.chapterMarks = [0.18, 0.5, 0.83]
        model.isSeekable = true
        model.volume = 0.7
        model.menus[.speed] = .speeds(current: 1)
        model.menus[.audio] = .tracks(
            .audioTrack, title: "Audio", names: ["English", "Deutsch", "Director's commentary"],
            current: .number(1), canBeOff: false)
        model.menus[.subtitles] = .tracks(
            .subtitleTrack, title: "Subtitles", names: ["English", "Français"],
            current: .number(2), canBeOff: true)
        change(&model)
        return model
    }

    /// Returns a bright and a dark half; controls must be visible on both.
    private static func ground(_ width: Int, _ height: Int) -> PixelBuffer {
        TestPictures.rgba(width: width, height: height) { x, y in
            let light = UInt8(clamping: x * 300 / width - 20)
            return [
                light, UInt8(clamping: Int(light) * 5 / 6 + y * 30 / height), light / 2 + 60, 255,
            ]
        }
    }

    private func compare(
        _ name: String, width: Int, height: Int, scale: Double = 1, _ model: ControlsModel,
        _ change: (inout ControlsState, ControlsLayout) -> Void = { _, _ in }
    ) throws {
        let labelWidth = Double(
            PanelLayers.picture(of: "−45:10", size: (12.5 * scale).rounded())?.width ?? 0)
        let layout = ControlsLayout(
            width: width, height: height, scale: scale, model: model, labelWidth: labelWidth)
        var state = ControlsState()
        change(&state, layout)
        var menu: MenuLayout?
        if let kind = state.openMenu, let items = model.menus[kind]?.items,
            let button = layout.elements.first(where: { $0.key.menu == kind })?.value
        {
            menu = MenuLayout(
                itemCount: items.count, firstItem: 0, textWidth: 150 * scale, over: button,
                in: layout)
        }
        var painter = ControlsPainter(
            layout: layout, menuLayout: menu, model: model, state: state, icons: IconPictures())
        let ground = Layer(.image(Self.ground(width, height)), gravity: .resize)
        let scene = Scene(layers: [ground] + painter.layers())
        let image = try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            _ = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            return framebuffer.image()
        }
        try GoldenImage("controls-" + name, maximum: 48, rootMeanSquare: 2).compare(
            TestImage(width: image.width, height: image.height, pixels: image.bytes))
    }

    @Test func `a video in a window, the pointer on the scrubber`() throws {
        try compare("window", width: 960, height: 540, Self.model()) { state, _ in
            state.hovered = .scrubber
            state.preview = ControlsState.Preview(
                fraction: 0.56, time: "25:17", chapter: "The second half",
                picture: Self.ground(176, 99))
        }
    }

    @Test func `a menu, and what the keyboard has reached, at twice the scale`() throws {
        try compare(
            "menu", width: 1200, height: 700, scale: 2,
            Self.model {
                $0.isPlaying = false
                $0.loop = 0.3...0.6
                $0.speed = 1.25
                $0.isMuted = true
            }
        ) { state, _ in
            state.openMenu = .subtitles
            state.hoveredItem = 1
            state.focused = .play
        }
    }

    @Test func `small views`() throws {
        try compare("embedded", width: 320, height: 180, Self.model())
    }

    @Test func `a stream without an end`() throws {
        try compare(
            "live", width: 640, height: 360,
            Self.model {
                $0.kind = .live
                $0.total = nil
                $0.isSeekable = false
                $0.chapterMarks = []
                $0.loaded = []
            })
    }
}
