// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// `play --headless`: plays in real time without a window.
@MainActor final class HeadlessPlayback {
    private let settings: PlaySettings
    private let problems: ProblemLog
    private let ledger = FrameLedger()
    private let table: FrameTable?
    /// The surface and the presenter. They are created when the first file is opened, because the
    /// file determines their size.
    private var stage: (surface: OffscreenSurface, presenter: Presenter)?
    private var transition: VideoTransition?
    /// The totals; nil if nothing played.
    private var played: PlaybackTotals?

    init(_ settings: PlaySettings) {
        self.settings = settings
        problems = settings.problems
        table = settings.options.statsCsv == nil ? nil : FrameTable(ledger)
    }

    func run() throws {
        let sound = AudioDevice(
            settings.options.sound, title: settings.files.first ?? "Playhead", isMutable: false)
        // Effects receive audio even if there is no audio device.
        let silent = settings.analyzer == nil ? nil : NullAudioSink()
        let player = QueuePlayer(audioSink: sound.sink ?? silent)
        player.defaultRate = settings.options.speed
        player.volume = Float(settings.options.sound.volume / 100)
        let output = PlayerVideoOutput(player: player)
        transition = settings.makeTransition(
            of: player, output, hasAudio: sound.sink != nil)
        let films = PlaylistController(settings, player)
        ledger.recordStart(hostTime: HostClock.shared.time)
        defer { stage?.presenter.invalidate() }
        let live = LiveEffects(settings) { [weak self] _ in
            self?.stage?.presenter.setNeedsDisplay()
        }
        defer { live.stop() }
        var remarked: PlayerItem?
        let status = StatusLine()
        defer { status.clear() }
        Interruption.watch()
        while !films.limits.areFramesReached(ledger.presentedCount), !Interruption.isRequested {
            MainLoop.shared.turn(waitingAtMost: 0.005)
            for problem in stage?.presenter.takeProblems() ?? [] { problems.note(problem) }
            if transition?.update() == true, let presenter = stage?.presenter {
                presenter.scene.layers[0] = filmLayer(output)
            }
            let change = films.update()
            table?.read(film: films.playedIndex)
            if case .over = change { break }
            guard let item = films.item, item === player.currentItem, let film = films.current,
                item.status == .readyToPlay
            else { continue }
            if case .round = change { remarked = item }
            if remarked !== item {
                remarked = item
                do {
                    try settings.checkStart(of: item, film.file)
                    films.noteBegun()
                } catch {
                    problems.note(error)
                    films.noteFailure()
                    if films.advance() { continue } else { break }
                }
                sound.setTitle(of: item, film.file)
                for line in settings.remarks(on: item, of: film.file, sound) {
                    problems.remark(line)
                }
                try show(item, through: output, on: player)
            }
            status.show(item, player, ledger.statistics)
            if let error = item.subtitleError { problems.note(error) }
            if films.limits.isDurationReached(at: item.currentTime), !films.advance() { break }
            films.addNext()
        }
        if remarked != nil { played = films.played }
        player.pause()
        films.noteDamage(of: films.item)
        try finish()
        try problems.throwStatus()
    }

    /// Starts playback. For the first file, playback starts after its first frame.
    private func show(
        _ item: PlayerItem, through output: PlayerVideoOutput, on player: QueuePlayer
    ) throws {
        guard stage == nil else { return }
        let presenter = try presenter(for: item)
        presenter.observe(output)
        let subtitles = SubtitleOverlay(of: output)
        settings.options.subtitles.apply(to: subtitles)
        presenter.scene = Scene(
            background: settings.background,
            layers: [
                filmLayer(output), Layer(.video(subtitles)),
            ])
        presenter.isPaused = false
        waitForFirstPicture(of: item, presenter)
        player.play()
    }

    private func filmLayer(_ output: PlayerVideoOutput) -> Layer {
        let film = Layer(.video(output), effects: settings.effects)
        return transition?.layer(for: film) ?? film
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
        presenter.setLocksToDisplay(settings.options.sync == .display)
        if settings.options.measuresGPU { presenter.setMeasuresGPU(true) }
        stage = (surface, presenter)
        return presenter
    }

    /// Waits until a frame of the item has been drawn, so that playback starts after that. Drivers
    /// compile shaders at the first draw call, which takes as long as several frames.
    private func waitForFirstPicture(of item: PlayerItem, _ presenter: Presenter) {
        let before = ledger.presentedCount
        let deadline = HostClock.shared.time + PlaySettings.firstPictureLimit
        while item.playingTracks.video != nil, ledger.presentedCount == before,
            HostClock.shared.time < deadline, item.error == nil
        {
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    private func finish() throws {
        guard let stage, let played else { return }
        stage.presenter.isPaused = true
        let options = settings.options
        if let path = options.screenshot {
            guard let image = stage.presenter.image() else {
                throw ToolError(.noGraphics, "\(path): no frame was drawn; name media with video")
            }
            try OutputFile.write(image, to: path)
        }
        let report = PlayReport(
            films: played, frames: ledger.statistics,
            capabilities: stage.surface.context.capabilities,
            renderer: stage.presenter.rendererState())
        if let path = options.statsJson { try report.write(to: path) }
        if let path = options.statsCsv { try table?.write(to: path) }
        Console.note(report.line)
    }
}
