// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// `--stats-csv`: a line for each picture that was shown, with all its times, and whose it is: the place
/// of its film among the `files` of `--stats-json`.
///
/// The ledger keeps the latest pictures only, so it is read while the film plays.
@MainActor final class FrameTable {
    private let ledger: FrameLedger
    private var records: [FrameRecord] = []
    /// The film that played when the table was last read, and the index of each film's first record.
    private var film = 0
    private var firsts: [Int64] = [0]

    init(_ ledger: FrameLedger) { self.ledger = ledger }

    /// Takes what has come since the last time; the last picture's presentation is not known yet.
    ///
    /// - Parameter film: the place of the film that plays.
    func read(film: Int) {
        let latest = ledger.latestRecords()
        let next = records.last.map { $0.index + 1 } ?? 0
        for record in latest.dropLast() where record.index >= next {
            records.append(record)
        }
        if film > self.film {
            let first = Self.firstOfNext(latest, after: firsts.last ?? 0)
            firsts += Array(repeating: first, count: film - self.film)
            self.film = film
        }
    }

    /// The index of the record with which another film begins that has just become the current one: its
    /// first pictures may have been shown before that. There the film's time goes the other way.
    private static func firstOfNext(_ latest: [FrameRecord], after former: Int64) -> Int64 {
        let steps = zip(latest, latest.dropFirst()).filter { $0.1.index > former }
        let forward = steps.count { $0.0.itemTime < $0.1.itemTime }
        let isForward = 2 * forward >= steps.count
        let turn = steps.suffix(longestLead).last {
            isForward ? $0.1.itemTime < $0.0.itemTime : $0.1.itemTime > $0.0.itemTime
        }
        return turn?.1.index ?? (latest.last.map { $0.index + 1 } ?? 0)
    }

    /// Pictures that may be shown before it is noted which film they are of: a quarter of a second.
    private static let longestLead = 15

    func write(to path: String) throws {
        let next = records.last.map { $0.index + 1 } ?? 0
        let rows = records + ledger.latestRecords().filter { $0.index >= next }
        var text = Self.header + "\n"
        for row in rows {
            let film = firsts.lastIndex { $0 <= row.index } ?? 0
            text += Self.line(row) + ",\(film)\n"
        }
        try OutputFile.write(text, to: path)
    }

    private static let header = [
        "index", "item_time", "decoded_ns", "uploaded_ns", "drawn_ns", "swapped_ns",
        "presented_ns", "reported_ns", "slot_ns", "slot_error_ns", "vsync", "period_ns",
        "upload_ns", "draw_ns",
        "gpu_upload_ns", "gpu_draw_ns", "dropped_before", "repeats", "cause", "timing_source",
        "film",
    ].joined(separator: ",")

    private static func line(_ record: FrameRecord) -> String {
        func text(_ value: Int64?) -> String { value.map(String.init) ?? "" }
        let time = "\(record.itemTime.value)/\(record.itemTime.timescale)"
        let times = [
            record.decodedHostTime, record.uploadedHostTime, record.drawnHostTime,
            record.swappedHostTime, record.presentedHostTime, record.reportedHostTime,
            record.slotHostTime, record.slotError, record.sequence, record.period,
            record.uploadDuration,
            record.drawDuration, record.gpuUploadDuration, record.gpuDrawDuration,
            Int64(record.droppedBefore), Int64(record.repeatCount),
        ].map(text)
        return
            ([text(record.index), time] + times
            + [record.lossCause.rawValue, record.source.rawValue]).joined(separator: ",")
    }
}
