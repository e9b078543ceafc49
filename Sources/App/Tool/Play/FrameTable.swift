// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The table of `--stats-csv`. For each frame that was shown, it has a line with the frame's times
/// and the index of its file in `files` of `--stats-json`.
///
/// The ledger keeps only the latest frames, so the table reads it during playback.
@MainActor final class FrameTable {
    private let ledger: FrameLedger
    private var records: [FrameRecord] = []
    /// The index of the file at the last reading, and the number of the first record of each file.
    private var film = 0
    private var firsts: [Int64] = [0]

    init(_ ledger: FrameLedger) { self.ledger = ledger }

    /// Reads new records, except the last one, whose presentation time is not known yet.
    ///
    /// - Parameter film: the index of the current file.
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

    /// Returns the first record of a file that has just become the current one. The change may be
    /// noticed only after some frames of the new file were shown, so the first record is the one at
    /// which the media time jumps back.
    private static func firstOfNext(_ latest: [FrameRecord], after former: Int64) -> Int64 {
        let steps = zip(latest, latest.dropFirst()).filter { $0.1.index > former }
        let forward = steps.count { $0.0.itemTime < $0.1.itemTime }
        let isForward = 2 * forward >= steps.count
        let turn = steps.suffix(longestLead).last {
            isForward ? $0.1.itemTime < $0.0.itemTime : $0.1.itemTime > $0.0.itemTime
        }
        return turn?.1.index ?? (latest.last.map { $0.index + 1 } ?? 0)
    }

    /// The maximum number of frames that can be shown before a change of files is noticed: a
    /// quarter of a second.
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
