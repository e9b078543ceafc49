// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadEffects
import PlayheadPlayback
import PlayheadPresentation
import PlayheadTime
public import PlayheadWindow

/// What keys, pointer and dropped files do. Keys are mpv's where mpv has one.
extension PlayerWindow {
    private static let seekStep = MediaTime(value: 5, timescale: 1)
    private static let longSeekStep = MediaTime(value: 60, timescale: 1)

    /// The keys, for help texts.
    public nonisolated static let keyHelp: [(key: String, action: String)] = [
        ("space", "play, pause"),
        ("left, right", "5 seconds back, forward; with shift 1 second"),
        ("down, up", "1 minute back, forward"),
        (". ,", "one frame forward, back"),
        ("home", "to the beginning"),
        ("[ ]", "slower, faster by a tenth; with shift half, double"),
        ("b", "backwards, forwards"),
        ("backspace", "normal speed"),
        ("e", "effects on, off"),
        ("tab", "the effects' inputs"),
        ("f", "fullscreen"),
        ("m", "mute"),
        ("9 0", "volume down, up"),
        ("s", "screenshot"),
        ("i", "statistics"),
        ("q", "quit"),
    ]

    func handle(_ event: WindowEvent) {
        if takesForEffectPanel(event) { return }
        switch event {
        case .key(let key) where key.action != .release: press(key)
        case .button(let click) where click.isPressed && click.clickCount == 2:
            window.toggleFullscreen()
        case .dropped(let paths): dropHandler(paths)
        case .iconifiedChanged(let isIconified): setHidden(isIconified)
        case .scrolled(let scroll): changeVolume(by: scroll.y > 0 ? 0.05 : -0.05)
        case .closeRequested: closeHandler()
        case .refreshNeeded, .framebufferResized, .contentScaleChanged:
            presenter.setNeedsDisplay()
        default: break
        }
    }

    /// Whether a key closes the window: `q`, and what desktops have for it.
    public nonisolated static func quits(_ event: KeyEvent) -> Bool {
        event.key == Key("q") || (event.key == Key("w") && event.modifiers.contains(.control))
    }

    private func press(_ event: KeyEvent) {
        let shift = event.modifiers.contains(.shift)
        switch event.key {
        case _ where Self.quits(event): closeHandler()
        case .space, Key("p"): togglePlaying()
        case .left: seek(by: shift ? MediaTime(value: -1, timescale: 1) : -Self.seekStep)
        case .right: seek(by: shift ? MediaTime(value: 1, timescale: 1) : Self.seekStep)
        case .down: seek(by: -Self.longSeekStep)
        case .up: seek(by: Self.longSeekStep)
        case .home: player.currentItem?.seek(to: .zero)
        case Key("."): step(by: 1)
        case Key(","): step(by: -1)
        case Key("["): changeSpeed(by: shift ? 1 / 2 : 1 / 1.1)
        case Key("]"): changeSpeed(by: shift ? 2 : 1.1)
        case Key("b"): changeSpeed(by: -1)
        case .backspace: setSpeed(1)
        case Key("9"): changeVolume(by: -0.05)
        case Key("0"): changeVolume(by: 0.05)
        case Key("f"), .function(11):
            if event.action == .press { window.toggleFullscreen() }
        case Key("m"): toggleMuted()
        case Key("e"): toggleEffects()
        case Key("i"): toggleStatistics()
        case Key("s"): takeScreenshot()
        case .escape: if window.isFullscreen { window.leaveFullscreen() }
        default: break
        }
    }

    // MARK: What keys do

    public func togglePlaying() {
        if player.timeControlStatus != .paused {
            player.pause()
            say("Paused")
        } else {
            if let item = player.currentItem, item.hasPlayedToEnd {
                item.seek(to: player.defaultRate < 0 ? item.duration : .zero)
            }
            player.play()
            say("Playing")
        }
    }

    private func seek(by distance: MediaTime) {
        guard let item = player.currentItem, item.status == .readyToPlay else { return }
        var target = max(item.currentTime + distance, .zero)
        if item.duration.isNumeric { target = min(target, item.duration) }
        item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        let total = item.duration.isNumeric ? " / \(Self.clock(item.duration))" : ""
        say(Self.clock(target) + total)
    }

    private func step(by count: Int) {
        player.pause()
        player.currentItem?.step(byCount: count)
    }

    private func changeSpeed(by factor: Double) {
        let speed = player.defaultRate * factor
        let magnitude = min(max(speed.magnitude, 1.0 / 16), Player.rateLimit)
        setSpeed(speed < 0 ? -magnitude : magnitude)
    }

    /// Sets the rate of play, also for the next time.
    private func setSpeed(_ speed: Double) {
        // What tenths up and tenths down have come back to is 1 again.
        let speed = (speed * 1e6).rounded() / 1e6
        player.defaultRate = speed
        if player.timeControlStatus != .paused { player.play() }
        let hundredths = Int((speed.magnitude * 100).rounded())
        let digits = "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
        say("Speed \(speed < 0 ? "−" : "")\(digits)")
    }

    private func changeVolume(by change: Float) {
        player.isMuted = false
        player.volume = min(max(player.volume + change, 0), 1.3)
        say("Volume \(Int((player.volume * 100).rounded())) %")
    }

    private func toggleMuted() {
        player.isMuted.toggle()
        say(player.isMuted ? "Muted" : "Sound on")
    }

    private func toggleEffects() {
        guard !effects.isEmpty else {
            say("No effect")
            return
        }
        let isEnabled = !effects.allSatisfy(\.isEnabled)
        for effect in effects { effect.isEnabled = isEnabled }
        presenter.setNeedsDisplay()
        say(isEnabled ? "Effect on" : "Effect off")
    }

    private func takeScreenshot() {
        guard let handler = screenshotHandler, let image = presenter.image() else { return }
        handler(image)
    }
}
