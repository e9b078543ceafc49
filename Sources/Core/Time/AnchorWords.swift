// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The line of an anchor and the address of the object that keeps its master alive, stored as
/// separate machine words.
struct AnchorWords: ~Copyable {
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
        var owner: UInt = 0
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
    private let owner = Atomic<UInt>(0)

    func load() -> Values {
        Values(
            timeValue: timeValue.load(ordering: .relaxed),
            timeForm: timeForm.load(ordering: .relaxed),
            timeEpoch: timeEpoch.load(ordering: .relaxed),
            masterValue: masterValue.load(ordering: .relaxed),
            masterForm: masterForm.load(ordering: .relaxed),
            masterEpoch: masterEpoch.load(ordering: .relaxed),
            rate: rate.load(ordering: .relaxed), holds: holds.load(ordering: .relaxed),
            clock: clock.load(ordering: .relaxed), owner: owner.load(ordering: .relaxed))
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
        owner.store(values.owner, ordering: .relaxed)
    }
}

extension AnchorWords.Values {
    init(_ line: AnchorLine, owner: UInt) {
        self.init(
            timeValue: line.time.value, timeForm: line.time.form, timeEpoch: line.time.epoch,
            masterValue: line.masterTime.value, masterForm: line.masterTime.form,
            masterEpoch: line.masterTime.epoch, rate: line.rate.bitPattern, holds: line.holds,
            clock: line.clock.map { UInt(bitPattern: $0) } ?? 0, owner: owner)
    }

    var line: AnchorLine {
        AnchorLine(
            time: MediaTime(timeValue, form: timeForm, epoch: timeEpoch),
            masterTime: MediaTime(masterValue, form: masterForm, epoch: masterEpoch),
            rate: Double(bitPattern: rate), holds: holds,
            // The identity is only compared for equality.
            clock: unsafeBitCast(clock, to: ObjectIdentifier?.self))
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
