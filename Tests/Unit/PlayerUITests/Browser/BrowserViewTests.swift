// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadLayers
import PlayheadTime
import PlayheadWindow
import Synchronization
import Testing

@testable import PlayheadPlayerUI

/// The folder view without a window: folders and files are made up, and cards are drawn on its
/// threads.
@Suite("Browser view") @MainActor
struct BrowserViewTests {
    /// The files that were opened.
    private final class Opened: Sendable {
        private let paths = Mutex<[String]>([])
        private let isRepaired = Mutex(false)
        var all: [String] { paths.withLock { $0 } }
        /// A Boolean value that indicates whether all files can be opened from now on.
        var areRepaired: Bool { isRepaired.withLock { $0 } }
        func add(_ path: String) { paths.withLock { $0.append(path) } }
        func repair() { isRepaired.withLock { $0 = true } }
    }

    private let view = BrowserView()
    private let opened = Opened()

    private nonisolated static func entries(_ path: String, _ count: Int) -> [FolderEntry] {
        [FolderEntry(path: "\(path)/sub", name: "sub", kind: .folder)]
            + (1..<count).map {
                FolderEntry(path: "\(path)/\($0).mp4", name: "\($0).mp4", kind: .file)
            }
    }

    /// Opens a folder of files, of which those with a 3 in their name cannot be opened, and those
    /// with a 5 have no frame that can be decoded.
    private func open(_ path: String = "/videos", count: Int, note: String? = nil) async {
        view.folderReader = { path, trail in
            guard !path.contains("secret") else {
                throw MediaError(
                    .cannotOpen, subject: path, cause: "reading this directory is not permitted",
                    remedy: "check its permissions")
            }
            let isEmpty = trail.count > 2
            return FolderContents(
                path: path, entries: isEmpty ? [] : Self.entries(path, count), note: note)
        }
        view.makeAsset = { [opened] path in
            opened.add(path)
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 30, duration: MediaTime(value: 83, timescale: 1)))
            if path.contains("5") { media.faults.undecodableFrames = Set(0..<83 * 30) }
            if path.contains("3") {
                media.faults.willOpen = { (_) throws(MediaError) in
                    if opened.areRepaired { return }
                    throw MediaError(
                        .damaged, subject: "file", cause: "the file ends in its header")
                }
            }
            return SyntheticAsset(media)
        }
        view.show()
        view.open(path)
        await settle()
    }

    private func layers() -> [Layer] { view.layers(width: 960, height: 540, scale: 1) }

    /// Waits until every card that is wanted has been drawn.
    private func settle() async {
        let isSettled = await eventually {
            _ = layers()
            return view.isSettled
        }
        #expect(isSettled)
    }

    private func press(_ key: Key, _ modifiers: KeyModifiers = []) -> Bool {
        view.handle(
            .key(KeyEvent(key: key, action: .press, modifiers: modifiers)), pixelRatio: 1)
    }

    @Test func `only the files on the screen and a few more are opened`() async {
        await open(count: 2000)
        // Five rows of four, without the folder; each is opened for its duration and its frame.
        #expect(Set(opened.all) == Set((1..<20).map { "/videos/\($0).mp4" }))
        #expect(view.model.problem(of: view.model.entries[3]) == "The file ends in its header.")
        #expect(view.model.problem(of: view.model.entries[4]) == nil)
        _ = press(.end)
        await settle()
        #expect(opened.all.contains("/videos/1999.mp4"))
        #expect(!opened.all.contains("/videos/1000.mp4"))
        view.close()
    }

    @Test func `an entry that is selected while the folder is read again stays selected`() async {
        await open(count: 20)
        let isAllowed = DispatchSemaphore(value: 0)
        view.folderReader = { path, _ in
            isAllowed.wait()
            return FolderContents(path: path, entries: Self.entries(path, 21), note: nil)
        }
        for selected in ["/videos/7.mp4", "/videos/20.mp4"] {
            view.reload(selecting: selected)
            _ = press(.home)
            _ = press(.right)
            isAllowed.signal()
            await settle()
            #expect(view.model.selection == 1, "\(selected)")
        }
        view.reload(selecting: "/videos/20.mp4")
        isAllowed.signal()
        await settle()
        #expect(view.model.selection == 20)
        view.close()
    }

    @Test func `memory stays within its limit on the way through a large folder`() async {
        await open(count: 600)
        for _ in 0..<12 {
            for _ in 0..<3 { _ = press(.pageDown) }
            await settle()
            #expect(view.memory.bytes <= view.memory.limit)
            #expect(view.memory.bytes > 0)
        }
        view.close()
    }

    @Test func `folders are entered and left, and the one that was left is selected`() async {
        await open(count: 10)
        #expect(view.title == "videos")
        #expect(press(.enter))
        await settle()
        #expect(view.trail == ["/videos", "/videos/sub"] && view.title == "sub")
        #expect(press(.enter))
        await settle()
        #expect(view.model.entries.isEmpty && layers().count >= 3)
        #expect(press(.backspace))
        await settle()
        #expect(view.trail == ["/videos", "/videos/sub"])
        _ = press(.down)
        #expect(press(.up, .alt))
        await settle()
        #expect(view.trail == ["/videos"])
        #expect(view.model.selection == 0)
        // Above the folder that was opened.
        #expect(press(.backspace))
        await settle()
        #expect(view.trail == ["/"])
        var said: [String] = []
        view.sayHandler = { said.append($0) }
        #expect(press(.backspace))
        #expect(said == ["There is no folder above this one."])
        view.close()
    }

    @Test func `a folder that cannot be read says so, and can be left`() async {
        await open("/videos/secret", count: 10)
        #expect(view.model.contents == nil && !view.isReading)
        // What the user can do here, not on a command line.
        #expect(
            view.message
                == "Reading this directory is not permitted. Press Backspace to leave the folder.")
        #expect(press(.backspace))
        await settle()
        #expect(view.trail == ["/videos"] && view.model.entries.count == 10)
        view.close()
    }

    @Test func `keys with Control and function keys keep their bindings, and letters are typed`()
        async
    {
        await open(count: 10)
        #expect(!press(Key("q"), .control))
        #expect(!press(.function(1)))
        #expect(!press(.function(7)))
        #expect(press(Key("q")))
        #expect(view.handle(.text("7"), pixelRatio: 1))
        #expect(view.model.entries.map(\.name) == ["7.mp4"])
        var played: (files: [String], index: Int)?
        view.playHandler = { played = ($0, $1) }
        #expect(press(.enter))
        // The file that cannot be opened is no part of the playlist.
        #expect(played?.files.count == 8 && played?.index == 5)
        view.hide()
        #expect(!press(.enter) && layers().isEmpty)
        view.close()
    }

    @Test func `F5 tries a file again that could not be opened`() async {
        await open(count: 10)
        let broken = view.model.entries[3]
        #expect(view.model.problem(of: broken) == "The file ends in its header.")
        let count = opened.all.count
        opened.repair()
        #expect(press(.function(5)))
        await settle()
        #expect(view.model.problem(of: broken) == nil)
        // The other cards are kept: only these two files showed an error.
        #expect(Set(opened.all.dropFirst(count)) == ["/videos/3.mp4", "/videos/5.mp4"])
        view.close()
    }

    @Test func `a file without a frame to show can be played`() async {
        await open(count: 10)
        for _ in 0..<5 { _ = press(.right) }
        var played: (files: [String], index: Int)?
        view.playHandler = { played = ($0, $1) }
        #expect(press(.enter))
        #expect(played?.index == 3 && played?.files[3] == "/videos/5.mp4")
        view.close()
    }

    @Test func `a folder that was not read to its end is not called empty`() async {
        await open(count: 1, note: "The search ended early.")
        #expect(view.message == nil)
        for letter in "zzz".unicodeScalars {
            _ = view.handle(.text(letter), pixelRatio: 1)
        }
        #expect(view.message == "No name contains 'zzz'.")
        _ = press(.escape)
        #expect(press(.enter))
        await settle()
        #expect(press(.enter))
        await settle()
        #expect(view.model.entries.isEmpty && view.message == "The search ended early.")
        view.close()
    }

    @Test func `the title of a folder has no control characters`() async {
        await open("/videos/a\nb\u{1B}c", count: 1)
        #expect(view.title == "a\u{FFFD}b\u{FFFD}c")
        view.close()
    }

    @Test func `cards that rest lie on pixels`() async throws {
        await open(count: 2000)
        let point = WindowPoint(x: 400, y: 300)
        _ = view.handle(.scrolled(ScrollEvent(x: 0, y: -1.125, position: point)), pixelRatio: 1)
        let rests = await eventually { view.nextUpdate == nil }
        #expect(rests && view.model.scroll.target == 112.5)
        let grid = try #require(layers().first { $0.name == "grid" })
        #expect(grid.sublayers.count >= 12)
        for case .pixels(let rect) in grid.sublayers.map(\.frame) {
            #expect(rect.y == rect.y.rounded() && rect.x == rect.x.rounded())
        }
        view.close()
    }

    @Test func `a button that was held when the view was hidden is no longer held`() async {
        await open(count: 2000)
        let place = WindowPoint(x: 400, y: 300)
        _ = view.handle(
            .button(PointerButtonEvent(button: .left, isPressed: true, position: place)),
            pixelRatio: 1)
        view.hide()
        view.show()
        _ = view.handle(.pointerMoved(WindowPoint(x: 400, y: 100)), pixelRatio: 1)
        #expect(view.model.scroll.target == 0)
        view.close()
    }

    @Test func `while the grid moves, it is an animation, and it rests without one`() async {
        await open(count: 2000)
        let point = WindowPoint(x: 400, y: 300)
        _ = view.handle(.scrolled(ScrollEvent(x: 0, y: -1, position: point)), pixelRatio: 1)
        // On a slow machine, the movement may be over before the layers are requested.
        let end = view.nextUpdate
        let isMoving = layers().contains { !$0.animations.isEmpty }
        if end != nil, view.nextUpdate != nil { #expect(isMoving) }
        let rests = await eventually { view.nextUpdate == nil }
        #expect(rests)
        #expect(!layers().contains { !$0.animations.isEmpty })
        #expect(view.model.scroll.target == 100)
        view.close()
    }

    @Test func `cards that are scrolled past are cancelled, and do not delay the next`() async {
        // These files can be opened only after they were cancelled.
        let (cards, continuation) = AsyncStream.makeStream(of: BrowserCard.self)
        let loader = CardLoader(
            makeAsset: { path in
                var media = SyntheticMedia()
                if path != "next" {
                    media.faults.willOpen = { (cancellation) throws(MediaError) in
                        while !cancellation.isCancelled { usleep(500) }
                        throw MediaError(.cancelled, subject: path, cause: "it was cancelled")
                    }
                }
                return SyntheticAsset(media)
            }, handler: { continuation.yield($0) })
        func request(_ path: String) -> BrowserCard.Request {
            BrowserCard.Request(
                entry: FolderEntry(path: path, name: path, kind: .file),
                metrics: CardMetrics(width: 64, scale: 1), stage: .complete)
        }
        loader.request((0..<20).map { request("\($0)") })
        loader.request([request("next")])
        var first: BrowserCard?
        for await card in cards {
            first = card
            break
        }
        #expect(first?.request == request("next") && first?.problem == nil)
        let isDone = await eventually { loader.count == 0 }
        #expect(isDone)
        loader.end()
    }
}
