// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Divides the packets of a stream into segments, and delivers the segments.
///
/// - Concurrency: the writing thread.
struct SegmentRun {
    private let muxer: any MediaMuxer
    private let file: WritingFile
    private let handler: @Sendable (AssetWriterSegment) -> Void
    private var schedule: SegmentSchedule
    /// The input whose keyframes begin segments.
    private let lane: Int
    private var start = MediaTime.zero
    /// The end of the input's samples so far.
    private var end = MediaTime.zero
    private var hasInitialization = false

    init(
        _ muxer: any MediaMuxer, _ file: WritingFile, lane: Int, interval: MediaTime,
        handler: @escaping @Sendable (AssetWriterSegment) -> Void
    ) {
        self.muxer = muxer
        self.file = file
        self.lane = lane
        self.handler = handler
        schedule = SegmentSchedule(interval: interval)
    }

    /// Ends the current segment if the packet begins another one.
    mutating func prepare(for packet: MediaPacket, of lane: Int) throws(MediaWritingError) {
        guard lane == self.lane, packet.presentationTime.isNumeric else { return }
        let time = packet.presentationTime
        if packet.isKeyframe, schedule.begins(at: time) {
            try muxer.flush()
            deliver(until: time)
        }
        end = max(end, packet.end)
    }

    /// Delivers the last segment after the stream is complete.
    mutating func finish() { deliver(until: end) }

    private mutating func deliver(until time: MediaTime) {
        var bytes = file.takeMemory()
        if !hasInitialization {
            let count = Self.initializationSize(bytes)
            guard count > 0 else { return }
            hasInitialization = true
            handler(
                AssetWriterSegment(
                    kind: .initialization, data: Array(bytes[..<count]),
                    timeRange: MediaTimeRange(start: .zero, duration: .zero)))
            bytes.removeFirst(count)
        }
        guard !bytes.isEmpty else { return }
        handler(
            AssetWriterSegment(
                kind: .separable, data: bytes,
                timeRange: MediaTimeRange(start: start, duration: time - start)))
        start = time
    }

    /// Returns the size of the boxes before the first fragment (ISO/IEC 14496-12:2022, 8.8.4).
    private static func initializationSize(_ bytes: [UInt8]) -> Int {
        var place = 0
        while place + 8 <= bytes.count {
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            guard size >= 8, !["moof", "styp", "sidx"].contains(type) else { break }
            place += size
        }
        return min(place, bytes.count)
    }
}
