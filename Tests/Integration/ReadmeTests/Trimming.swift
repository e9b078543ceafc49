// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI
import Testing

// The code of Documentation/Player.md; a test compares the two.

private struct Trimming {
    // document begins
    @MainActor func makeTrimView(for item: PlayerItem, savingTo path: String) throws -> TrimView {
        let view = TrimView()
        view.saveHandler = { request, progress in
            let session = AssetExportSession(
                asset: request.asset, preset: request.isExact ? .highestQuality : .passthrough)
            session.timeRange = request.range
            let states = session.states()
            let observer = Task { @MainActor in
                for await case .exporting(let fraction) in states { progress(fraction) }
            }
            defer { observer.cancel() }
            try await session.export(to: path)
            return path
        }
        try view.open(item)
        return view
    }

    @MainActor func scene(of video: Layer, with view: TrimView, in window: Window) -> Scene {
        let size = window.framebufferSize
        let panel = view.layers(width: size.width, height: size.height, scale: window.contentScale)
        return Scene(layers: [video] + panel)
    }
    // document ends
}

/// A trim view in a program that imports only the products.
@Suite @MainActor struct TrimmingTests {
    @MainActor private final class Saved {
        var requests: [TrimRequest] = []
        var fractions: [Double] = []
    }

    private func press(_ key: Key, _ modifiers: KeyModifiers = [], in view: TrimView) {
        for action in [KeyEvent.Action.press, .release] {
            _ = view.handle(
                .key(KeyEvent(key: key, action: action, modifiers: modifiers)), pixelRatio: 1)
        }
    }

    @Test(arguments: [KeyModifiers(), .shift])
    func `a part is marked, undone and saved`(modifiers: KeyModifiers) async throws {
        let item = PlayerItem(
            asset: URLAsset(url: Checkout.root.appending(path: "Media/loops.mp4")))
        let player = Player(playerItem: item, audioSink: nil)
        try await item.waitUntilReady()
        let folder = TemporaryFolder()
        let view = try Trimming().makeTrimView(
            for: item, savingTo: folder.appending("part.mp4").path)
        let saved = Saved()
        let save = try #require(view.saveHandler)
        view.saveHandler = { request, progress in
            saved.requests.append(request)
            return try await save(request) { fraction in
                saved.fractions.append(fraction)
                progress(fraction)
            }
        }
        #expect(view.isVisible && !view.hasUnsavedMarks)
        #expect(!view.layers(width: 960, height: 540, scale: 1).isEmpty)

        _ = await item.seek(
            to: MediaTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(view.handle(.text(")"), pixelRatio: 1))
        #expect(view.hasUnsavedMarks)
        press(Key("z"), .control, in: view)
        #expect(!view.hasUnsavedMarks)
        press(Key("z"), [.control, .shift], in: view)
        #expect(view.hasUnsavedMarks)

        press(.enter, modifiers, in: view)
        let isSaved = await eventually { !view.hasUnsavedMarks }
        #expect(isSaved)
        let request = try #require(saved.requests.first)
        #expect(request.asset === item.asset && request.isExact == modifiers.isEmpty)
        #expect(request.range.start == .zero && request.range.duration.seconds > 1)
        #expect(saved.fractions.allSatisfy { (0...1).contains($0) })
        let part = try await URLAsset(folder.appending("part.mp4").path).load(.duration)
        if request.isExact {
            #expect(part == request.range.duration)
        } else {
            #expect(part >= request.range.duration && part < item.duration)
        }
        // Without a function that replaces files, the key is not taken.
        let replace = KeyEvent(key: .enter, action: .press, modifiers: .control)
        #expect(!view.handle(.key(replace), pixelRatio: 1))
        press(.escape, in: view)
        #expect(!view.isVisible && view.layers(width: 960, height: 540, scale: 1).isEmpty)
        withExtendedLifetime(player) {}
    }

    @Test func `only videos in files can be trimmed`() async throws {
        let item = PlayerItem(asset: SyntheticAsset())
        let view = TrimView()
        let early = #expect(throws: MediaError.self) { try view.open(item) }
        #expect(early?.cause == "the item is not ready to play")
        let player = Player(playerItem: item, audioSink: nil)
        try await item.waitUntilReady()
        let error = #expect(throws: MediaError.self) { try view.open(item) }
        #expect(error?.code == .cannotOpen && !view.isVisible)
        #expect(error?.cause == "only videos in files can be trimmed")
        withExtendedLifetime(player) {}
    }
}
