// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A film of which only the times matter.
struct PacedFilm {
    var name: String
    /// How long each frame is shown, over and over: one duration for a constant rate.
    var durations: [MediaTime]

    static let all: [PacedFilm] =
        [
            ("23.976", 1001, 24_000), ("24", 1, 24), ("25", 1, 25), ("29.97", 1001, 30_000),
            ("30", 1, 30), ("50", 1, 50), ("59.94", 1001, 60_000), ("60", 1, 60),
        ].map { name, value, scale in
            PacedFilm(name: name, durations: [MediaTime(value: value, timescale: scale)])
        } + [
            PacedFilm(
                name: "VFR",
                durations: [33, 50, 40, 17, 100, 42].map { MediaTime(value: $0, timescale: 1000) })
        ]
}

/// A film on a display: at which vsync each of its frames was first seen.
///
/// - Concurrency: the display link's thread, until that has been joined.
final class PacedRun: @unchecked Sendable {
    // Unchecked: see above.

    /// Reports of the first vsyncs teach the estimator the display's beat.
    private static let settling: Int64 = 300
    private static let longestRun = 10
    /// Three quarters of a vsync, and what is lost to the estimate of it.
    private static let farthest = 0.755

    private let film: PacedFilm
    /// Nil where the display's rate varies.
    private let schedule: VsyncSchedule?
    /// The longest from one vsync to the next.
    private let period: MediaTime
    private var pacer = FramePacer()
    /// The next frame, and when it is due: a film that begins at no special moment.
    private var next = 0
    private var due = MediaTime(value: 10_000_019, timescale: 1_000_000_007)
    private var lastTarget = MediaTime.zero
    private var frameCount = 0
    private var skipped = 0
    private var farthest = 0.0
    /// Vsyncs of the last frames, newest last; on displays slower than the film, frames by the last
    /// vsyncs.
    private var latest: [Int64] = []
    private var uneven = 0

    /// - Parameter schedule: of a display whose rate varies the slowest.
    init(film: PacedFilm, schedule: VsyncSchedule, isVariable: Bool = false) {
        self.film = film
        self.schedule = isVariable ? nil : schedule
        period = schedule.period
        latest.reserveCapacity(Self.longestRun + 2)
    }

    /// Whether both the film's rate and the display's are.
    private var isConstant: Bool { film.durations.count == 1 && schedule != nil }
    /// Vsyncs a frame.
    private var ratio: Double { film.durations[0].seconds / period.seconds }

    /// What a renderer does in a tick.
    func show(_ tick: DisplayTick) {
        defer { lastTarget = tick.targetTimestamp }
        let moment = pacer.samplingTime(for: tick)
        var begun = 0
        var shown = MediaTime.invalid
        while due <= moment {
            shown = due
            due = due + film.durations[next % film.durations.count]
            next += 1
            begun += 1
        }
        if isConstant, !fits, tick.sequence > Self.settling {
            note(Int64(next), ideal: 1 / ratio)
        }
        guard begun > 0 else { return }
        pacer.notePicture(dueAt: shown, in: tick)
        guard tick.sequence > Self.settling else { return }
        frameCount += 1
        skipped += begun - 1
        // By the true vsync, whatever was reported.
        let vsync = tick.sequence + 1
        let time = schedule?.time(of: vsync) ?? tick.targetTimestamp
        let length = schedule?.period ?? tick.targetTimestamp - lastTarget
        farthest = max(farthest, abs((time - shown).seconds / length.seconds))
        guard isConstant, fits else { return }
        if begun == 1 {
            note(vsync, ideal: ratio)
        } else {
            latest.removeAll(keepingCapacity: true)
        }
    }

    /// - Parameter ideal: how much further the next is.
    private func note(_ count: Int64, ideal each: Double) {
        latest.append(count)
        if latest.count > Self.longestRun + 1 { latest.removeFirst() }
        for length in 1..<max(latest.count, 1) {
            let seen = Double(count - latest[latest.count - 1 - length])
            let ideal = each * Double(length)
            if seen < (ideal + 1e-9).rounded(.down) || seen > (ideal - 1e-9).rounded(.up) {
                uneven += 1
                return
            }
        }
    }

    /// Whether every frame can have a vsync of its own.
    private var fits: Bool { ratio >= 1 - 1e-12 }

    /// Whether that is so of the shortest, too.
    private var hasVsyncForEach: Bool {
        film.durations.allSatisfy { $0.seconds / period.seconds >= 1 - 1e-12 }
    }

    var summary: String {
        "\(film.name): "
            + (isConstant ? "\(uneven)" : "-") + String(format: "/%.2f", farthest)
    }

    var shortfalls: [String] {
        var result: [String] = []
        if frameCount == 0 { result.append("\(film.name): nothing shown") }
        if farthest > Self.farthest {
            result.append(
                String(format: "%@: a frame %.2f vsyncs from its time", film.name, farthest))
        }
        if isConstant, uneven > 0 { result.append("\(film.name): \(uneven) uneven runs") }
        if schedule != nil, hasVsyncForEach, skipped > 0 {
            result.append("\(film.name): \(skipped) frames never shown")
        }
        return result
    }
}
