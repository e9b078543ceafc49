// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A timeline under the program's control: a rate, and an anchor on a clock or another timebase.
///
/// At rate 0 the time stands still, at 1 it runs in lockstep with its master, at 2 twice as fast,
/// at −1 backwards while the master goes on. An anchor says that the timeline reads `time` when the
/// master reads `masterTime`; all other times, past and future, follow from it and the rate.
///
/// Arithmetic is rational, so a timebase anchored at a frame's time reads exactly that time at the
/// anchor, and exact multiples of frames wherever the result fits `MediaTime`.
///
/// - Concurrency: any thread. Reading takes no lock (a sequence lock: readers retry in the rare
///   case that a write happens in between); writers exclude each other by a short lock.
/// - Ownership: keeps every master that it ever had until it is released itself; they are few.
/// - Corresponds to: `CMTimebase`.
public final class Timebase: Sendable {
    /// What a timebase derives its time from.
    public enum Master: Sendable {
        case clock(any MediaClock)
        case timebase(Timebase)

        /// What the master reads when the host clock reads `hostTime`.
        public func time(atHostTime hostTime: MediaTime) -> MediaTime {
            switch self {
            case .clock(let clock): clock.time(atHostTime: hostTime)
            case .timebase(let timebase): timebase.time(atHostTime: hostTime)
            }
        }

        /// What the master reads now.
        public var time: MediaTime {
            switch self {
            case .clock(let clock): clock.time
            case .timebase(let timebase): timebase.time
            }
        }
    }

    /// What a timebase reads at one moment.
    public struct Reading: Sendable {
        /// What the line through the anchor reads, whether or not the timeline is held there.
        public var time: MediaTime
        /// The rate relative to the clock at the end of the chain of masters.
        public var rate: Double
        /// Where the timeline is held until its line gets there; nil where it is not. Where `time`
        /// comes before it in the direction of the rate, playback has not started yet.
        public var holdTime: MediaTime?
    }

    /// A master in a box of its own, so that readers can reach it through one atomic word.
    private final class MasterBox: Sendable {
        let master: Master
        init(_ master: Master) { self.master = master }
    }

    /// One consistent reading of the timebase.
    private struct Anchor {
        var time: MediaTime
        var masterTime: MediaTime
        var rate: Double
        var holds = false
        var box: MasterBox
    }

    // The sequence is odd while a write is under way. Words are read between two equal, even
    // readings of it.
    private let sequence = Atomic<UInt64>(0)
    private let timeValue = Atomic<Int64>(0)
    private let timeScaleAndFlags = Atomic<UInt64>(0)
    private let timeEpoch = Atomic<Int64>(0)
    private let masterValue = Atomic<Int64>(0)
    private let masterScaleAndFlags = Atomic<UInt64>(0)
    private let rateBits = Atomic<UInt64>(0)
    private let holds = Atomic(false)
    private let boxAddress = Atomic<UInt>(0)

    /// Excludes writers, and keeps alive all boxes that `boxAddress` has ever named.
    private let boxes: Mutex<[MasterBox]>

    /// A timebase at rate 0 and time zero.
    public init(master: Master) {
        let box = MasterBox(master)
        boxes = Mutex([box])
        write(Anchor(time: .zero, masterTime: .zero, rate: 0, box: box))
    }

    /// A timebase on a clock, at rate 0 and time zero.
    public convenience init(masterClock: any MediaClock) { self.init(master: .clock(masterClock)) }

    /// What this timebase derives its time from. Setting it keeps the time continuous.
    public var master: Master {
        get { read().box.master }
        set {
            boxes.withLock { boxes in
                let box = MasterBox(newValue)
                boxes.append(box)
                let now = time(of: read(), atMasterTime: read().box.master.time)
                let rate = read().rate
                write(Anchor(time: now, masterTime: newValue.time, rate: rate, box: box))
            }
        }
    }

    /// The rate relative to the master. Setting it keeps the time continuous.
    public var rate: Double {
        get { read().rate }
        set {
            boxes.withLock { _ in
                var anchor = read()
                let now = anchor.box.master.time
                anchor.time = time(of: anchor, atMasterTime: now)
                anchor.masterTime = now
                anchor.rate = newValue
                anchor.holds = false
                write(anchor)
            }
        }
    }

    /// The rate relative to the clock at the end of the chain of masters.
    public var effectiveRate: Double {
        let anchor = read()
        guard case .timebase(let master) = anchor.box.master else { return anchor.rate }
        return anchor.rate * master.effectiveRate
    }

    /// The time now.
    public var time: MediaTime {
        let anchor = read()
        if anchor.rate == 0 { return anchor.time }
        return time(of: anchor, atMasterTime: anchor.box.master.time)
    }

    /// The time when the host clock reads `hostTime`.
    public func time(atHostTime hostTime: MediaTime) -> MediaTime {
        let anchor = read()
        if anchor.rate == 0 { return anchor.time }
        return time(of: anchor, atMasterTime: anchor.box.master.time(atHostTime: hostTime))
    }

    /// What the timebase reads when `clock` reads `clockTime`, all of it from one moment. Exact,
    /// without a detour over host time, where `clock` is the clock at the end of the chain of
    /// masters: how the sound callback asks which samples to deliver.
    ///
    /// - Corresponds to: `CMTimebaseGetTimeAndRate`.
    public func reading(at clockTime: MediaTime, of clock: any MediaClock) -> Reading {
        var anchor = read()
        let isHolding = anchor.holds
        anchor.holds = false
        var rate = anchor.rate
        let masterTime: MediaTime
        switch anchor.box.master {
        case .clock(let master):
            masterTime =
                master === clock
                ? clockTime : master.time(atHostTime: clock.hostTime(at: clockTime))
        case .timebase(let master):
            let reading = master.reading(at: clockTime, of: clock)
            rate *= reading.rate
            masterTime = reading.time
        }
        return Reading(
            time: time(of: anchor, atMasterTime: masterTime), rate: rate,
            holdTime: isHolding ? anchor.time : nil)
    }

    /// The clock at the end of the chain of masters.
    public var ultimateMasterClock: any MediaClock {
        switch read().box.master {
        case .clock(let clock): clock
        case .timebase(let timebase): timebase.ultimateMasterClock
        }
    }

    /// When, in host time, the timebase reads `time`; nil while it stands still, and for times
    /// that are no numbers.
    public func hostTime(at time: MediaTime) -> MediaTime? {
        let anchor = read()
        guard anchor.rate != 0, time.isNumeric, anchor.time.isNumeric else { return nil }
        let distance = time - anchor.time
        let elapsed = anchor.rate == 1 ? distance : distance * (1 / anchor.rate)
        let masterTime = anchor.masterTime + elapsed
        switch anchor.box.master {
        case .clock(let clock): return clock.hostTime(at: masterTime)
        case .timebase(let timebase): return timebase.hostTime(at: masterTime)
        }
    }

    /// What the line through the anchor reads when the master reads `masterTime`, whether or not
    /// the timeline is held there: before a future start, sound looks up how far off it still is.
    public func time(atMasterTime masterTime: MediaTime) -> MediaTime {
        var anchor = read()
        anchor.holds = false
        return time(of: anchor, atMasterTime: masterTime)
    }

    /// Moves the timeline to `time` now; the rate stays.
    public func setTime(_ time: MediaTime) {
        boxes.withLock { _ in
            var anchor = read()
            anchor.time = time
            anchor.masterTime = anchor.box.master.time
            anchor.holds = false
            write(anchor)
        }
    }

    /// Sets rate and anchor at once: the timeline reads `time` when the master reads `masterTime`,
    /// which may lie in the past or in the future.
    ///
    /// - Parameter holding: whether the timeline stands at `time` until a future anchor is reached,
    ///   as a player does that is told to start at a coming instant. Otherwise the time before the
    ///   anchor lies on the same line as that after it.
    public func setRate(
        _ rate: Double, time: MediaTime, atMasterTime masterTime: MediaTime,
        holdingUntilThen holding: Bool = false
    ) {
        boxes.withLock { _ in
            write(
                Anchor(
                    time: time, masterTime: masterTime, rate: rate, holds: holding,
                    box: read().box))
        }
    }

    private func time(of anchor: Anchor, atMasterTime masterTime: MediaTime) -> MediaTime {
        if anchor.rate == 0 { return anchor.time }
        let elapsed = masterTime - anchor.masterTime
        if anchor.holds, elapsed < .zero { return anchor.time }
        return anchor.time + (anchor.rate == 1 ? elapsed : elapsed * anchor.rate)
    }

    private func read() -> Anchor {
        while true {
            let before = sequence.load(ordering: .acquiring)
            if before & 1 == 0 {
                let value = timeValue.load(ordering: .relaxed)
                let scale = timeScaleAndFlags.load(ordering: .relaxed)
                let epoch = timeEpoch.load(ordering: .relaxed)
                let masterValue = masterValue.load(ordering: .relaxed)
                let masterScale = masterScaleAndFlags.load(ordering: .relaxed)
                let rate = rateBits.load(ordering: .relaxed)
                let holds = holds.load(ordering: .relaxed)
                let address = boxAddress.load(ordering: .relaxed)
                atomicMemoryFence(ordering: .acquiring)
                if sequence.load(ordering: .relaxed) == before,
                    let pointer = UnsafeRawPointer(bitPattern: address)
                {
                    return Anchor(
                        time: MediaTime(value, packed: scale, epoch: epoch),
                        masterTime: MediaTime(masterValue, packed: masterScale, epoch: 0),
                        rate: Double(bitPattern: rate), holds: holds,
                        box: Unmanaged<MasterBox>.fromOpaque(pointer).takeUnretainedValue())
                }
            }
        }
    }

    private func write(_ anchor: Anchor) {
        sequence.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        timeValue.store(anchor.time.value, ordering: .relaxed)
        timeScaleAndFlags.store(anchor.time.packedScaleAndFlags, ordering: .relaxed)
        timeEpoch.store(anchor.time.epoch, ordering: .relaxed)
        masterValue.store(anchor.masterTime.value, ordering: .relaxed)
        masterScaleAndFlags.store(anchor.masterTime.packedScaleAndFlags, ordering: .relaxed)
        rateBits.store(anchor.rate.bitPattern, ordering: .relaxed)
        holds.store(anchor.holds, ordering: .relaxed)
        boxAddress.store(
            UInt(bitPattern: Unmanaged.passUnretained(anchor.box).toOpaque()), ordering: .relaxed)
        sequence.add(1, ordering: .releasing)
    }
}

extension MediaTime {
    /// Timescale and flags in one word, the form in which `Timebase` publishes them.
    fileprivate var packedScaleAndFlags: UInt64 {
        UInt64(UInt32(bitPattern: timescale)) << 32 | UInt64(flags.rawValue)
    }

    fileprivate init(_ value: Int64, packed word: UInt64, epoch: Int64) {
        self.init(
            value: value, timescale: Int32(bitPattern: UInt32(word >> 32)),
            flags: Flags(rawValue: UInt32(truncatingIfNeeded: word)), epoch: epoch)
    }
}
