// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `play --headless`: real time, real sound, no window.
@MainActor struct HeadlessPlayback {
    private let settings: PlaySettings

    init(_ settings: PlaySettings) {
        self.settings = settings
    }

    func run() throws {
        let player = Player(audioSink: settings.makeAudioSink())
        for file in settings.files { try play(file, on: player) }
    }

    private func play(_ file: String, on player: Player) throws {
        let options = settings.options
        let item = settings.makeItem(file)
        let output = PlayerItemVideoOutput()
        item.add(output)
        let started = HostClock.shared.time
        player.replaceCurrentItem(with: item)
        try waitUntilReady(item)
        let size = settings.pictureSize(for: item)
        let surface = try OffscreenSurface(width: size.width, height: size.height)
        let rate = MediaTime(value: 1000, timescale: Int32((options.fps * 1000).rounded()))
        let presenter = try Presenter(
            surface: surface, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(period: rate)))
        defer { presenter.invalidate() }
        presenter.ledger.recordStart(hostTime: started)
        presenter.observe(item, through: output)
        presenter.scene = Scene(
            background: settings.background,
            layers: [Layer(.video(output), effects: settings.effects)])
        presenter.isPaused = false
        player.defaultRate = options.speed
        player.play()
        if item.playingTracks.video == nil {
            Console.note("\(file): it has no picture; playing its sound")
        }
        let limits = PlayLimits(options)
        while true {
            MainLoop.shared.turn(waitingAtMost: 0.005)
            for problem in presenter.takeProblems() { Console.note(problem.description) }
            let presented = presenter.ledger.statistics.presented
            if limits.areReached(at: item.currentTime, presented: presented) { break }
            if item.hasPlayedToEnd {
                guard options.loop else { break }
                item.seek(to: options.start?.time ?? .zero)
                player.play()
            }
        }
        player.pause()
        try finish(presenter, surface: surface, item: item, file: file)
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

    private func finish(
        _ presenter: Presenter, surface: OffscreenSurface, item: PlayerItem, file: String
    ) throws {
        presenter.isPaused = true
        let options = settings.options
        if let path = options.screenshot {
            guard let image = presenter.image() else {
                throw ToolError(.noGraphics, "\(path): there was nothing to take a picture of")
            }
            try ImageFile.writePNG(image, to: path)
        }
        let report = PlayReport(
            file: file, frames: presenter.ledger.statistics, playback: item.statistics,
            renderer: surface.context.capabilities.renderer)
        if let path = options.statsJson { try report.write(to: path) }
        Console.note(report.line)
    }
}
