// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `--stats-csv`: a line for each picture that was shown, with all its times.
///
/// The ledger keeps the latest pictures only, so it is read while the film plays.
@MainActor final class FrameTable {
    private let ledger: FrameLedger
    private var records: [FrameRecord] = []

    init(_ ledger: FrameLedger) { self.ledger = ledger }

    /// Takes what has come since the last time; the last picture's presentation is not known yet.
    func read() {
        let next = records.last.map { $0.index + 1 } ?? 0
        for record in ledger.latestRecords().dropLast() where record.index >= next {
            records.append(record)
        }
    }

    func write(to path: String) throws {
        read()
        let next = records.last.map { $0.index + 1 } ?? 0
        let rows = records + ledger.latestRecords().filter { $0.index >= next }
        var text = Self.header + "\n"
        for row in rows { text += Self.line(row) + "\n" }
        try OutputFile.write(text, to: path)
    }

    private static let header = [
        "index", "item_time", "decoded_ns", "uploaded_ns", "drawn_ns", "swapped_ns",
        "presented_ns", "reported_ns", "slot_ns", "slot_error_ns", "vsync", "period_ns",
        "upload_ns", "draw_ns",
        "gpu_upload_ns", "gpu_draw_ns", "dropped_before", "repeats", "cause", "timing_source",
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
