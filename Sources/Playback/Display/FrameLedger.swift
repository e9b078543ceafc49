// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The record of every frame that was shown, and of frames that should have been shown but were
/// not.
///
/// The on-screen statistics, `--stats-json` and the tests all read this ledger. Its terms are:
///
/// - **decoded**: output by the decoder, shown or not.
/// - **presented**: drawn and swapped for the first time.
/// - **held**: shown again at a further vsync because the next frame was not due yet, as with 24
///   frames per second on 60 Hz. This is expected, and is not counted.
/// - **repeated**: a vsync at which the previous frame was shown again although the next one was
///   due.
/// - **dropped**: a frame that was due and never shown.
/// - **late**: a frame that was visible at a later vsync than its slot.
/// - **slot**: the vsync at which a frame should first be visible. It is the vsync nearest to the
///   time of the frame, or the second nearest if that makes the video steadier (`FramePacer`).
///
/// A `Presenter` writes to it:
///
///     let presenter = try Presenter(surface: surface, vsyncs: vsyncs, ledger: ledger)
///
/// - Concurrency: one writer, the render thread, calls `beginTick`, `recordFrame`, `recordRepeat`,
///   `recordDropped` and `recordTimelineOffset`, which do not lock, allocate or wait.
///   `recordDecoded`, `recordStart` and all members that read may be used on any thread.
public final class FrameLedger: @unchecked Sendable {
    // Unchecked: only the writer uses `open`. `words` is allocated once and consists of atomics.
    private let words: UnsafeMutablePointer<Atomic<Int64>>
    /// The number of records that the ring keeps.
    package let capacity: Int

    /// The number of records that have been published.
    private let published = Atomic<Int64>(0)
    /// The last frame that was swapped. Its presentation time is not known yet.
    private var open: FrameRecord?

    private let decoded = Atomic<Int64>(0)
    private let repeated = Atomic<Int64>(0)
    private let dropped = Atomic<Int64>(0)
    private let late = Atomic<Int64>(0)
    private let drawn = Atomic<Int64>(0)
    private let missedVsyncs = Atomic<Int64>(0)
    private let start = Atomic<Int64>(.min)
    /// The minimum gap between frames, in nanoseconds, that counts as a pause.
    private static let longestGap: Int64 = 1_000_000_000
    private let rested = Atomic<Int64>(0)
    private let firstPresented = Atomic<Int64>(.min)
    private let lastPresented = Atomic<Int64>(.min)
    private let source = Atomic<Int>(-1)
    private let slotErrors = DistributionRecorder()
    private let uploads = DistributionRecorder()
    private let draws = DistributionRecorder()
    private let gpuUploads = DistributionRecorder()
    private let gpuDraws = DistributionRecorder()
    private let timelineOffsets = DistributionRecorder()

    /// The number of words that an entry of the ring takes: those of the record, and a sequence
    /// number that is odd during a write.
    private static let stride = FrameRecord.wordCount + 1

    /// Creates a ledger.
    ///
    /// - Parameter capacity: The number of records that are kept. Totals include all records.
    public init(capacity: Int = 1024) {
        precondition(capacity > 0, "a ledger keeps at least one record")
        self.capacity = capacity
        words = .allocate(capacity: capacity * Self.stride)
        for index in 0..<capacity * Self.stride {
            (words + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        words.deinitialize(count: capacity * Self.stride)
        words.deallocate()
    }

    // MARK: - Writing, any thread

    /// Records the time at which playback was requested. The delay of the first frame is measured
    /// from this time.
    package func recordStart(hostTime: MediaTime) {
        start.store(hostTime.nanoseconds ?? .min, ordering: .relaxed)
    }

    /// Counts decoded frames.
    package func recordDecoded(_ count: Int = 1) { decoded.add(Int64(count), ordering: .relaxed) }

    // MARK: - Writing, render thread

    /// Records a vsync. The frame that was swapped last becomes visible at the first vsync after
    /// the swap.
    package func beginTick(_ tick: DisplayTick) {
        if let index = TimingSource.allCases.firstIndex(of: tick.source) {
            source.store(index, ordering: .relaxed)
        }
        guard var record = open else { return }
        guard let vsync = tick.timestamp.nanoseconds, let period = tick.duration.nanoseconds,
            period > 0
        else { return }
        if let swapped = record.swappedHostTime {
            // Measured times vary around the estimated ones. A swap that follows a vsync this
            // closely was begun before that vsync.
            let since = vsync - swapped + period / 50
            if since < 0 { return }
            // The swap was also begun after the vsync of its own tick. The frame therefore became
            // visible at the next vsync or later, even if the estimate puts the tick's vsync after
            // the swap.
            let passed = min(since / period, max(0, tick.sequence - record.sequence - 1))
            record.presentedHostTime = vsync - passed * period
        } else {
            record.presentedHostTime = vsync
        }
        if record.presentedHostTime == vsync {
            record.reportedHostTime = tick.reportedTimestamp?.nanoseconds
        }
        settle(record)
    }

    /// Records a frame that was swapped for the first time.
    package func recordFrame(_ record: FrameRecord) {
        if let open { settle(open) }
        var record = record
        record.index = published.load(ordering: .relaxed)
        record.repeatCount = 0
        record.presentedHostTime = nil
        record.reportedHostTime = nil
        open = record
        if record.droppedBefore > 0 { recordDropped(record.droppedBefore) }
        if let duration = record.uploadDuration { uploads.add(duration) }
        if let duration = record.drawDuration { draws.add(duration) }
        if let duration = record.gpuUploadDuration { gpuUploads.add(duration) }
        if let duration = record.gpuDrawDuration { gpuDraws.add(duration) }
        publish(record)
        published.store(record.index + 1, ordering: .releasing)
    }

    /// Records that the previous frame was shown again although the next one was due.
    package func recordRepeat() {
        repeated.add(1, ordering: .relaxed)
        let count = published.load(ordering: .relaxed)
        guard count > 0, var record = read(count - 1) else { return }
        record.repeatCount += 1
        record.lossCause = .lateDecoding
        open?.repeatCount += 1
        open?.lossCause = .lateDecoding
        publish(record)
    }

    /// Counts frames that were due and never shown. Frames that a record counts in `droppedBefore`
    /// must not be counted again.
    package func recordDropped(_ count: Int) { dropped.add(Int64(count), ordering: .relaxed) }

    /// Records that the window changed at two vsyncs in a row, whether or not a video did.
    ///
    /// - Parameter missedVsyncs: The number of vsyncs that passed in between.
    package func recordDrawn(missedVsyncs: Int) {
        drawn.add(1, ordering: .relaxed)
        self.missedVsyncs.add(Int64(max(0, missedVsyncs)), ordering: .relaxed)
    }

    /// Records the delay of a frame relative to the timeline, which audio follows, in nanoseconds.
    /// It is negative if the frame is shown before it is due.
    package func recordTimelineOffset(_ nanoseconds: Int64) { timelineOffsets.add(nanoseconds) }

    private func settle(_ record: FrameRecord) {
        open = nil
        publish(record)
        if let error = record.slotError { slotErrors.add(error) }
        if record.isLate { late.add(1, ordering: .relaxed) }
        let time = record.presentedHostTime ?? record.swappedHostTime ?? record.slotHostTime
        if firstPresented.load(ordering: .relaxed) == .min {
            firstPresented.store(time, ordering: .relaxed)
        }
        let last = lastPresented.load(ordering: .relaxed)
        if last != .min, time - last > Self.longestGap {
            rested.add(time - last, ordering: .relaxed)
        }
        lastPresented.store(time + record.period, ordering: .relaxed)
    }

    private func publish(_ record: FrameRecord) {
        let slot = words + Int(record.index % Int64(capacity)) * Self.stride
        slot.pointee.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        record.write { (slot + 1 + $0).pointee.store($1, ordering: .relaxed) }
        slot.pointee.add(1, ordering: .releasing)
    }

    // MARK: - Reading, any thread

    /// Returns the latest records, the oldest first. Their number is at most `count`, and at most
    /// the capacity.
    package func latestRecords(_ count: Int = .max) -> [FrameRecord] {
        let end = published.load(ordering: .acquiring)
        let wanted = Int64(max(0, min(count, capacity)))
        return (max(0, end - wanted)..<end).compactMap(read)
    }

    /// Returns a record, or nil if the writer has overwritten it.
    private func read(_ index: Int64) -> FrameRecord? {
        let slot = words + Int(index % Int64(capacity)) * Self.stride
        while true {
            let before = slot.pointee.load(ordering: .acquiring)
            if before & 1 == 1 { continue }
            let record = FrameRecord { (slot + 1 + $0).pointee.load(ordering: .relaxed) }
            atomicMemoryFence(ordering: .acquiring)
            guard slot.pointee.load(ordering: .relaxed) == before else { continue }
            return record.index == index ? record : nil
        }
    }

    /// The number of frames presented so far. It has the value of `statistics.presented`, but costs
    /// less.
    package var presentedCount: Int { Int(published.load(ordering: .acquiring)) }

    /// The number of frames that were due and never shown. It has the value of
    /// `statistics.dropped`, but costs less.
    package var droppedCount: Int { Int(dropped.load(ordering: .relaxed)) }

    /// The number of frames of the window that were drawn at vsyncs in a row, as while it scrolls.
    package var drawnCount: Int { Int(drawn.load(ordering: .relaxed)) }

    /// The number of vsyncs between such frames at which none was ready.
    package var missedVsyncCount: Int { Int(missedVsyncs.load(ordering: .relaxed)) }

    /// The totals since the beginning. The presentation of a frame is included from the next tick
    /// on.
    package var statistics: FrameStatistics {
        let first = firstPresented.load(ordering: .relaxed)
        let last = lastPresented.load(ordering: .relaxed)
        let start = start.load(ordering: .relaxed)
        let isShown = first != .min && last != .min
        let source = source.load(ordering: .relaxed)
        return FrameStatistics(
            decoded: Int(decoded.load(ordering: .relaxed)),
            presented: presentedCount,
            repeated: Int(repeated.load(ordering: .relaxed)),
            dropped: Int(dropped.load(ordering: .relaxed)),
            late: Int(late.load(ordering: .relaxed)),
            duration: isShown ? MediaTime(nanoseconds: last - first) : .zero,
            rest: MediaTime(nanoseconds: rested.load(ordering: .relaxed)),
            firstFrameDelay: isShown && start != .min ? MediaTime(nanoseconds: first - start) : nil,
            timelineOffset: timelineOffsets.distribution, slotError: slotErrors.distribution,
            upload: uploads.distribution, draw: draws.distribution,
            gpuUpload: gpuUploads.distribution, gpuDraw: gpuDraws.distribution,
            source: source >= 0 ? TimingSource.allCases[source] : nil)
    }
}
