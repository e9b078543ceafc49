// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A video of which only the times matter.
struct PacedFilm {
    var name: String
    /// The durations of the frames, repeated: one duration for a constant rate.
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

/// A video on a display, and the vsync at which each of its frames was first seen.
///
/// - Concurrency: the display link's thread, until that has been joined.
final class PacedRun: @unchecked Sendable {
    // Unchecked: see above.

    /// The estimator learns the display's period from the reports of the first vsyncs.
    private static let settling: Int64 = 300
    private static let longestRun = 10
    /// Three quarters of a vsync, and the error of its estimate.
    private static let farthest = 0.755

    private let film: PacedFilm
    /// The schedule of the display; nil if its rate varies.
    private let schedule: VsyncSchedule?
    /// The longest distance of two vsyncs.
    private let period: MediaTime
    private var pacer = FramePacer()
    /// The next frame and its time; the video starts at an arbitrary moment.
    private var next = 0
    private var due = MediaTime(value: 10_000_019, timescale: 1_000_000_007)
    private var lastTarget = MediaTime.zero
    private var frameCount = 0
    private var skipped = 0
    private var farthest = 0.0
    /// The vsyncs of the last frames, newest last; on displays slower than the video, the frames of
    /// the last vsyncs.
    private var latest: [Int64] = []
    private var uneven = 0

    /// - Parameter schedule: the schedule of the display; if its rate varies, that of the slowest
    ///   rate.
    init(film: PacedFilm, schedule: VsyncSchedule, isVariable: Bool = false) {
        self.film = film
        self.schedule = isVariable ? nil : schedule
        period = schedule.period
        latest.reserveCapacity(Self.longestRun + 2)
    }

    /// A Boolean value that indicates whether the video's and the display's rates are constant.
    private var isConstant: Bool { film.durations.count == 1 && schedule != nil }
    /// The number of vsyncs in a frame.
    private var ratio: Double { film.durations[0].seconds / period.seconds }

    /// Does the work of a renderer in a tick.
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
        // Uses the true vsync, not the reported one.
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

    /// Records a count, and counts it as uneven if a run that ends with it has a wrong length.
    ///
    /// - Parameter ideal: the ideal distance between two counts.
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

    /// A Boolean value that indicates whether every frame can have a vsync of its own.
    private var fits: Bool { ratio >= 1 - 1e-12 }

    /// A Boolean value that indicates whether even the shortest frame can have a vsync of its own.
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
