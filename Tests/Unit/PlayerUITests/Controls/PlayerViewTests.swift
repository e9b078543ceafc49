// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadCommands
import PlayheadLayers
import PlayheadPlayback
import PlayheadTime
import PlayheadWindow
import Testing

@testable import PlayheadPlayerUI

/// A view of a real player with a stopped clock, which gets events at times chosen by the test.
@Suite @MainActor struct PlayerViewTests {
    private let view: PlayerView
    private var player: Player { view.player }

    init() async throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 20, timescale: 1)))
        media.sounds.append(SyntheticSound(duration: media.duration, languageTag: "de"))
        let item = PlayerItem(asset: SyntheticAsset(media))
        let clock = ManualClock()
        let player = Player(
            playerItem: item, audioSink: NullAudioSink(clock: clock), masterClock: clock)
        view = PlayerView(player: player)
        view.resize(width: 960, height: 540)
        try await item.waitUntilReady()
        // Until the first frame is available, the view polls.
        repeat {
            await Task.yield()
            view.update(at: Self.at(0))
        } while !view.isReadyForDisplay
    }

    private static func at(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1_000_000)
    }

    private func middle(of element: ControlElement) throws -> WindowPoint {
        let rect = try #require(view.layout.elements[element])
        return WindowPoint(x: rect.x + rect.width / 2, y: rect.y + rect.height / 2)
    }

    private var controls: Layer? { view.scene.layers.first { $0.name == "controls" } }

    private func move(_ point: WindowPoint, at seconds: Double) {
        _ = view.handle(.pointerMoved(point), at: Self.at(seconds))
        view.update(at: Self.at(seconds))
    }

    @discardableResult
    private func button(
        _ isPressed: Bool, _ point: WindowPoint, at seconds: Double
    ) -> Bool {
        defer { view.update(at: Self.at(seconds)) }
        return view.handle(
            .button(
                PointerButtonEvent(button: .left, isPressed: isPressed, position: point)),
            at: Self.at(seconds))
    }

    private func click(_ element: ControlElement, at seconds: Double) throws {
        let point = try middle(of: element)
        move(point, at: seconds)
        #expect(button(true, point, at: seconds))
        #expect(button(false, point, at: seconds))
    }

    @Test func `a part to repeat is marked, whichever of its bounds was set first`() throws {
        for (start, end) in [(5, 10), (10, 5)] {
            try view.controller.perform("set ab-loop-a \(start); set ab-loop-b \(end)")
            let reader = ControlsModelReader(controller: view.controller, isFullscreen: false)
            #expect(reader.model().loop == 0.25...0.5)
        }
    }

    @Test func `controls fade in and out, and are then no part of the scene`() throws {
        #expect(controls == nil)
        move(WindowPoint(x: 100, y: 100), at: 1)
        #expect(controls?.animations.isEmpty == false)
        #expect(view.nextUpdate == Self.at(1.2))
        view.update(at: Self.at(1.2))
        // No animation runs any more: frames are as cheap as without controls.
        #expect(controls?.animations.isEmpty == true)
        #expect(view.nextUpdate == Self.at(3))
        #expect(!view.isCursorHidden)
        view.update(at: Self.at(3))
        #expect(controls?.opacity == 0)
        #expect(view.isCursorHidden)
        view.update(at: Self.at(3.2))
        #expect(controls == nil)
        #expect(view.nextUpdate == nil)
    }

    @Test func `no scene is built without a change`() async throws {
        var count = 0
        view.sceneHandler = { _ in count += 1 }
        move(WindowPoint(x: 100, y: 100), at: 1)
        view.update(at: Self.at(1.5))
        // Read-ahead continues for a moment, and is visible on the scrubber.
        var rounds = 0
        repeat {
            count = 0
            for step in 0..<10 { view.update(at: Self.at(1.5 + Double(step) / 100)) }
            rounds += 1
            await Task.yield()
        } while count > 0 && rounds < 10_000
        #expect(count == 0)
    }

    @Test func `buttons do what keys do`() throws {
        try click(.play, at: 1)
        #expect(player.rate == 1)
        try click(.play, at: 1.1)
        #expect(player.rate == 0)
        try click(.volume, at: 1.2)
        #expect(player.isMuted)
        try click(.forward, at: 1.3)
        #expect(player.currentItem?.currentTime == Self.at(10))
        try click(.back, at: 1.4)
        #expect(player.currentItem?.currentTime == .zero)
        // A press that leaves the button is not a click.
        let play = try middle(of: .play)
        move(play, at: 1.5)
        button(true, play, at: 1.5)
        move(WindowPoint(x: 5, y: 5), at: 1.6)
        button(false, WindowPoint(x: 5, y: 5), at: 1.6)
        #expect(player.rate == 0)
    }

    @Test func `a window that opens under the pointer shows no controls until the pointer moves`() {
        let point = WindowPoint(x: 300, y: 200)
        _ = view.handle(.pointerEntered(true), at: Self.at(1))
        move(point, at: 1)
        #expect(controls == nil && !view.isCursorHidden)
        view.update(at: Self.at(3.1))
        #expect(controls == nil && view.isCursorHidden)
        move(WindowPoint(x: 301, y: 200), at: 4)
        #expect(controls != nil && !view.isCursorHidden)
    }

    @Test func `clicks beside the controls are left to others`() {
        #expect(!button(true, WindowPoint(x: 5, y: 5), at: 1))
        move(WindowPoint(x: 5, y: 5), at: 1.1)
        #expect(!button(true, WindowPoint(x: 5, y: 5), at: 1.2))
        let panel = view.layout.panel
        // Between the buttons, the panel handles clicks.
        #expect(button(true, WindowPoint(x: panel.x + 3, y: panel.y + 3), at: 1.3))
    }

    @Test func `dragging the scrubber seeks, and playback continues afterwards`() throws {
        player.play()
        // The layout reserves space for text once it is visible.
        move(WindowPoint(x: 5, y: 5), at: 0.9)
        let track = view.layout.track
        let y = track.y + track.height / 2
        move(WindowPoint(x: track.x + 10, y: y), at: 1)
        button(true, WindowPoint(x: track.x + track.width / 4, y: y), at: 1.1)
        #expect(player.rate == 0)
        #expect(player.currentItem?.currentTime == Self.at(5))
        move(WindowPoint(x: track.x + track.width / 2, y: 0), at: 1.2)
        #expect(player.currentItem?.currentTime == Self.at(10))
        #expect(view.state.preview?.time == "0:10")
        // During a drag they do not disappear.
        view.update(at: Self.at(60))
        #expect(controls != nil)
        button(false, WindowPoint(x: track.x + track.width, y: y), at: 61)
        #expect(player.rate == 1)
    }

    @Test func `a file that is opened during a drag plays as the previous one did`() throws {
        player.play()
        move(WindowPoint(x: 5, y: 5), at: 0.9)
        let track = view.layout.track
        let place = WindowPoint(x: track.x + track.width / 4, y: track.y + track.height / 2)
        move(place, at: 1)
        button(true, place, at: 1.1)
        #expect(player.rate == 0)
        player.replaceCurrentItem(
            with: PlayerItem(asset: SyntheticAsset(SyntheticMedia(frameTimes: nil))))
        view.update(at: Self.at(1.2))
        #expect(player.rate == 1)
        button(false, place, at: 1.3)
        #expect(player.rate == 1)
    }

    @Test func `audio after a video shows no frame of the video`() async throws {
        #expect(view.scene.layers.first?.isHidden == false)
        let media = SyntheticMedia(
            frameTimes: nil,
            sounds: [SyntheticSound(duration: MediaTime(value: 2, timescale: 1))])
        let sound = PlayerItem(asset: SyntheticAsset(media))
        player.replaceCurrentItem(with: sound)
        try await sound.waitUntilReady()
        view.update(at: Self.at(1))
        #expect(view.scene.layers.first?.isHidden != false)
        player.replaceCurrentItem(with: PlayerItem(asset: SyntheticAsset()))
        try await #require(player.currentItem).waitUntilReady()
        view.update(at: Self.at(2))
        #expect(view.scene.layers.first?.isHidden == false)
    }

    @Test func `a menu opens, chooses and closes`() throws {
        try click(.audio, at: 1)
        let menu = try #require(view.menuLayout)
        #expect(menu.rows.count == 2)
        let row = menu.rows[1]
        let point = WindowPoint(x: row.x + 20, y: row.y + 5)
        move(point, at: 1.1)
        #expect(view.state.hoveredItem == 1)
        button(true, point, at: 1.2)
        #expect(view.controller.value(of: .audioTrack) == .number(2))
        #expect(view.state.openMenu == nil)
        try click(.speed, at: 2)
        #expect(view.state.openMenu == .speed)
        // A click elsewhere closes it, and has no other effect.
        #expect(button(true, WindowPoint(x: 3, y: 3), at: 2.1))
        #expect(view.state.openMenu == nil)
    }

    @Test func `a menu of more tracks than there is room for is scrolled`() async throws {
        var media = SyntheticMedia()
        media.sounds = (0..<30).map { _ in SyntheticSound(duration: media.duration) }
        let item = PlayerItem(asset: SyntheticAsset(media))
        player.replaceCurrentItem(with: item)
        try await item.waitUntilReady()
        try view.controller.perform(.set(.audioTrack, .number(25)))
        view.update(at: Self.at(1))
        try click(.audio, at: 1)
        let opened = try #require(view.menuLayout)
        #expect(opened.rows.count < 30)
        #expect(opened.items.contains(24))
        // Wherever the wheel moves it, the item under the pointer is selected.
        let row = try #require(opened.rows.first)
        let point = WindowPoint(x: row.x + 20, y: row.y + 5)
        move(point, at: 1.1)
        func turn(_ steps: Double) -> Bool {
            defer { view.update(at: Self.at(1.2)) }
            return view.handle(
                .scrolled(ScrollEvent(x: 0, y: steps, position: point)), at: Self.at(1.2))
        }
        let (before, time) = (opened.firstItem, item.currentTime)
        #expect(turn(2))
        #expect(view.menuLayout?.firstItem == before - 2)
        #expect(view.state.hoveredItem == before - 2)
        #expect(turn(-100) && turn(1))
        #expect(view.menuLayout?.items.upperBound == 29)
        #expect(item.currentTime == time)
        // Keys scroll to the item that they select.
        #expect(press(.home, at: 1.3))
        #expect(view.menuLayout?.firstItem == 0)
        #expect(press(.up, at: 1.4))
        #expect(view.menuLayout?.items.upperBound == 30)
        #expect(press(.enter, at: 1.5))
        #expect(view.controller.value(of: .audioTrack) == .number(30))
        #expect(view.menuLayout == nil)
    }

    private func press(_ key: Key, _ modifiers: KeyModifiers = [], at seconds: Double) -> Bool {
        defer { view.update(at: Self.at(seconds)) }
        return view.handle(
            .key(KeyEvent(key: key, action: .press, modifiers: modifiers)),
            at: Self.at(seconds))
    }

    @Test func `the keyboard reaches every control, and gives the keys back`() {
        #expect(!press(.enter, at: 1))
        var reached: [ControlElement] = []
        for _ in view.layout.focusOrder {
            #expect(press(.tab, at: 2))
            if let focused = view.state.focused { reached.append(focused) }
        }
        #expect(reached == view.layout.focusOrder)
        #expect(press(.tab, .shift, at: 2.1))
        #expect(view.state.focused == reached[reached.count - 2])
        view.state.focused = .play
        #expect(press(.enter, at: 2.2))
        #expect(player.rate == 1)
        view.state.focused = .speed
        #expect(press(.space, at: 2.3))
        #expect(press(.down, at: 2.4) && press(.enter, at: 2.5))
        #expect(player.defaultRate == 1.25)
        #expect(press(.escape, at: 2.6))
        #expect(view.state.focused == nil)
        #expect(!press(.space, at: 2.7))
    }

    @Test func `a key that follows Tab before the controls appear is handled`() {
        for key in [Key.tab, .enter] {
            let event = KeyEvent(key: key, action: .press, modifiers: [])
            #expect(view.handle(.key(event), at: Self.at(1)))
        }
        #expect(player.rate == 1)
        view.update(at: Self.at(1))
        #expect(view.state.focused == .play)
    }

    @Test func `properties move the frame`() throws {
        #expect(view.scene.layers[0].frame == .whole)
        try view.controller.perform("set video-zoom 1; set contrast 20")
        #expect(
            view.scene.layers[0].frame
                == .pixels(LayerRect(x: -480, y: -270, width: 1920, height: 1080)))
        #expect(view.scene.layers[0].effects.count == 1)
        #expect(view.pictureRect.width == 1920)
        try view.controller.perform("set video-zoom 0; set contrast 0")
        #expect(view.scene.layers[0].frame == .whole)
        #expect(view.scene.layers[0].effects.isEmpty)
        #expect(view.pictureRect == LayerRect(x: 0, y: 0, width: 960, height: 540))
        #expect(view.picturePlace(at: [240, 135]) == SIMD2(0.25, 0.25))
        // Upright, the frame is 303.75 pixels wide now: its left edge is at the top.
        try view.controller.perform("set video-rotate 90")
        for (point, place) in [
            ([480, 270], [0.5, 0.5]), ([480, 0], [0, 0.5]), ([631.875, 0], [0, 0]),
            ([328.125, 540], [1, 1]),
        ] as [(SIMD2<Double>, SIMD2<Double>)] {
            let difference = view.picturePlace(at: point) - place
            #expect(abs(difference.x) < 1e-9 && abs(difference.y) < 1e-9, "\(point)")
        }
        try view.controller.perform("set video-rotate 0")
        try view.controller.perform("set controls never")
        move(WindowPoint(x: 1, y: 1), at: 3)
        #expect(controls == nil)
    }

    @Test func `the content overlay is between the video and the controls`() {
        view.contentOverlay = [Layer(.color([1, 0, 0, 1]))]
        view.subtitleProvider = { picture, _, _ in
            var layer = Layer(.color([1, 1, 1, 1]), frame: .pixels(picture))
            layer.name = "subtitles"
            return [layer]
        }
        move(WindowPoint(x: 1, y: 1), at: 1)
        let names = view.scene.layers.map(\.name)
        #expect(names == ["", "subtitles", "", "controls"])
        let film = view.filmScene(width: 320, height: 180, hasSubtitles: false)
        #expect(film.layers.count == 1)
    }

    @Test func `the covered height is reported while the controls are visible`() {
        #expect(view.coveredHeight == 0)
        move(WindowPoint(x: 100, y: 100), at: 0.1)
        move(WindowPoint(x: 101, y: 100), at: 0.2)
        #expect(view.coveredHeight == 540 - view.layout.panel.y)
        #expect(view.coveredHeight > 80)
        view.update(at: Self.at(5))
        #expect(view.coveredHeight == 0)
    }
}
