// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadLayers
import Testing

@testable import PlayheadPlayerUI

/// Laws of the layout of controls, over many sizes, scales and kinds of media.
@Suite struct ControlsLayoutTests {
    static let sizes = [
        (120, 60), (200, 120), (280, 160), (320, 180), (479, 400), (480, 240), (640, 360),
        (960, 540), (1280, 720), (1920, 1080), (3840, 2160), (480, 640), (5000, 300),
    ]

    private static func model(_ kind: ControlsModel.Kind, isSeekable: Bool) -> ControlsModel {
        var model = ControlsModel()
        model.kind = kind
        model.isSeekable = isSeekable
        model.total = kind == .live ? nil : 5400
        let menu = ControlMenu(title: "", items: [])
        model.menus = [.speed: menu, .audio: menu, .subtitles: menu]
        return model
    }

    static var layouts: [ControlsLayout] {
        sizes.flatMap { width, height in
            [1, 1.5, 2].flatMap { scale in
                [
                    model(.film, isSeekable: true), model(.film, isSeekable: false),
                    model(.live, isSeekable: false), model(.live, isSeekable: true),
                    model(.sound, isSeekable: true),
                    model(.none, isSeekable: false),
                ].map {
                    ControlsLayout(
                        width: width, height: height, scale: scale, model: $0,
                        labelWidth: 58 * scale)
                }
            }
        }
    }

    private func intersect(_ left: LayerRect, _ right: LayerRect) -> Bool {
        left.x < right.x + right.width && right.x < left.x + left.width
            && left.y < right.y + right.height && right.y < left.y + left.height
    }

    @Test func `buttons do not overlap and are inside the panel`() {
        for layout in Self.layouts {
            // A smaller window has no room for a finger.
            guard layout.width >= 200 * layout.scale else { continue }
            let elements = Array(layout.elements)
            for (index, element) in elements.enumerated() {
                let rect = element.value
                #expect(rect.width > 0 && rect.height > 0)
                #expect(
                    rect.x >= layout.panel.x - 1
                        && rect.x + rect.width <= layout.panel.x + layout.panel.width + 1,
                    "\(element.key) at \(layout.width) x \(layout.height)")
                for other in elements[(index + 1)...] {
                    #expect(
                        !intersect(rect, other.value),
                        "\(element.key) and \(other.key) at \(layout.width), \(layout.scale)")
                }
            }
        }
    }

    @Test func `labels and lines keep clear of each other and of buttons`() {
        for layout in Self.layouts {
            let things = [
                layout.elapsedLabel, layout.remainingLabel, layout.liveLabel, layout.track,
            ]
            .compactMap { $0 }.filter { $0.width > 0 }
            for (index, rect) in things.enumerated() {
                for other in things[(index + 1)...] { #expect(!intersect(rect, other)) }
                for (element, place) in layout.elements
                where element != .scrubber && (element != .live || rect != layout.liveLabel) {
                    #expect(!intersect(rect, place), "\(element) at \(layout.width)")
                }
            }
        }
    }

    @Test func `the panel lies within the view, above its lower edge`() {
        for layout in Self.layouts where layout.height >= 60 * layout.scale {
            #expect(layout.panel.x >= 0 && layout.panel.y >= 0)
            #expect(layout.panel.x + layout.panel.width <= layout.width)
            #expect(layout.panel.y + layout.panel.height < layout.height)
        }
    }

    @Test func `every element is found at its position, and none outside of the panel`() {
        for layout in Self.layouts {
            for (element, rect) in layout.elements {
                let middle = SIMD2(rect.x + rect.width / 2, rect.y + rect.height / 2)
                #expect(layout.element(at: middle) == element)
            }
            #expect(layout.element(at: SIMD2(-1, -1)) == nil)
            #expect(Set(layout.focusOrder).isSubset(of: layout.elements.keys))
        }
    }

    @Test func `the scrubber's ends are those of the video`() {
        for layout in Self.layouts where layout.track.width > 0 {
            #expect(layout.fraction(at: layout.track.x) == 0)
            #expect(layout.fraction(at: layout.track.x + layout.track.width) == 1)
            #expect(layout.fraction(at: -10_000) == 0)
            #expect(layout.fraction(at: 10_000) == 1)
            #expect(
                abs(layout.fraction(at: layout.track.x + layout.track.width / 4) - 0.25) < 1e-9)
        }
    }

    @Test func `small views have one row, large ones two`() {
        let film = Self.model(.film, isSeekable: true)
        func style(_ width: Int, _ height: Int, _ scale: Double) -> ControlsLayout.Style {
            ControlsLayout(
                width: width, height: height, scale: scale, model: film, labelWidth: 50
            ).style
        }
        #expect(style(320, 180, 1) == .inline)
        #expect(style(1280, 720, 1) == .floating)
        #expect(style(640, 360, 2) == .inline)
    }

    @Test func `media that cannot seek has no scrubber`() {
        let live = ControlsLayout(
            width: 1280, height: 720, scale: 1, model: Self.model(.live, isSeekable: false),
            labelWidth: 50)
        #expect(live.elements[.scrubber] == nil)
        #expect(live.elements[.back] == nil)
        #expect(live.liveLabel != nil)
        #expect(live.elements[.live] == nil)
        #expect(live.remainingLabel == nil)
    }

    @Test func `the mark of a live stream with a window is a button`() {
        let live = ControlsLayout(
            width: 1280, height: 720, scale: 1, model: Self.model(.live, isSeekable: true),
            labelWidth: 50)
        #expect(live.elements[.live]?.width == live.liveLabel?.width)
        #expect(live.elements[.scrubber] != nil)
        #expect(live.focusOrder.contains(.live))
    }

    @Test func `the time of a live stream is its distance from the newest part`() {
        var model = Self.model(.live, isSeekable: true)
        model.elapsed = 70
        #expect(model.elapsedText == "1:10")
        model.behindLive = 0
        #expect(model.elapsedText == "1:10" && model.isAtLive)
        model.behindLive = 95
        #expect(model.elapsedText == "−1:35" && !model.isAtLive)
    }

    @Test func `a menu stays within the view, over its button, and its rows are found`() {
        for layout in Self.layouts where layout.style == .floating {
            for kind in ControlMenuKind.allCases {
                guard let button = layout.elements.first(where: { $0.key.menu == kind })?.value
                else { continue }
                for (count, first) in [(1, 0), (6, 0), (6, 3), (40, 0), (40, 17), (40, 99)] {
                    let menu = MenuLayout(
                        itemCount: count, firstItem: first, textWidth: 90, over: button, in: layout)
                    #expect(menu.panel.x >= 0 && menu.panel.y >= 0)
                    #expect(menu.panel.x + menu.panel.width <= layout.width)
                    #expect(menu.panel.y + menu.panel.height <= layout.panel.y)
                    for (index, row) in menu.rows.enumerated() {
                        let item = menu.item(at: SIMD2(row.x + 1, row.y + 1))
                        #expect(item == menu.firstItem + index)
                    }
                    // The last row is never empty, and every requested item can be visible.
                    #expect(menu.items.upperBound <= count)
                    #expect(
                        menu.rows.count == count
                            || menu.firstItem == min(first, count - menu.rows.count))
                    #expect((menu.scroller(width: 3) == nil) == (menu.rows.count == count))
                    for item in 0..<count where !menu.rows.isEmpty {
                        var other = menu
                        other.firstItem = menu.firstItem(revealing: item)
                        #expect(other.items.contains(item))
                        #expect(!menu.items.contains(item) || other.firstItem == menu.firstItem)
                    }
                }
            }
        }
    }

    @Test func `times are as wide as the longest of the video`() {
        #expect(ControlsModel.clock(5) == "0:05")
        #expect(ControlsModel.clock(5, likeThoseOf: 3600) == "0:00:05")
        #expect(ControlsModel.clock(3661) == "1:01:01")
        #expect(ControlsModel.clock(-59) == "−0:59")
        var model = ControlsModel()
        model.total = 100
        model.elapsed = 40
        #expect(model.remainingText == "−1:00")
        model.elapsed = 100
        #expect(model.remainingText == "0:00")
    }
}
