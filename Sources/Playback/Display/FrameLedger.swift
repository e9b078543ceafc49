// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime
import Synchronization

/// The record of every picture that was shown, and of those that were not.
///
/// HUD, `--stats-json` and tests read the same ledger. Its words mean:
///
/// - **decoded**: came out of the decoder, shown or not.
/// - **presented**: was drawn and swapped for the first time.
/// - **held**: shown in a further vsync because the next picture was not due yet, as 24 pictures a
///   second are on 60 Hz. That is as it should be, and not counted.
/// - **repeated**: a vsync in which the old picture was shown again although the next one was due.
/// - **dropped**: a picture that was due and never shown.
/// - **late**: a picture seen in a later vsync than its slot.
/// - **slot**: the vsync in which a picture should be seen first, the nearest to its time, or one
///   of the two nearest where that makes the film steadier (`FramePacer`).
///
/// In a render loop:
///
///     ledger.beginTick(tick)                       // settles what became of the last swap
///     ... upload, draw, swap ...
///     ledger.recordFrame(record)                   // or ledger.recordRepeat()
///
/// - Concurrency: one writer, the render thread, for `beginTick`, `recordFrame`, `recordRepeat`,
///   `recordDropped` and `recordAudioVideoOffset`: these neither lock nor allocate nor wait.
///   `recordDecoded`, `recordStart` and everything that reads may be called from any thread.
public final class FrameLedger: @unchecked Sendable {
    // Unchecked: `open` belongs to the writer. `words` is allocated once and consists of atomics.
    private let words: UnsafeMutablePointer<Atomic<Int64>>
    /// How many records the ring keeps.
    package let capacity: Int

    /// Records published so far.
    private let published = Atomic<Int64>(0)
    /// The last picture swapped, whose presentation is not known yet.
    private var open: FrameRecord?
    private var lastTick: DisplayTick?

    private let decoded = Atomic<Int64>(0)
    private let repeated = Atomic<Int64>(0)
    private let dropped = Atomic<Int64>(0)
    private let late = Atomic<Int64>(0)
    private let start = Atomic<Int64>(.min)
    /// Between pictures further apart than this nothing played.
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
    private let audioVideoOffsets = DistributionRecorder()

    /// Words a slot of the ring: the record, and a sequence number that is odd while it is written.
    private static let stride = FrameRecord.wordCount + 1

    /// - Parameter capacity: how many of the latest records are kept; totals count all of them.
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

    /// Notes when playback was asked for; the wait for the first picture counts from there.
    package func recordStart(hostTime: MediaTime) {
        start.store(hostTime.nanoseconds ?? .min, ordering: .relaxed)
    }

    /// Counts pictures out of the decoder.
    package func recordDecoded(_ count: Int = 1) { decoded.add(Int64(count), ordering: .relaxed) }

    // MARK: - Writing, render thread

    /// Notes that a vsync has passed, which settles when the last swap was seen: at the first
    /// vsync after it.
    package func beginTick(_ tick: DisplayTick) {
        lastTick = tick
        if let index = TimingSource.allCases.firstIndex(of: tick.source) {
            source.store(index, ordering: .relaxed)
        }
        guard var record = open else { return }
        guard let vsync = tick.timestamp.nanoseconds, let period = tick.duration.nanoseconds,
            period > 0
        else { return }
        if let swapped = record.swappedHostTime {
            // Measured times jitter about the estimated ones: a swap this little after a vsync
            // was begun before it.
            let since = vsync - swapped + period / 50
            if since < 0 { return }
            // And it was begun once its own tick's vsync had been reported, be that later by the
            // estimate than the swap was.
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

    /// Notes a picture that was swapped for the first time.
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

    /// Notes that the old picture was shown again although the next one was due.
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

    /// Counts pictures that were due and never shown, other than those before a recorded one.
    package func recordDropped(_ count: Int) { dropped.add(Int64(count), ordering: .relaxed) }

    /// Notes how much later the sound of a moment is heard than its picture is seen, in
    /// nanoseconds; negative if earlier.
    package func recordAudioVideoOffset(_ nanoseconds: Int64) { audioVideoOffsets.add(nanoseconds) }

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

    /// The latest pictures, oldest first: at most `count`, at most as many as the ring keeps.
    package func latestRecords(_ count: Int = .max) -> [FrameRecord] {
        let end = published.load(ordering: .acquiring)
        let wanted = Int64(max(0, min(count, capacity)))
        return (max(0, end - wanted)..<end).compactMap(read)
    }

    /// One record, or nil if the writer has gone over it.
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

    /// How many pictures have been presented: `statistics.presented`, cheap enough to ask for often.
    package var presentedCount: Int { Int(published.load(ordering: .acquiring)) }

    /// How many pictures were due and never shown: `statistics.dropped`, likewise.
    package var droppedCount: Int { Int(dropped.load(ordering: .relaxed)) }

    /// The totals since the beginning. A picture's presentation counts from the tick after it.
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
            audioVideoOffset: audioVideoOffsets.distribution, slotError: slotErrors.distribution,
            upload: uploads.distribution, draw: draws.distribution,
            gpuUpload: gpuUploads.distribution, gpuDraw: gpuDraws.distribution,
            source: source >= 0 ? TimingSource.allCases[source] : nil)
    }
}
