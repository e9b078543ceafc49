// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `play --untimed`: every frame, as fast as it goes. The film plays on a clock that is moved from
/// frame to frame, through the same player and renderer as in real time.
@MainActor struct UntimedPlayback {
    private let settings: PlaySettings

    init(_ settings: PlaySettings) {
        self.settings = settings
    }

    func run() throws {
        for file in settings.files { try play(file) }
    }

    private func play(_ file: String) throws {
        let clock = ManualClock()
        let item = settings.makeItem(file)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.play()
        try waitUntilPlaying(player, item)
        guard item.playingTracks.video != nil else {
            throw ToolError(
                .mediaFailure, "\(file): it has no picture; play its sound without --untimed")
        }
        let stage = try makeStage(for: item)
        defer { stage.surface.context.clearCurrent() }
        let ledger = FrameLedger()
        let presenter = FramePresenter(surface: stage.surface, ledger: ledger)
        let scene = Scene(
            background: settings.background,
            layers: [Layer(.video(output), effects: settings.effects)])
        let limits = PlayLimits(settings.options)
        let started = HostClock.shared.time
        ledger.recordStart(hostTime: clock.time)
        var shown = 0
        var problems: [RenderReport.Problem] = []
        var failure: (any Error)?
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
            do {
                problems += try presenter.present(scene, of: item, through: output, at: tick)
            } catch {
                failure = error
            }
        }
        var time = item.currentTime
        while true {
            let next = output.waitForPixelBuffer(after: time)
            let target = item.timebase.hostTime(at: time) ?? clock.time
            link.tick(at: clock.time, target: target)
            clock.advance(to: target)
            shown += 1
            if let failure { throw failure }
            for problem in problems { Console.note(problem.description) }
            problems = []
            stage.pump()
            guard let next, !limits.areReached(at: next, presented: shown) else { break }
            time = next
        }
        let wall = (HostClock.shared.time - started).seconds
        try finish(presenter, stage, ledger, clock: clock, item: item, file: file, wall: wall)
    }

    private func waitUntilPlaying(_ player: Player, _ item: PlayerItem) throws {
        while player.timeControlStatus != .playing {
            if let error = item.error { throw error }
            MainLoop.shared.turn(waitingAtMost: 0.002)
        }
    }

    /// What is presented to, and what has to happen between two frames for it.
    private struct Stage {
        let surface: any PresentationSurface
        let pump: @MainActor () -> Void
    }

    private func makeStage(for item: PlayerItem) throws -> Stage {
        let size = settings.pictureSize(for: item)
        if settings.options.headless {
            let surface = try OffscreenSurface(width: size.width, height: size.height)
            try surface.context.makeCurrent()
            return Stage(surface: surface, pump: {})
        }
        let window = try Window(
            WindowConfiguration(
                title: item.asset.displayName,
                size: WindowSize(width: size.width, height: size.height)))
        let surface = WindowSurface(window.context)
        try surface.context.makeCurrent()
        return Stage(surface: surface) { MainLoop.shared.turn(waitingAtMost: 0) }
    }

    private func finish(
        _ presenter: FramePresenter, _ stage: Stage, _ ledger: FrameLedger, clock: ManualClock,
        item: PlayerItem, file: String, wall: Double
    ) throws {
        let options = settings.options
        if let path = options.screenshot, let image = try presenter.image(at: clock.time) {
            try ImageFile.writePNG(image, to: path)
        }
        var report = PlayReport(
            file: file, frames: ledger.statistics, playback: item.statistics,
            renderer: stage.surface.context.capabilities.renderer)
        report.untimedRate = wall > 0 ? Double(report.frames.presented) / wall : 0
        if let path = options.statsJson { try report.write(to: path) }
        Console.note(report.line)
    }
}
