// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `play`: films in a window, one after another.
@MainActor final class WindowPlayback {
    private let settings: PlaySettings
    private let problems = ProblemLog()
    private let sound: SoundDevice
    private let player: Player
    private let window: PlayerWindow
    private var limits: PlayLimits
    private var remaining: [String]
    /// What plays, and whether it was named on the command line, not dropped.
    private var current: (file: String, isNamed: Bool) = ("", true)
    /// The item that remarks have been made about.
    private var remarked: PlayerItem?
    private var hasStarted = false
    private var isFitted: Bool
    private var isRunning = true
    private var screenshots = ScreenshotNames()

    init(_ settings: PlaySettings) throws {
        self.settings = settings
        let options = settings.options
        limits = PlayLimits(options)
        remaining = settings.files
        isFitted = options.size != nil || options.fullscreen
        var configuration = WindowConfiguration(title: "Playhead")
        if let size = options.size {
            configuration.size = WindowSize(width: size.width, height: size.height)
        }
        if options.fullscreen || options.monitor != nil {
            configuration.fullscreenMonitor = try Self.monitor(options.monitor ?? 0)
        }
        sound = SoundDevice(settings)
        player = Player(audioSink: sound.sink)
        window = try PlayerWindow(
            player: player, configuration: configuration, effects: settings.effects,
            background: settings.background
        ) { [settings] in settings.makeAsset($0) }
    }

    private static func monitor(_ index: Int) throws -> DisplayMonitor {
        let monitors = try DisplayMonitor.all()
        guard monitors.indices.contains(index) else {
            throw ToolError(
                .wrongUsage,
                "--monitor \(index): there are \(monitors.count), counted from 0; see them with "
                    + "'playhead doctor'")
        }
        return monitors[index]
    }

    func run() throws {
        player.defaultRate = settings.options.speed
        window.presenter.ledger.recordStart(hostTime: HostClock.shared.time)
        // The window is closed before this returns, and calls none of them afterwards.
        window.endHandler = { [unowned self] in filmEnded() }
        window.closeHandler = { [unowned self] in isRunning = false }
        window.dropHandler = { [unowned self] in open(dropped: $0) }
        window.screenshotHandler = { [unowned self] in save($0) }
        playNext()
        while isRunning {
            // Events and tasks end the wait; what does not happen while nothing moves is not looked
            // for often.
            let isResting = hasStarted && player.timeControlStatus == .paused
            MainLoop.shared.turn(waitingAtMost: isResting ? 0.5 : 0.02)
            look()
        }
        try finish()
        try problems.throwStatus()
    }

    /// What has to be seen to between events.
    private func look() {
        for problem in window.presenter.takeProblems() {
            if let line = problems.note(problem) { window.say(line) }
        }
        let presented = window.presenter.ledger.presentedCount
        if limits.areFramesReached(presented) { isRunning = false }
        guard let item = player.currentItem, item.status == .readyToPlay else { return }
        if remarked !== item {
            remarked = item
            remark(on: item)
            fit(to: item)
        }
        // Drivers compile shaders when they first draw, which takes as long as several frames: that
        // is over before the timeline moves.
        if !hasStarted, presented > 0 || item.playingTracks.video == nil {
            hasStarted = true
            player.play()
        }
        if current.isNamed, limits.isDurationReached(at: item.currentTime) { playNext() }
    }

    private func remark(on item: PlayerItem) {
        do {
            if current.isNamed { try settings.checkStart(of: item, current.file) }
            let lines = settings.remarks(on: item, of: current.file, sound)
            for line in lines where problems.remark(line) { window.say(line) }
        } catch {
            problems.note(error)
            playNext()
        }
    }

    // MARK: One after another

    private func filmEnded() {
        guard let item = player.currentItem else { return }
        if let error = item.error {
            problems.note(error)
            // Of what was dropped, the window says what is wrong, and stays for another try.
            if current.isNamed || !remaining.isEmpty { playNext() }
        } else if remaining.isEmpty, settings.options.loop || settings.isBuiltIn {
            limits.beginRound(after: item.currentTime)
            item.seek(
                to: current.isNamed ? settings.firstTime ?? .zero : .zero,
                toleranceBefore: .zero, toleranceAfter: .zero)
            player.play()
        } else {
            playNext()
        }
    }

    /// Plays the next file; ends when there is none.
    private func playNext() {
        noteDamage()
        guard !remaining.isEmpty else {
            isRunning = false
            return
        }
        current = (remaining.removeFirst(), isNamed: true)
        limits.beginFilm()
        show(settings.makeItem(current.file))
    }

    /// Plays what was dropped instead, and then ends as it would have.
    private func open(dropped paths: [String]) {
        guard let first = paths.first else { return }
        noteDamage()
        current = (first, isNamed: false)
        remaining = Array(paths.dropFirst())
        show(PlayerItem(asset: settings.makeAsset(first)))
    }

    private func show(_ item: PlayerItem) {
        window.show(item)
        player.replaceCurrentItem(with: item)
        // A film that ended has stopped the player.
        if hasStarted { player.play() }
    }

    private func noteDamage() {
        guard let item = player.currentItem, item.error == nil,
            let remark = settings.damage(in: item, current.file)
        else { return }
        problems.remark(remark)
    }

    // MARK: The window

    /// Makes the window as large as the first film, as far as four fifths of the screen allow.
    private func fit(to item: PlayerItem) {
        guard !isFitted, let monitor = window.window.monitor else { return }
        isFitted = true
        let size = settings.displaySize(
            of: item,
            fittingInto: (0.8 * Double(monitor.size.width), 0.8 * Double(monitor.size.height)))
        window.window.size = WindowSize(width: size.width, height: size.height)
    }

    /// Writes a screenshot beside the others, in the current folder.
    private func save(_ image: RGBAImage) {
        let path = screenshots.next()
        do {
            try ImageFile.writePNG(image, to: path)
            window.say("Screenshot: \(path)")
            Console.print(path)
        } catch {
            let line = ToolError(error).description
            Console.note(line)
            window.say(line)
        }
    }

    private func finish() throws {
        player.pause()
        noteDamage()
        let image = settings.options.screenshot == nil ? nil : window.presenter.image()
        let statistics = window.presenter.ledger.statistics
        let capabilities = window.window.context.capabilities
        let playback = player.currentItem?.statistics
        window.close()
        if let path = settings.options.screenshot, let image {
            try ImageFile.writePNG(image, to: path)
        }
        if let path = settings.options.statsJson, let playback {
            try PlayReport(
                file: current.file, frames: statistics, playback: playback,
                capabilities: capabilities
            ).write(to: path)
        }
    }
}
