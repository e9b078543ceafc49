// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The master of a timebase, as `AnchorStore` publishes it: an object that readers reach through
/// one atomic word.
protocol AnchorMaster: AnyObject, Sendable {
    /// The identity of the clock; nil for a timebase.
    var clock: ObjectIdentifier? { get }
}

/// One consistent state of a timebase: the line on which its time moves, and its master.
struct TimebaseAnchor<Master: AnchorMaster> {
    private(set) var line: AnchorLine
    var box: Master {
        didSet { line.clock = box.clock }
    }

    init(
        time: MediaTime, masterTime: MediaTime, rate: Double, holds: Bool = false, box: Master
    ) {
        line = AnchorLine(
            time: time, masterTime: masterTime, rate: rate, holds: holds, clock: box.clock)
        self.box = box
    }

    fileprivate init(_ line: AnchorLine, box: Master) {
        self.line = line
        self.box = box
    }

    var time: MediaTime {
        get { line.time }
        set { line.time = newValue }
    }

    var masterTime: MediaTime {
        get { line.masterTime }
        set { line.masterTime = newValue }
    }

    var rate: Double {
        get { line.rate }
        set { line.rate = newValue }
    }

    /// A Boolean value that indicates whether the time is held until the master reaches the anchor.
    var holds: Bool {
        get { line.holds }
        set { line.holds = newValue }
    }

    /// Returns the time of the line when the master reads `masterTime`.
    func time(atMasterTime masterTime: MediaTime, heeding hold: Bool = true) -> MediaTime {
        line.time(atMasterTime: masterTime, heeding: hold)
    }

    /// Returns the master's time at which the line reads `time`; nil at rate 0.
    func masterTime(at time: MediaTime) -> MediaTime? { line.masterTime(at: time) }
}

/// The place where a timebase publishes its anchor. Any thread reads it without waiting for a
/// writer, even for one that was interrupted while writing.
///
/// There are two copies, and a step counter whose lowest bit names the copy to read. A writer
/// directs readers to the second copy, writes the first, directs them to the first, then writes the
/// second. A reader checks the counter before and after, and repeats only if it has changed: a
/// sequence counter latch, as in the Linux kernel's timekeeping (`include/linux/seqlock.h`).
///
/// - Concurrency: `read` on any thread; `write` on one at a time.
/// - Ownership: does not keep the master's box alive. The writer does, until `isUnread` has been
///   true after the box was replaced.
final class AnchorStore<Master: AnchorMaster>: Sendable {
    private let step = Atomic<UInt64>(0)
    private let first = AnchorWords()
    private let second = AnchorWords()
    private let readerCount = Atomic<Int>(0)

    init(_ anchor: TimebaseAnchor<Master>) {
        write(anchor)
    }

    func read() -> TimebaseAnchor<Master> {
        // Either the writer that retires a box sees this count, or the code below sees the new box.
        readerCount.add(1, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        defer { readerCount.subtract(1, ordering: .releasing) }
        return words.anchor()
    }

    /// The line alone, which needs no reference counting.
    func readLine() -> AnchorLine { words.line }

    private var words: AnchorWords.Values {
        while true {
            let before = step.load(ordering: .acquiring)
            let words = before & 1 == 0 ? first.load() : second.load()
            atomicMemoryFence(ordering: .acquiring)
            if step.load(ordering: .relaxed) == before { return words }
        }
    }

    func write(_ anchor: TimebaseAnchor<Master>) {
        let words = AnchorWords.Values(anchor)
        step.add(1, ordering: .releasing)
        atomicMemoryFence(ordering: .releasing)
        first.store(words)
        step.add(1, ordering: .releasing)
        atomicMemoryFence(ordering: .releasing)
        second.store(words)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// A Boolean value that indicates whether there is no reader at this moment. If true, readers
    /// can no longer reach a box that was replaced before.
    var isUnread: Bool { readerCount.load(ordering: .sequentiallyConsistent) == 0 }
}

/// An anchor as words that are read and written one by one.
private struct AnchorWords: ~Copyable {
    struct Values {
        var timeValue: Int64 = 0
        var timeForm: UInt64 = 0
        var timeEpoch: Int64 = 0
        var masterValue: Int64 = 0
        var masterForm: UInt64 = 0
        var masterEpoch: Int64 = 0
        var rate: UInt64 = 0
        var holds = false
        var clock: UInt = 0
        var box: UInt = 0
    }

    private let timeValue = Atomic<Int64>(0)
    private let timeForm = Atomic<UInt64>(0)
    private let timeEpoch = Atomic<Int64>(0)
    private let masterValue = Atomic<Int64>(0)
    private let masterForm = Atomic<UInt64>(0)
    private let masterEpoch = Atomic<Int64>(0)
    private let rate = Atomic<UInt64>(0)
    private let holds = Atomic(false)
    private let clock = Atomic<UInt>(0)
    private let box = Atomic<UInt>(0)

    func load() -> Values {
        Values(
            timeValue: timeValue.load(ordering: .relaxed),
            timeForm: timeForm.load(ordering: .relaxed),
            timeEpoch: timeEpoch.load(ordering: .relaxed),
            masterValue: masterValue.load(ordering: .relaxed),
            masterForm: masterForm.load(ordering: .relaxed),
            masterEpoch: masterEpoch.load(ordering: .relaxed),
            rate: rate.load(ordering: .relaxed), holds: holds.load(ordering: .relaxed),
            clock: clock.load(ordering: .relaxed), box: box.load(ordering: .relaxed))
    }

    func store(_ values: Values) {
        timeValue.store(values.timeValue, ordering: .relaxed)
        timeForm.store(values.timeForm, ordering: .relaxed)
        timeEpoch.store(values.timeEpoch, ordering: .relaxed)
        masterValue.store(values.masterValue, ordering: .relaxed)
        masterForm.store(values.masterForm, ordering: .relaxed)
        masterEpoch.store(values.masterEpoch, ordering: .relaxed)
        rate.store(values.rate, ordering: .relaxed)
        holds.store(values.holds, ordering: .relaxed)
        clock.store(values.clock, ordering: .relaxed)
        box.store(values.box, ordering: .relaxed)
    }
}

extension AnchorWords.Values {
    init<Master>(_ anchor: TimebaseAnchor<Master>) {
        self.init(
            timeValue: anchor.time.value, timeForm: anchor.time.form, timeEpoch: anchor.time.epoch,
            masterValue: anchor.masterTime.value, masterForm: anchor.masterTime.form,
            masterEpoch: anchor.masterTime.epoch, rate: anchor.rate.bitPattern, holds: anchor.holds,
            clock: anchor.box.clock.map { UInt(bitPattern: $0) } ?? 0,
            box: UInt(bitPattern: Unmanaged.passUnretained(anchor.box).toOpaque()))
    }

    var line: AnchorLine {
        AnchorLine(
            time: MediaTime(timeValue, form: timeForm, epoch: timeEpoch),
            masterTime: MediaTime(masterValue, form: masterForm, epoch: masterEpoch),
            rate: Double(bitPattern: rate), holds: holds,
            // Only compared for equality.
            clock: unsafeBitCast(clock, to: ObjectIdentifier?.self))
    }

    /// The anchor. Retains the box, which must still be alive.
    func anchor<Master>() -> TimebaseAnchor<Master> {
        guard let pointer = UnsafeRawPointer(bitPattern: box) else {
            preconditionFailure("an anchor is written before it is read")
        }
        return TimebaseAnchor(
            line, box: Unmanaged<Master>.fromOpaque(pointer).takeUnretainedValue())
    }
}

extension MediaTime {
    /// The timescale and the flags in one word.
    fileprivate var form: UInt64 {
        UInt64(UInt32(bitPattern: timescale)) << 32 | UInt64(flags.rawValue)
    }

    fileprivate init(_ value: Int64, form: UInt64, epoch: Int64) {
        self.init(
            value: value, timescale: Int32(bitPattern: UInt32(form >> 32)),
            flags: Flags(rawValue: UInt32(truncatingIfNeeded: form)), epoch: epoch)
    }
}
