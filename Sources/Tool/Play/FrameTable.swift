// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// `--stats-csv`: a line for each picture that was shown, with all its times, and whose it is: the place
/// of its film among the `files` of `--stats-json`.
///
/// The ledger keeps the latest pictures only, so it is read while the film plays.
@MainActor final class FrameTable {
    private let ledger: FrameLedger
    private var records: [FrameRecord] = []
    /// The films of the records, and of the one that is not read yet.
    private var films: [Int] = []

    init(_ ledger: FrameLedger) { self.ledger = ledger }

    /// Takes what has come since the last time; the last picture's presentation is not known yet.
    ///
    /// - Parameter film: the place of the film that plays.
    /// - Returns: the latest, the last one included.
    @discardableResult
    func read(film: Int) -> [FrameRecord] {
        let latest = ledger.latestRecords()
        let next = records.last.map { $0.index + 1 } ?? 0
        for record in latest.dropLast() where record.index >= next {
            records.append(record)
        }
        while films.count <= latest.last?.index ?? -1 { films.append(film) }
        return latest
    }

    func write(to path: String) throws {
        let latest = read(film: films.last ?? 0)
        let next = records.last.map { $0.index + 1 } ?? 0
        let rows = records + latest.filter { $0.index >= next }
        var text = Self.header + "\n"
        for row in rows { text += Self.line(row) + ",\(films[Int(row.index)])\n" }
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
