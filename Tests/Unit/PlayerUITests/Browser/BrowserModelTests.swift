// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadLayers
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// The state of the folder view, as a value with given times.
@Suite("Browser model")
struct BrowserModelTests {
    private static func at(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1_000_000)
    }

    private static func contents(_ count: Int, folders: Int = 0) -> FolderContents {
        FolderContents(
            path: "/videos",
            entries: (0..<count).map {
                FolderEntry(
                    path: "/videos/clip \($0).mp4", name: "clip \($0).mp4",
                    kind: $0 < folders ? .folder : .file)
            })
    }

    /// Returns a model with a folder in a window of 960 by 540: four columns, and two whole rows.
    private func model(_ count: Int, folders: Int = 0) -> BrowserModel {
        var model = BrowserModel()
        model.resize(width: 960, height: 540, scale: 1)
        model.show(Self.contents(count, folders: folders), selecting: nil)
        return model
    }

    /// Returns the middle of a card on the screen.
    private func middle(of index: Int, in model: BrowserModel) -> SIMD2<Double> {
        let rect = model.layout.rect(of: index)
        return SIMD2(
            rect.x + rect.width / 2,
            model.layout.viewport.y + rect.y - model.scroll.target + rect.height / 2)
    }

    @Test func `typed text filters the names, and Escape shows them all again`() {
        var model = model(30)
        _ = model.handle(.step(.last), at: Self.at(0))
        for letter in "CLIP 2".unicodeScalars {
            #expect(model.handle(.type(letter), at: Self.at(0)) == nil)
        }
        #expect(model.entries.count == 11 && model.selection == 0)
        _ = model.handle(.step(.right), at: Self.at(0))
        #expect(model.entries[1].name == "clip 20.mp4")
        _ = model.handle(.deleteBackward, at: Self.at(0))
        #expect(model.filter == "CLIP " && model.entries.count == 30)
        // The selected file stays selected.
        #expect(model.selection == 20)
        #expect(model.handle(.escape, at: Self.at(0)) == nil)
        #expect(model.filter.isEmpty && model.selection == 20)
        #expect(model.handle(.escape, at: Self.at(0)) == .escape)
        _ = model.handle(.type("z"), at: Self.at(0))
        #expect(model.entries.isEmpty && model.selection == nil)
        #expect(model.handle(.open, at: Self.at(0)) == nil)
        _ = model.handle(.deleteBackward, at: Self.at(0))
        #expect(model.handle(.deleteBackward, at: Self.at(0)) == .leave)
    }

    @Test func `a file plays with all files of the folder as the playlist`() {
        var model = model(10, folders: 3)
        #expect(model.handle(.open, at: Self.at(0)) == .enter("/videos/clip 0.mp4"))
        for letter in "7".unicodeScalars { _ = model.handle(.type(letter), at: Self.at(0)) }
        let files = (3..<10).map { "/videos/clip \($0).mp4" }
        #expect(model.handle(.open, at: Self.at(0)) == .play(files, index: 4))
    }

    @Test func `a file that cannot be opened is not played, and the reason is said`() {
        var model = model(5)
        model.setProblem("The file is empty.", of: model.entries[0])
        #expect(
            model.handle(.open, at: Self.at(0)) == .say("clip 0.mp4\nThe file is empty."))
        _ = model.handle(.step(.right), at: Self.at(0))
        let files = (1..<5).map { "/videos/clip \($0).mp4" }
        #expect(model.handle(.open, at: Self.at(0)) == .play(files, index: 0))
    }

    @Test func `names that differ only in the encoding of an accent are separate files`() {
        let paths = ["/videos/\u{E9}.mp4", "/videos/e\u{301}.mp4"]
        var model = BrowserModel()
        let contents = FolderContents(
            path: "/videos", entries: paths.map { FolderEntry(path: $0, name: $0, kind: .file) })
        for index in paths.indices {
            model.show(contents, selecting: paths[index])
            #expect(model.selection == index)
            #expect(model.handle(.open, at: Self.at(0)) == .play(paths, index: index))
        }
        model.setProblem("The file is empty.", of: model.entries[0])
        #expect(model.problem(of: model.entries[1]) == nil)
    }

    @Test func `when the folder is read again, the selected file stays, and problems end`() {
        var model = model(10)
        for _ in 0..<4 { _ = model.handle(.step(.right), at: Self.at(0)) }
        model.setProblem("The file is empty.", of: model.entries[4])
        var contents = Self.contents(10)
        contents.entries.removeFirst()
        model.show(contents, selecting: nil)
        #expect(model.selection == 3 && model.problem(of: model.entries[3]) == nil)
        // A file that is not in the folder is not selected.
        model.show(contents, selecting: "/elsewhere/clip 1.mp4")
        #expect(model.selection == 3)
        model.show(contents, selecting: "/videos/clip 7.mp4")
        #expect(model.selection == 6)
        contents.path = "/other"
        model.show(contents, selecting: nil)
        #expect(model.selection == 0)
    }

    @Test func `a click selects, and a double click opens`() {
        var model = model(30)
        let point = middle(of: 5, in: model)
        #expect(model.handle(.press(point, clickCount: 1), at: Self.at(0)) == nil)
        _ = model.handle(.release, at: Self.at(0))
        #expect(model.selection == 5)
        let action = model.handle(.press(point, clickCount: 2), at: Self.at(0.1))
        #expect(action == .play((0..<30).map { "/videos/clip \($0).mp4" }, index: 5))
        let button = model.layout.backButton
        let back = SIMD2(button.x + 2, button.y + 2)
        #expect(model.handle(.press(back, clickCount: 1), at: Self.at(1)) == .leave)
    }

    @Test func `a folder that is read again while the wheel moves it does not scroll back`() {
        var model = model(60)
        _ = model.handle(.wheel(-10), at: Self.at(0))
        let offset = model.scroll.target
        #expect(offset > 0)
        model.show(Self.contents(61), selecting: nil)
        #expect(model.selection == 0 && model.scroll.target == offset)
        model.show(Self.contents(61), selecting: "/videos/clip 1.mp4")
        #expect(model.selection == 1 && model.scroll.target == 0)
    }

    @Test func `the wheel scrolls smoothly and without a jump at each notch`() {
        var model = model(300)
        var time = 0.0
        var last = 0.0
        for _ in 0..<10 {
            _ = model.handle(.wheel(-1), at: Self.at(time))
            let before = model.scroll.offset(at: Self.at(time))
            #expect(abs(before - last) < 0.001)
            time += 0.05
            last = model.scroll.offset(at: Self.at(time))
            #expect(last > before && last < model.scroll.target)
        }
        #expect(model.scroll.target == 1000)
        #expect(model.scroll.offset(at: Self.at(time + 1)) == 1000)
        #expect(!model.scroll.isMoving(at: Self.at(time + 1)))
        _ = model.handle(.wheel(1000), at: Self.at(time))
        #expect(model.scroll.target == 0)
        // A long way shows a screen of cards, not all of them.
        _ = model.handle(.step(.last), at: Self.at(20))
        #expect(model.scroll.target == model.layout.maximumOffset)
        #expect(model.visible(from: Self.at(20)).count < 40)
    }

    @Test func `the grid follows a pointer that drags it, and the pointer that drags its thumb`()
        throws
    {
        var model = model(300)
        let start = middle(of: 5, in: model)
        _ = model.handle(.press(start, clickCount: 1), at: Self.at(0))
        // A hand is not quiet.
        _ = model.handle(.move(start - SIMD2(0, 3)), at: Self.at(0))
        #expect(model.scroll.target == 0)
        _ = model.handle(.move(start - SIMD2(0, 150)), at: Self.at(0))
        #expect(model.scroll.target == 150)
        _ = model.handle(.move(start + SIMD2(0, 500)), at: Self.at(0))
        #expect(model.scroll.target == 0)
        _ = model.handle(.release, at: Self.at(0))
        _ = model.handle(.move(start - SIMD2(0, 150)), at: Self.at(0))
        #expect(model.scroll.target == 0)

        let thumb = try #require(model.layout.thumb(offset: 0))
        let grip = SIMD2(thumb.x + 1, thumb.y + 3)
        _ = model.handle(.press(grip, clickCount: 1), at: Self.at(1))
        #expect(model.scroll.target == 0)
        _ = model.handle(.move(grip + SIMD2(0, 1000)), at: Self.at(1))
        #expect(model.scroll.target == model.layout.maximumOffset)
        _ = model.handle(.move(grip), at: Self.at(1))
        #expect(model.scroll.target == 0)
    }

    @Test func `the row at the top stays there while the window is resized`() {
        var model = model(300)
        _ = model.handle(.wheel(-30), at: Self.at(0))
        let first = model.layout.indices(at: model.scroll.target...model.scroll.target).lowerBound
        for width in [1280, 700, 480, 2000, 960] {
            model.resize(width: width, height: 540, scale: 1)
            let range = model.layout.indices(at: model.scroll.target...model.scroll.target)
            #expect(range.contains(first), "\(width)")
        }
    }

    @Test func `cards to load are those on the screen, then some in the scrolling direction`() {
        var model = model(400)
        #expect(model.wanted() == Array(0..<20))
        _ = model.handle(.wheel(-20), at: Self.at(0))
        let offset = model.scroll.target
        let visible = Array(model.layout.indices(at: offset...offset))
        var wanted = model.wanted()
        #expect(Array(wanted.prefix(visible.count)) == visible)
        let last = visible[visible.count - 1]
        #expect(Array(wanted.dropFirst(visible.count).prefix(8)) == Array(last + 1...last + 8))
        #expect(wanted.count == visible.count + 12)
        _ = model.handle(.wheel(1), at: Self.at(5))
        wanted = model.wanted()
        let first = wanted[0]
        let target = model.scroll.target
        let ahead = wanted.dropFirst(model.layout.indices(at: target...target).count)
        #expect(Array(ahead.prefix(8)) == (first - 8..<first).reversed())
    }

    @Test(arguments: 1...20)
    func `after any events, selection and offset are valid, and what is visible is wanted`(
        seed: Int
    ) {
        var random = SplitMix64(seed: UInt64(seed))
        var model = BrowserModel()
        let sizes = [(1, 1), (60, 40), (480, 640), (960, 540), (1280, 300)]
        var time = 0.0
        for _ in 0..<500 {
            time += Double.random(in: 0...0.3, using: &random)
            let point = SIMD2(
                Double.random(in: -50...1300, using: &random),
                Double.random(in: -50...700, using: &random))
            switch Int.random(in: 0..<14, using: &random) {
            case 0:
                let size = sizes.randomElement(using: &random) ?? (960, 540)
                model.resize(width: size.0, height: size.1, scale: 1)
            case 1:
                model.show(
                    Self.contents(Int.random(in: 0...300, using: &random)), selecting: nil)
            case 2: _ = model.handle(.type("2"), at: Self.at(time))
            case 3: _ = model.handle(.deleteBackward, at: Self.at(time))
            case 4: _ = model.handle(.escape, at: Self.at(time))
            case 5, 6:
                let turn = Double.random(in: -20...20, using: &random)
                _ = model.handle(.wheel(turn), at: Self.at(time))
            case 7: _ = model.handle(.press(point, clickCount: 1), at: Self.at(time))
            case 8, 9: _ = model.handle(.move(point), at: Self.at(time))
            case 10: _ = model.handle(.release, at: Self.at(time))
            default:
                let steps: [BrowserLayout.Step] = [
                    .left, .right, .up, .down, .pageUp, .pageDown, .first, .last,
                ]
                let step = steps.randomElement(using: &random) ?? .left
                _ = model.handle(.step(step), at: Self.at(time))
            }
            let layout = model.layout
            #expect(layout.itemCount == model.entries.count)
            #expect((model.selection == nil) == model.entries.isEmpty)
            #expect(model.selection.map { model.entries.indices.contains($0) } != false)
            #expect(model.hovered.map { model.entries.indices.contains($0) } != false)
            let target = model.scroll.target
            #expect(target >= 0 && target <= layout.maximumOffset)
            let wanted = model.wanted()
            #expect(Set(wanted).count == wanted.count)
            #expect(wanted.allSatisfy { model.entries.indices.contains($0) })
            #expect(Set(wanted).isSuperset(of: layout.indices(at: target...target)))
        }
    }
}
