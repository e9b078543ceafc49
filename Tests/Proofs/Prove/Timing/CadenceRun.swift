// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// One playback of the video, observed vsync by vsync.
struct CadenceRun {
    /// The frame shown for a vsync.
    struct Vsync {
        var sequence: Int64
        /// The expected frames; two if the item time crossed an edge during drawing.
        var due: ClosedRange<Int>
        /// The number read from the pixels; nil if nothing was shown yet.
        var shown: Int?
    }

    private var vsyncs: [Vsync] = []
    private var statistics: FrameStatistics
    private var records: [FrameRecord]
    private var underruns = 0
    private var processorSeconds = 0.0
    private let frameCount: Int

    /// Results that the render thread writes, and that the main thread takes after that has ended.
    private final class Recording: @unchecked Sendable {
        // Unchecked: used only by the render thread until that has been joined.
        var presenter: FramePresenter?
        var vsyncs: [Vsync] = []
        var failure: GLError?
    }

    /// Plays the video from start to end.
    static func play(_ file: String, film: SyntheticMedia, server: String?) throws -> CadenceRun {
        guard let times = film.frameTimes else { throw CannotProve("the video has no frames") }
        let surface = try StripSurface(
            size: (640, 360), source: (width: film.width, height: film.height))
        let item = PlayerItem(asset: URLAsset(file))
        let output = PlayerItemVideoOutput()
        item.add(output)
        var options = PulseAudioOptions()
        options.server = server
        let sink = server == nil ? nil : try PulseAudioSink(options: options)
        let player = Player(playerItem: item, audioSink: sink)

        let ledger = FrameLedger()
        let recording = Recording()
        recording.vsyncs.reserveCapacity(60 * 60)
        let scene = Scene(layers: [Layer(.video(output))])
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60))
        let link = DisplayLink(source: display, name: "proof-render") { tick in
            guard let presenter = recording.presenter, recording.failure == nil else { return }
            func due(at hostTime: MediaTime) -> Int {
                index(at: output.itemTime(forHostTime: hostTime), of: times)
            }
            let moment = presenter.samplingTime(for: tick)
            let before = due(at: moment)
            do throws(GLError) {
                _ = try presenter.present(scene, of: item, through: output, at: tick)
            } catch {
                recording.failure = error
            }
            // A tick that comes after its vsync may show the frame that is due now.
            let after = due(at: max(moment, HostClock.shared.time))
            recording.vsyncs.append(
                Vsync(
                    sequence: tick.sequence, due: min(before, after)...max(before, after),
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
        let processorSeconds = Machine.ownSeconds
        link.isPaused = false
        player.play()
        let deadline = HostClock.nanoseconds + 30_000_000_000
        while !item.hasPlayedToEnd, item.error == nil, HostClock.nanoseconds < deadline {
            usleep(20_000)
        }
        let state =
            "at \(item.currentTime), \(player.timeControlStatus), audio "
            + "\(player.audioSinkStatus.map { "\($0)" } ?? "none")"
        // Wait two more vsyncs, so that the presentation of the last frame is known.
        usleep(50_000)
        link.perform {
            recording.presenter = nil
            surface.free()
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        link.invalidate()
        player.pause()
        if let error: any Error = item.error ?? recording.failure { throw error }
        guard item.hasPlayedToEnd else { throw CannotProve("the video has not ended: \(state)") }
        return CadenceRun(
            vsyncs: recording.vsyncs, statistics: ledger.statistics,
            records: ledger.latestRecords(),
            underruns: item.statistics.audioUnderruns,
            processorSeconds: Machine.ownSeconds - processorSeconds, frameCount: times.count)
    }

    /// Returns the frame at an item time: the first before the video, the last after it. Clock
    /// times are whole nanoseconds, so a microsecond before a frame counts as within it.
    private static func index(at time: MediaTime, of times: SyntheticFrameTimes) -> Int {
        guard time.isNumeric else { return 0 }
        let time = time + MediaTime(value: 1, timescale: 1_000_000)
        if time >= times.end { return times.count - 1 }
        return times.index(at: time) ?? 0
    }

    /// Adds the figures of this run and their requirements.
    func add(to report: inout Report, round: Int, others: Machine.Others) {
        let title = "library, round \(round)"
        let seen = vsyncs.drop { $0.shown == nil && $0.due.upperBound == 0 }
        let wrong = seen.filter { vsync in vsync.shown.map { !vsync.due.contains($0) } ?? true }
        var first: [Int: Int64] = [:]
        var isInOrder = true
        var last = -1
        var missed: Int64 = 0
        for (vsync, next) in zip(seen, seen.dropFirst()) {
            missed += next.sequence - vsync.sequence - 1
        }
        for vsync in seen {
            guard let shown = vsync.shown, shown != last else { continue }
            if shown < last || first[shown] != nil { isInOrder = false }
            if first[shown] == nil { first[shown] = vsync.sequence }
            last = shown
        }
        let left = (0..<frameCount).filter { first[$0] == nil }
        // The number of vsyncs for which a frame was shown. The first frame waits for the start,
        // and the last has no successor.
        let slips = (1..<max(1, frameCount - 1)).compactMap {
            index -> (frame: Int, vsyncs: Int64)? in
            guard let start = first[index], let end = first[index + 1], end - start != 2 else {
                return nil
            }
            return (index, end - start)
        }
        report.add(
            title,
            "\(seen.count) vsyncs, \(wrong.count) with an unexpected frame; "
                + "\(left.count) frames of \(frameCount) never shown; \(missed) vsyncs missed")
        report.add(
            "  not shown for two vsyncs",
            slips.isEmpty
                ? "none"
                : slips.map { "frame \($0.frame) for \($0.vsyncs)" }.joined(separator: ", "))
        report.add(
            "  ledger",
            "\(statistics.presented) presented, \(statistics.dropped) dropped, "
                + "\(statistics.repeated) repeated, \(statistics.late) late "
                + "(\(records.filter { $0.isLate && $0.itemTime > .zero }.count) after the first), "
                + "\(underruns) underruns")
        report.add(
            "  slot error",
            String(
                format: "p50 %.2f, p99 %.2f, max %.2f ms", statistics.slotError.p50,
                statistics.slotError.p99, statistics.slotError.max))
        report.add(
            "  upload and draw",
            String(
                format: "%.1f + %.1f ms mean, %.1f + %.1f p99", statistics.upload.mean,
                statistics.draw.mean, statistics.upload.p99, statistics.draw.p99))
        report.add(
            "  processor", String(format: "%.1f s, others ", processorSeconds) + "\(others)")
        for vsync in wrong.prefix(3) {
            let shown = vsync.shown.map { "frame \($0)" } ?? "no frame"
            report.require(
                false, "\(title): vsync \(vsync.sequence) shows \(shown), expected \(vsync.due)")
        }
        report.require(wrong.count <= 3, "\(title): \(wrong.count) vsyncs with the wrong frame")
        report.require(left.isEmpty, "\(title): never shown: \(left.prefix(10))")
        report.require(isInOrder, "\(title): frames are out of order")
        report.require(slips.count <= 1, "\(title): \(slips.count) slips")
        report.require(statistics.dropped == 0, "\(title): \(statistics.dropped) dropped")
        report.require(statistics.repeated == 0, "\(title): \(statistics.repeated) repeated")
        // The first frame is drawn before playback starts, and waits for shaders.
        let late = records.filter { $0.isLate && $0.itemTime > .zero }
        report.require(
            late.isEmpty,
            "\(title): late at " + late.prefix(5).map { "\($0.itemTime)" }.joined(separator: ", "))
    }
}
