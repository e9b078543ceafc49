// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `play --headless`: real time, real sound, no window.
@MainActor final class HeadlessPlayback {
    private let settings: PlaySettings
    private let problems = ProblemLog()
    private let ledger = FrameLedger()
    private var limits: PlayLimits
    /// Made for the first film that can be opened, which decides its size.
    private var stage: (surface: OffscreenSurface, presenter: Presenter)?
    /// What was played last.
    private var played: (file: String, statistics: PlaybackStatistics)?

    init(_ settings: PlaySettings) {
        self.settings = settings
        limits = PlayLimits(settings.options)
    }

    func run() throws {
        let sound = SoundDevice(settings)
        let player = Player(audioSink: sound.sink)
        player.defaultRate = settings.options.speed
        ledger.recordStart(hostTime: HostClock.shared.time)
        defer { stage?.presenter.invalidate() }
        for file in settings.files where !limits.areFramesReached(ledger.presentedCount) {
            do {
                try play(file, on: player, sound)
            } catch let error as MediaError {
                problems.note(error)
            }
        }
        player.pause()
        try finish()
        try problems.throwStatus()
    }

    private func play(_ file: String, on player: Player, _ sound: SoundDevice) throws {
        let item = settings.makeItem(file)
        let output = PlayerItemVideoOutput()
        item.add(output)
        player.pause()
        player.replaceCurrentItem(with: item)
        try waitUntilReady(item)
        try settings.checkStart(of: item, file)
        sound.setTitle(of: item, file)
        for remark in settings.remarks(on: item, of: file, sound) { problems.remark(remark) }
        let presenter = try presenter(for: item)
        presenter.observe(item, through: output)
        presenter.scene = Scene(
            background: settings.background,
            layers: [Layer(.video(output), effects: settings.effects)])
        presenter.isPaused = false
        limits.beginFilm()
        waitForFirstPicture(of: item, presenter)
        player.play()
        try playToEnd(item, on: player, presenter)
        played = (file, item.statistics)
        if let remark = settings.damage(in: item, file) { problems.remark(remark) }
    }

    private func waitUntilReady(_ item: PlayerItem) throws {
        while true {
            switch item.status {
            case .readyToPlay: return
            case .failed(let error): throw error
            case .unknown: MainLoop.shared.turn(waitingAtMost: 0.002)
            }
        }
    }

    private func presenter(for item: PlayerItem) throws -> Presenter {
        if let stage { return stage.presenter }
        let size = settings.pictureSize(for: item)
        let surface = try OffscreenSurface(width: size.width, height: size.height)
        let rate = MediaTime(
            value: 1000, timescale: Int32((settings.options.fps * 1000).rounded()))
        let presenter = try Presenter(
            surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(period: rate)),
            ledger: ledger)
        stage = (surface, presenter)
        return presenter
    }

    /// Drivers compile shaders when they first draw, which takes as long as several frames: that is
    /// over before the timeline moves.
    private func waitForFirstPicture(of item: PlayerItem, _ presenter: Presenter) {
        let before = ledger.presentedCount
        let deadline = HostClock.shared.time + PlaySettings.firstPictureLimit
        while item.playingTracks.video != nil, ledger.presentedCount == before,
            HostClock.shared.time < deadline, item.error == nil
        {
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    private func playToEnd(
        _ item: PlayerItem, on player: Player, _ presenter: Presenter
    ) throws {
        while true {
            MainLoop.shared.turn(waitingAtMost: 0.005)
            for problem in presenter.takeProblems() { problems.note(problem) }
            if let error = item.error { throw error }
            if limits.areFramesReached(ledger.presentedCount)
                || limits.isDurationReached(at: item.currentTime)
            {
                return
            }
            if item.hasPlayedToEnd {
                guard settings.options.loop else { return }
                limits.beginRound(after: item.currentTime)
                item.seek(
                    to: settings.firstTime ?? .zero, toleranceBefore: .zero,
                    toleranceAfter: .zero)
                player.play()
            }
        }
    }

    private func finish() throws {
        guard let stage, let played else { return }
        stage.presenter.isPaused = true
        let options = settings.options
        if let path = options.screenshot {
            guard let image = stage.presenter.image() else {
                throw ToolError(.noGraphics, "\(path): there was nothing to take a picture of")
            }
            try ImageFile.writePNG(image, to: path)
        }
        let report = PlayReport(
            file: played.file, frames: ledger.statistics, playback: played.statistics,
            capabilities: stage.surface.context.capabilities)
        if let path = options.statsJson { try report.write(to: path) }
        Console.note(report.line)
    }
}
