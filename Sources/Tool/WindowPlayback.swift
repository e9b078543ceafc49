// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `play`: films in a window, one after another.
@MainActor final class WindowPlayback {
    private let settings: PlaySettings
    private let player: Player
    private let window: PlayerWindow
    private var remaining: [String]
    private var current = ""
    private var failure: (any Error)?
    private var screenshotCount = 0

    init(_ settings: PlaySettings) throws {
        self.settings = settings
        remaining = settings.files
        // The window first: without a display nothing else is worth starting.
        var configuration = WindowConfiguration(title: "Playhead")
        if let size = settings.options.size {
            configuration.size = WindowSize(width: size.width, height: size.height)
        }
        if settings.options.fullscreen || settings.options.monitor != nil {
            configuration.fullscreenMonitor = try Self.monitor(settings.options.monitor ?? 0)
        }
        player = Player(audioSink: settings.makeAudioSink())
        window = try PlayerWindow(
            player: player, configuration: configuration, effects: settings.effects,
            background: settings.background
        ) { URLAsset($0) }
    }

    private static func monitor(_ index: Int) throws -> DisplayMonitor {
        let monitors = try DisplayMonitor.all()
        guard monitors.indices.contains(index) else {
            throw ToolError(
                .noGraphics, "--monitor \(index): there are \(monitors.count), counted from 0")
        }
        return monitors[index]
    }

    func run() throws {
        let limits = PlayLimits(settings.options)
        player.defaultRate = settings.options.speed
        window.presenter.ledger.recordStart(hostTime: HostClock.shared.time)
        window.endHandler = { [weak self] in self?.playNext() }
        window.screenshotHandler = { [weak self] image in self?.save(image) }
        playNext()
        var isFitted = settings.options.size != nil || settings.options.fullscreen
        var isRunning = true
        window.closeHandler = { isRunning = false }
        while isRunning, failure == nil {
            MainLoop.shared.turn(waitingAtMost: 0.02)
            for problem in window.presenter.takeProblems() { report(problem) }
            guard let item = player.currentItem else { break }
            if !isFitted, item.status == .readyToPlay {
                isFitted = true
                fit(to: item)
            }
            let presented = window.presenter.ledger.statistics.presented
            if limits.areReached(at: item.currentTime, presented: presented) { break }
        }
        try finish()
    }

    /// Plays the next file; ends when there is none.
    private func playNext() {
        if let error = player.currentItem?.error {
            Console.note(error.description)
            if remaining.isEmpty { failure = ToolError(error) }
        } else if settings.options.loop || settings.isBuiltIn, let item = player.currentItem,
            remaining.isEmpty
        {
            item.seek(to: settings.options.start?.time ?? .zero)
            player.play()
            return
        }
        guard !remaining.isEmpty else {
            window.closeHandler()
            return
        }
        current = remaining.removeFirst()
        let item = settings.makeItem(current)
        window.show(item)
        player.replaceCurrentItem(with: item)
        player.play()
    }

    /// Makes the window as large as the film, as far as four fifths of the screen allow.
    private func fit(to item: PlayerItem) {
        guard let monitor = try? DisplayMonitor.all().first else { return }
        let size = settings.pictureSize(for: item)
        let scale = min(
            1, 0.8 * Double(monitor.size.width) / Double(size.width),
            0.8 * Double(monitor.size.height) / Double(size.height))
        window.window.size = WindowSize(
            width: max(1, Int(Double(size.width) * scale)),
            height: max(1, Int(Double(size.height) * scale)))
    }

    private func report(_ problem: RenderReport.Problem) {
        Console.note(problem.description)
        window.say(problem.description)
    }

    /// Writes a screenshot beside the others, in the current folder.
    private func save(_ image: RGBAImage) {
        var path = ""
        repeat {
            screenshotCount += 1
            let number = String(screenshotCount)
            path = "playhead-" + String(repeating: "0", count: max(0, 4 - number.count))
            path += number + ".png"
        } while FileManager.default.fileExists(atPath: path)
        do {
            try ImageFile.writePNG(image, to: path)
            window.say("Screenshot: \(path)")
            Console.print(path)
        } catch {
            window.say("\(error)")
        }
    }

    private func finish() throws {
        player.pause()
        let image = settings.options.screenshot == nil ? nil : window.presenter.image()
        let statistics = window.presenter.ledger.statistics
        let renderer = window.window.context.capabilities.renderer
        let playback = player.currentItem?.statistics
        window.close()
        if let path = settings.options.screenshot, let image {
            try ImageFile.writePNG(image, to: path)
        }
        if let path = settings.options.statsJson, let playback {
            try PlayReport(
                file: current, frames: statistics, playback: playback, renderer: renderer
            ).write(to: path)
        }
        if let failure { throw failure }
    }
}
