// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// One playback of the video in a window, with the frames seen and the ticks recorded.
struct SynchronyRun {
    /// The ledger's records, by frame number.
    private var records: [Int: FrameRecord]
    private var sightings: [ScreenWatch.Sighting]
    /// The host times at which ticks were played, in nanoseconds.
    private var ticks: [Int64]
    private var statistics: FrameStatistics
    private var underruns: Int
    private var renderer: String

    /// Plays the video from start to end.
    @MainActor static func play(
        _ file: String, film: SyntheticMedia, on display: XServer, server: String
    ) throws -> SynchronyRun {
        let recorder = try PulseRecorder(server: server)
        var options = PulseAudioOptions()
        options.server = server
        let player = Player(audioSink: try PulseAudioSink(options: options))
        let size = WindowSize(width: 640, height: 360)
        let window = try PlayerWindow(
            player: player, configuration: WindowConfiguration(title: "avsync", size: size)
        ) { URLAsset($0) }
        let renderer = window.window.context.capabilities.renderer
        window.open(URLAsset(file))
        // Playback starts once the window has its place and its first frame.
        try settle(window)
        let place = window.window.position
        let watch = ScreenWatch(
            display,
            window: .init(
                x: place.x, y: place.y, width: Double(size.width), height: Double(size.height)),
            source: (film.width, film.height))
        // Audio before the recorder's first sample is not recorded.
        _ = recorder.wait(seconds: 10) { $0.frameCount > $0.sampleRate / 2 }
        watch.begin()
        player.play()
        var records: [Int64: FrameRecord] = [:]
        let end = HostClock.nanoseconds + Int64((film.duration.seconds + 30) * 1e9)
        var isOver = false
        while !isOver, HostClock.nanoseconds < end {
            MainLoop.shared.turn(waitingAtMost: 0.1)
            isOver = player.currentItem?.hasPlayedToEnd != false || player.currentItem?.error != nil
            for record in window.presenter.ledger.latestRecords(120) {
                records[record.index] = record
            }
            let time = player.currentItem?.currentTime.clockDescription ?? ""
            Progress.show("playing, \(time) of \(film.duration.clockDescription)")
        }
        let recording = recorder.wait(untilHostTime: HostClock.nanoseconds)
        let sightings = watch.end()
        let statistics = window.presenter.ledger.statistics
        let item = player.currentItem
        player.pause()
        window.close()
        if let error = item?.error { throw error }
        guard isOver, let times = film.frameTimes else { throw CannotProve("it does not end") }
        let ticks = recording.onsets().compactMap { recording.hostTime(ofFrame: Double($0)) }
        let numbered = records.values.compactMap { record -> (Int, FrameRecord)? in
            times.index(at: record.itemTime).map { ($0, record) }
        }
        return SynchronyRun(
            records: Dictionary(numbered, uniquingKeysWith: { first, _ in first }),
            sightings: sightings, ticks: ticks, statistics: statistics,
            underruns: item?.statistics.audioUnderruns ?? 0, renderer: renderer)
    }

    @MainActor private static func settle(_ window: PlayerWindow) throws {
        let end = HostClock.nanoseconds + 10_000_000_000
        while window.presenter.ledger.statistics.presented == 0 {
            MainLoop.shared.turn(waitingAtMost: 0.02)
            if let error = window.player.currentItem?.error { throw error }
            guard HostClock.nanoseconds < end else {
                throw CannotProve("the window shows no frame")
            }
        }
    }

    /// Adds the figures and their requirements.
    func add(to report: inout Report, seconds: Int) {
        let ledger = Self.offsets(
            of: ticks, to: flashes.compactMap { records[$0.frame]?.presentedHostTime })
        let screen = Self.offsets(of: ticks, to: flashes.map(\.hostTime))
        // The time for which a frame was on the screen before its vsync in the ledger.
        let leads = sightings.compactMap { sighting -> Int64? in
            // The first frame is there before playback starts.
            guard sighting.frame > 0, let presented = records[sighting.frame]?.presentedHostTime
            else { return nil }
            return presented - sighting.hostTime
        }
        let gaps = sightings.map { $0.hostTime - $0.lookBefore }
        report.add("renderer", renderer)
        report.add("vsyncs from", statistics.source?.rawValue ?? "nowhere")
        report.add(
            "ledger",
            "\(statistics.presented) presented, \(statistics.dropped) dropped, "
                + "\(statistics.repeated) repeated, \(statistics.late) late, "
                + "\(underruns) underruns")
        report.add(
            "seen on the screen", "\(sightings.count) frames, to \(Sample(nanoseconds: gaps))")
        report.add("  before the ledger's vsync", Sample(nanoseconds: leads).range)
        report.add("played", "\(ticks.count) ticks")
        report.add("tick after flash, ledger", ledger)
        report.add("tick after flash, screen", screen)
        for (name, offsets) in [("ledger", ledger), ("screen", screen)] {
            report.require(
                offsets.count == seconds - 1,
                "\(name): \(offsets.count) pairs of flash and tick, not \(seconds - 1)")
            let worst = offsets.magnitude(ofShare: 0.99)
            report.require(
                worst <= SynchronyProof.limit,
                String(
                    format: "%@: %.1f ms at the 99th percentile, not %.0f", name, worst,
                    SynchronyProof.limit))
        }
        // A frame must be on the screen by its vsync in the ledger, within a poll or two.
        let early = leads.filter { $0 < -3_000_000 }.count
        report.require(
            Double(early) <= 0.01 * Double(leads.count),
            "\(early) frames came to the screen after the ledger's vsync")
    }

    /// The first frames of each second whose pixels were seen to flash, except the video's first
    /// frame, which is there before playback starts.
    private var flashes: [ScreenWatch.Sighting] {
        sightings.filter { $0.isFlash && $0.frame > 0 && $0.frame % 30 == 0 }
    }

    /// Returns the delay of each tick after the flash nearest to it.
    private static func offsets(of ticks: [Int64], to flashes: [Int64]) -> Sample {
        Sample(
            nanoseconds: ticks.compactMap { tick in
                let nearest = flashes.min { abs($0 - tick) < abs($1 - tick) }
                return nearest.map { tick - $0 }.flatMap { abs($0) < 500_000_000 ? $0 : nil }
            })
    }
}
