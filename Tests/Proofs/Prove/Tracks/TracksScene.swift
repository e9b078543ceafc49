// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// One playback of all tracks in real time: each video track in a layer, drawn for each vsync of a
/// display of 30 Hz, and all audio tracks heard.
struct TracksScene {
    /// The numbers shown for a vsync, and the times between which the expected ones are due.
    private struct Vsync {
        var sequence: Int64
        var due: ClosedRange<MediaTime>
        var shown: [Int?]
    }

    /// Results that the render thread writes, and that the main thread takes after that has ended.
    private final class Recording: @unchecked Sendable {
        // Unchecked: used only by the render thread until that has been joined.
        var presenter: FramePresenter?
        var vsyncs: [Vsync] = []
        var failure: GLError?
    }

    private let vsyncs: [Vsync]
    private let statistics: FrameStatistics
    private let underruns: Int
    private let film: TracksFilm

    init(_ film: TracksFilm) throws {
        self.film = film
        let surface = try TracksSurface()
        let sink = NullAudioSink(format: .mono(sampleRate: TracksFilm.rate))
        let tracks = try TracksPlayer(film, sink: sink, clock: HostClock.shared)
        let (item, player, first) = (tracks.item, tracks.player, tracks.outputs[0])
        defer { player.replaceCurrentItem(with: nil) }
        let ledger = FrameLedger()
        let recording = Recording()
        recording.vsyncs.reserveCapacity(film.frameCount * 2)
        let scene = TracksSurface.scene(of: tracks.outputs)
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 30))
        let link = DisplayLink(source: display, name: "proof-render") { tick in
            guard let presenter = recording.presenter, recording.failure == nil else { return }
            let moment = presenter.samplingTime(for: tick)
            do throws(GLError) {
                _ = try presenter.present(scene, of: item, through: first, at: tick)
            } catch {
                recording.failure = error
            }
            // A tick that comes after its vsync may show the frames that are due now.
            let times = [moment, max(moment, HostClock.shared.time)].map {
                first.itemTime(forHostTime: $0)
            }
            guard times.allSatisfy(\.isNumeric) else { return }
            recording.vsyncs.append(
                Vsync(
                    sequence: tick.sequence, due: times[0]...max(times[0], times[1]),
                    shown: surface.shown))
        }
        let failure = link.performAndWait { () -> GLError? in
            do throws(GLError) {
                try surface.context.makeCurrent()
                recording.presenter = FramePresenter(surface: surface, ledger: ledger)
                return nil
            } catch {
                return error
            }
        }
        if case .some(.some(let failure)) = failure { throw failure }
        link.isPaused = false
        // Shaders are compiled before playback starts.
        try TracksPlayer.wait("the first frame", interval: 20_000) {
            ledger.statistics.presented > 0
        }
        player.play()
        try TracksPlayer.wait("the end", interval: 20_000) {
            item.hasPlayedToEnd || item.error != nil
        }
        // Two more vsyncs, so that the presentation of the last frame is known.
        usleep(100_000)
        link.perform {
            recording.presenter = nil
            surface.free()
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        link.invalidate()
        if let error: any Error = item.error ?? recording.failure { throw error }
        vsyncs = recording.vsyncs
        statistics = ledger.statistics
        underruns = item.statistics.audioUnderruns
    }

    /// Adds the figures and their requirements.
    func add(to report: inout Report) {
        // From the first vsync after the start to the last before the end.
        let played = vsyncs.drop { $0.due.upperBound <= .zero }.prefix {
            $0.due.upperBound < film.duration
        }
        var wrong: [String] = []
        for vsync in played {
            for (track, shown) in vsync.shown.enumerated() {
                let due =
                    film.number(
                        at: vsync.due.lowerBound, track: track)...film.number(
                        at: vsync.due.upperBound, track: track)
                guard shown.map({ !due.contains($0) }) ?? true else { continue }
                wrong.append(
                    "vsync \(vsync.sequence), track \(track): "
                        + (shown.map { "\($0)" } ?? "nothing") + ", not \(due)")
            }
        }
        let missed = zip(played, played.dropFirst()).reduce(0) {
            $0 + Int($1.1.sequence - $1.0.sequence) - 1
        }
        report.add(
            "layers, in real time",
            "\(played.count) vsyncs of \(TracksFilm.count) layers, \(wrong.count) wrong frames, "
                + "\(missed) vsyncs missed, \(underruns) audio underruns")
        report.add(
            "  ledger",
            "\(statistics.presented) presented, \(statistics.dropped) dropped, "
                + "\(statistics.repeated) repeated")
        for line in wrong.prefix(3) { report.add("", line) }
        report.require(wrong.isEmpty, "\(wrong.count) wrong frames in layers")
        report.require(missed == 0, "\(missed) vsyncs missed")
        report.require(underruns == 0, "\(underruns) audio underruns")
        report.require(
            statistics.dropped == 0 && statistics.repeated == 0,
            "\(statistics.dropped) frames dropped, \(statistics.repeated) repeated")
        report.require(
            played.count >= film.frameCount - 3, "\(played.count) vsyncs, not \(film.frameCount)")
    }
}
