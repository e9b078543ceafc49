// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// `play --untimed`: plays every frame as fast as possible, on a clock that advances frame by
/// frame. It uses the same player and renderer as real-time playback.
@MainActor final class UntimedPlayback {
    private let settings: PlaySettings
    private let problems: ProblemLog
    private let clock = ManualClock()
    private let ledger = FrameLedger()
    private let table: FrameTable?
    private var limits: PlayLimits
    /// The target. It is created when the first file is opened, because the file determines the
    /// size of the target.
    private var stage: Stage?
    private var wallSeconds = 0.0
    /// The duration of all files, each up to the end of the last frame that was shown.
    private var filmDuration = MediaTime.zero
    private var played = PlaybackTotals()

    /// The target of presentation, which this thread draws to.
    private struct Stage {
        let surface: any PresentationSurface
        let presenter: FramePresenter
        /// The window; nil for a run without a window.
        let window: Window?
        let size: (width: Int, height: Int)
    }

    init(_ settings: PlaySettings) {
        self.settings = settings
        problems = settings.problems
        table = settings.options.statsCsv == nil ? nil : FrameTable(ledger)
        limits = PlayLimits(settings.options)
    }

    func run() throws {
        Interruption.watch()
        // The ledger is given no start time, because a delay of the first frame has no meaning on
        // this clock.
        for file in settings.files where !isOver {
            do {
                try play(file)
            } catch let error as MediaError {
                problems.note(error)
            }
        }
        try finish()
        try problems.throwStatus()
    }

    private func play(_ file: String) throws {
        let item = settings.makeItem(file)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        // Every frame is shown at any speed, so only the direction matters.
        player.rate = settings.options.speed < 0 ? -1 : 1
        try waitUntilPlaying(player, item)
        guard !isOver else { return }
        try settings.checkStart(of: item, file)
        guard item.playingTracks.video != nil else {
            throw MediaError(
                .noPlayableTracks, subject: InputFile.name(file),
                cause: item.reasonForNoPicture,
                remedy: "to play its audio, remove --untimed")
        }
        for line in settings.remarks(on: item, of: file, nil) { problems.remark(line) }
        let stage = try stage(for: item)
        limits.beginFilm(
            at: settings.options.start == nil ? nil : settings.startTime(of: file))
        played.begin(file)
        defer { played.end(item.statistics) }
        let start = HostClock.shared.time
        // In reverse playback, effects receive no audio.
        let hearing =
            settings.options.speed < 0
            ? nil
            : EffectHearing(
                settings.effects, of: file, from: item.currentTime,
                audioTrack: settings.options.sound.audioTrack)
        try showFrames(of: item, through: output, on: stage, hearing)
        // The time includes pending work of the GPU.
        GLState.finish()
        wallSeconds += (HostClock.shared.time - start).seconds
        if let error = item.subtitleError { problems.note(error) }
        if let remark = settings.damage(in: item, file) { problems.remark(remark) }
    }

    private func waitUntilPlaying(_ player: Player, _ item: PlayerItem) throws {
        while player.timeControlStatus != .playing, !Interruption.isRequested {
            if let error = item.error { throw error }
            if item.hasPlayedToEnd { return }
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    private func showFrames(
        of item: PlayerItem, through output: PlayerItemVideoOutput, on stage: Stage,
        _ hearing: EffectHearing?
    ) throws {
        let subtitles = SubtitleOverlay(of: item, waits: true)
        settings.options.subtitles.apply(to: subtitles)
        subtitles.lay(in: stage.size)
        let scene = Scene(
            background: settings.background,
            layers: [
                Layer(.video(output), effects: settings.effects), Layer(.video(subtitles)),
            ])
        var failure: (any Error)?
        let problems = problems
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
            do {
                let new = try stage.presenter.present(scene, of: item, through: output, at: tick)
                for problem in new { problems.note(problem) }
            } catch {
                failure = error
            }
        }
        let start = item.currentTime
        var time = start
        defer { filmDuration = filmDuration + (time - start).magnitude }
        while !isOver {
            let next = output.waitForPixelBuffer(after: time)
            let target = item.timebase.hostTime(at: time) ?? clock.time
            hearing?.advance(to: time)
            // The frame is drawn at its own time, as `render` does. At a vsync, effects would
            // receive a later time.
            link.tick(at: target, target: target)
            table?.read(film: played.lastIndex)
            if let failure { throw failure }
            if stage.window != nil { MainLoop.shared.turn(waitingAtMost: 0) }
            guard let next else {
                // The last frame lasts until the end; in reverse, until the start.
                let end = settings.options.speed < 0 ? MediaTime.zero : item.end
                if end.isNumeric { time = end }
                break
            }
            time = next
            guard !limits.isDurationReached(at: next) else { break }
        }
    }

    /// A Boolean value that indicates whether the run is over: a limit was reached, the window was
    /// closed, or the run was interrupted.
    private var isOver: Bool {
        limits.areFramesReached(ledger.presentedCount) || isClosed || Interruption.isRequested
    }

    private var isClosed = false

    private func stage(for item: PlayerItem) throws -> Stage {
        if let stage { return stage }
        let size = settings.pictureSize(for: item)
        var window: Window?
        let surface: any PresentationSurface
        if settings.options.headless {
            surface = try OffscreenSurface(width: size.width, height: size.height)
        } else {
            let opened = try openWindow(title: item.asset.displayName, size)
            surface = WindowSurface(opened.context)
            window = opened
        }
        try surface.context.makeCurrent()
        let stage = Stage(
            surface: surface, presenter: FramePresenter(surface: surface, ledger: ledger),
            window: window, size: size)
        stage.presenter.measuresGPU = settings.options.measuresGPU
        stage.presenter.stopsSlowEffects = false
        self.stage = stage
        return stage
    }

    private func openWindow(title: String, _ size: (width: Int, height: Int)) throws -> Window {
        var configuration = WindowConfiguration(
            title: title, size: WindowSize(width: size.width, height: size.height))
        configuration.isScaledToMonitor = false
        let window = try Window(configuration)
        // Events arrive only while the main loop turns within `run`.
        window.eventHandler = { [unowned self] event in
            switch event {
            case .closeRequested: isClosed = true
            case .key(let key) where key.action == .press && PlayerWindow.quits(key):
                isClosed = true
            default: break
            }
        }
        return window
    }

    private func finish() throws {
        guard let stage, !played.files.isEmpty else { return }
        defer { stage.surface.context.clearCurrent() }
        let options = settings.options
        if let path = options.screenshot,
            let image = try stage.presenter.image(at: clock.time, redraws: false)
        {
            try OutputFile.write(image, to: path)
        }
        var report = PlayReport(
            films: played, frames: ledger.statistics,
            capabilities: stage.surface.context.capabilities,
            renderer: stage.presenter.rendererState)
        // Frames have no presentation times, so the duration is that of the media.
        report.frames.duration = filmDuration
        report.untimedRate =
            wallSeconds > 0 ? Double(report.frames.presented) / wallSeconds : 0
        if let path = options.statsJson { try report.write(to: path) }
        if let path = options.statsCsv { try table?.write(to: path) }
        Console.note(report.line)
    }
}
