// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import Testing

@testable import PlayheadPlayerUI

/// The positions of the cards, and the steps between them.
@Suite("Browser layout")
struct BrowserLayoutTests {
    static let sizes = [
        (60, 40), (120, 80), (200, 150), (320, 180), (480, 640), (960, 540), (1280, 720),
        (3840, 2160),
    ]

    private func layout(
        _ count: Int, _ size: (Int, Int) = (960, 540), scale: Double = 1
    ) -> BrowserLayout {
        BrowserLayout(width: size.0, height: size.1, scale: scale, itemCount: count)
    }

    @Test(arguments: sizes)
    func `nothing overlaps or is cut off at the sides`(width: Int, height: Int) {
        for scale in [0.5, 1, 1.5, 2, 3] {
            for count in [0, 1, 2, 7, 30] {
                let layout = layout(count, (width, height), scale: scale)
                let (header, button) = (layout.header, layout.backButton)
                #expect(button.x >= 0 && button.y >= 0)
                #expect(button.x + button.width <= header.width)
                #expect(button.y + button.height <= header.height)
                #expect(header.y + header.height <= layout.viewport.y)
                #expect(layout.viewport.y + layout.viewport.height <= Double(height))
                let rects = (0..<count).map(layout.rect(of:))
                for (index, rect) in rects.enumerated() {
                    #expect(rect.x >= 0 && rect.y >= 0 && rect.width >= 1)
                    #expect(rect.x + rect.width <= Double(width))
                    #expect(rect.y + rect.height <= layout.contentHeight)
                    #expect(rects[..<index].allSatisfy { !$0.intersects(rect) })
                    if let track = layout.barTrack, width >= 120 {
                        #expect(!track.moved(by: -track.y).intersects(rect.moved(by: -rect.y)))
                    }
                }
            }
        }
    }

    @Test(arguments: sizes)
    func `a card is at its points, and no card is between them`(width: Int, height: Int) {
        let layout = layout(23, (width, height))
        for index in 0..<23 {
            let rect = layout.rect(of: index)
            let offset = layout.offset(revealing: index, from: 0)
            let y = layout.viewport.y + rect.y - offset
            for point in [
                SIMD2(rect.x, y), SIMD2(rect.x + rect.width / 2, y + rect.height / 2),
            ] where layout.viewport.contains(point) {
                #expect(layout.index(at: point, offset: offset) == index)
            }
            let beside = SIMD2(rect.x + rect.width + 1, y + 1)
            #expect(layout.index(at: beside, offset: offset) == nil)
            let below = SIMD2(rect.x + 1, y + rect.height + 1)
            #expect(layout.index(at: below, offset: offset) == nil)
        }
        // The header covers cards that are scrolled under it.
        #expect(layout.index(at: SIMD2(Double(width) / 2, 0), offset: 40) == nil)
    }

    @Test(arguments: sizes)
    func `the visible cards are those that the viewport shows`(width: Int, height: Int) {
        let layout = layout(101, (width, height))
        for step in 0...40 {
            let offset = layout.maximumOffset * Double(step) / 40
            let range = layout.indices(at: offset...offset)
            for index in 0..<101 {
                let rect = layout.rect(of: index)
                let isVisible =
                    rect.y + rect.height > offset && rect.y < offset + layout.viewport.height
                if isVisible { #expect(range.contains(index), "\(index) at \(offset)") }
                // At most the row whose last pixels are at the edge is added.
                let isNear =
                    rect.y + rect.height >= offset - 1
                    && rect.y <= offset + layout.viewport.height + 1
                if range.contains(index) { #expect(isNear, "\(index) at \(offset)") }
            }
        }
    }

    @Test(arguments: 0...30)
    func `steps stay within the cards, and opposite ones return`(count: Int) {
        let layout = layout(count)
        let steps: [BrowserLayout.Step] = [
            .left, .right, .up, .down, .pageUp, .pageDown, .first, .last,
        ]
        guard count > 0 else {
            #expect(steps.allSatisfy { layout.index(after: $0, from: nil) == nil })
            return
        }
        for index in 0..<count {
            for step in steps {
                let next = layout.index(after: step, from: index)
                #expect(next.map { (0..<count).contains($0) } == true)
            }
            if index + 1 < count {
                #expect(layout.index(after: .right, from: index) == index + 1)
                #expect(layout.index(after: .left, from: index + 1) == index)
            }
            if index + layout.columnCount < count {
                let below = layout.index(after: .down, from: index)
                #expect(below == index + layout.columnCount)
                #expect(layout.index(after: .up, from: below) == index)
            }
        }
        #expect(layout.index(after: .first, from: count - 1) == 0)
        #expect(layout.index(after: .last, from: 0) == count - 1)
        #expect(layout.index(after: .down, from: nil) == 0)
    }

    @Test func `page up and page down move by the rows that are visible`() {
        let layout = layout(100)
        let page = layout.visibleRowCount * layout.columnCount
        #expect(layout.columnCount == 4 && layout.visibleRowCount == 2)
        #expect(layout.index(after: .pageDown, from: 2) == 2 + page)
        #expect(layout.index(after: .pageUp, from: 2 + page) == 2)
        // At the ends, the column stays.
        #expect(layout.index(after: .pageUp, from: 6) == 2)
        #expect(layout.index(after: .pageDown, from: 97) == 97)
        #expect(layout.index(after: .pageDown, from: 93) == 97)
    }

    @Test func `revealing a card scrolls no farther than necessary`() {
        let layout = layout(100)
        for start in stride(from: 0, through: layout.maximumOffset, by: 97) {
            for index in 0..<100 {
                let offset = layout.offset(revealing: index, from: start)
                let rect = layout.rect(of: index)
                #expect(offset >= 0 && offset <= layout.maximumOffset)
                #expect(rect.y >= offset)
                #expect(rect.y + rect.height <= offset + layout.viewport.height)
                #expect(layout.offset(revealing: index, from: offset) == offset)
            }
        }
    }

    @Test func `the scroll bar and the offset follow each other`() throws {
        let layout = layout(2000)
        let track = try #require(layout.barTrack)
        for offset in stride(from: 0, through: layout.maximumOffset, by: 999) {
            let thumb = try #require(layout.thumb(offset: offset))
            #expect(abs(layout.offset(thumbAt: thumb.y) - offset) < 0.01)
            #expect(thumb.y >= track.y && thumb.y + thumb.height <= track.y + track.height)
        }
        #expect(layout.offset(thumbAt: -1000) == 0)
        #expect(layout.offset(thumbAt: 10_000) == layout.maximumOffset)
        #expect(self.layout(3).barTrack == nil && self.layout(3).thumb(offset: 0) == nil)
    }
}
