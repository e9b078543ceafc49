// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadThreads
import PlayheadTime
import Testing

@Suite struct FrameLedgerTests {
    let period: Int64 = 16_000_000

    /// Returns the tick of vsync `n` of a display of 62.5 Hz.
    func tick(_ n: Int64) -> DisplayTick {
        DisplayTick(
            timestamp: MediaTime(nanoseconds: n * period),
            targetTimestamp: MediaTime(nanoseconds: (n + 1) * period),
            duration: MediaTime(nanoseconds: period), sequence: n, source: .manual)
    }

    func record(_ n: Int64, due: Int64, swapped: Int64? = nil, dropped: Int = 0) -> FrameRecord {
        var record = FrameRecord(
            itemTime: MediaTime(value: n * 1001, timescale: 24_000),
            slotHostTime: tick(n).slot(forHostTime: MediaTime(nanoseconds: due)), tick: tick(n),
            droppedBefore: dropped)
        record.swappedHostTime = swapped
        return record
    }

    @Test(
        arguments: [
            (160_000_000, 160_000_000), (159_999_999, 160_000_000), (144_500_000, 160_000_000),
            (143_600_000, 144_000_000), (144_100_000, 144_000_000), (112_000_000, 112_000_000),
            (160_100_000, 160_000_000), (161_000_000, 176_000_000), (190_000_000, 192_000_000),
        ] as [(Int64, Int64)])
    func `a slot is the first vsync that is not before the due time`(due: Int64, slot: Int64) {
        #expect(tick(9).slot(forHostTime: MediaTime(nanoseconds: due)).nanoseconds == slot)
    }

    @Test func `a record has the estimated and the reported time of its vsync`() throws {
        let ledger = FrameLedger()
        for (n, swapped) in [(Int64(0), Int64(5_000_000)), (3, 3 * period + 5_000_000)] {
            ledger.beginTick(tick(n))
            ledger.recordFrame(record(n, due: (n + 1) * period, swapped: swapped))
            // The second frame is settled two vsyncs later.
            var next = tick(n == 0 ? 1 : 5)
            next.reportedTimestamp = next.timestamp + MediaTime(nanoseconds: 700_000)
            ledger.beginTick(next)
        }
        let records = ledger.latestRecords()
        #expect(records.map(\.presentedHostTime) == [period, 4 * period])
        #expect(records.map(\.reportedHostTime) == [period + 700_000, nil])
    }

    @Test func `a frame swapped in time is presented in its slot`() throws {
        let ledger = FrameLedger()
        for n in Int64(0)..<10 {
            ledger.beginTick(tick(n))
            ledger.recordFrame(
                record(n, due: n * period + 9_000_000, swapped: n * period + 5_000_000))
        }
        ledger.beginTick(tick(10))
        let statistics = ledger.statistics
        #expect(statistics.presented == 10)
        #expect(statistics.late == 0)
        #expect(statistics.slotError.count == 10)
        #expect(statistics.slotError.max == 0)
        #expect(statistics.duration == MediaTime(nanoseconds: 10 * period))
        #expect(abs(statistics.framesPerSecond - 62.5) < 1e-9)
        #expect(statistics.source == .manual)
        let last = try #require(ledger.latestRecords(1).first)
        #expect(last.presentedHostTime == 10 * period)
        #expect(last.itemTime == MediaTime(value: 9 * 1001, timescale: 24_000))
    }

    @Test
    func `a swap is seen after the vsync at which it was drawn, even if that was reported early`()
        throws
    {
        let ledger = FrameLedger()
        ledger.beginTick(tick(4))
        ledger.recordFrame(record(4, due: 5 * period, swapped: 4 * period - 1_000_000))
        ledger.beginTick(tick(5))
        let record = try #require(ledger.latestRecords().first)
        #expect(record.presentedHostTime == 5 * period)
        #expect(record.slotError == 0)
    }

    @Test func `a swap that misses its vsync makes the frame late by one`() throws {
        let ledger = FrameLedger()
        ledger.beginTick(tick(0))
        ledger.recordFrame(record(0, due: 9_000_000, swapped: period + 3_000_000))
        ledger.beginTick(tick(1))  // the vsync before the swap settles nothing
        #expect(ledger.statistics.slotError.count == 0)
        ledger.beginTick(tick(3))
        let record = try #require(ledger.latestRecords().first)
        #expect(record.presentedHostTime == 2 * period)
        #expect(record.isLate)
        #expect(ledger.statistics.late == 1)
        #expect(abs(ledger.statistics.slotError.mean - 16) < 1e-9)
    }

    @Test func `a frame drawn a vsync after it was due is late`() {
        let ledger = FrameLedger()
        ledger.beginTick(tick(5))
        ledger.recordFrame(record(5, due: 4 * period + 9_000_000, swapped: 5 * period + 1_000_000))
        ledger.beginTick(tick(6))
        #expect(ledger.statistics.late == 1)
    }

    @Test func `repeats and drops are counted and recorded with their frames`() {
        let ledger = FrameLedger()
        ledger.recordDecoded(5)
        ledger.recordDecoded()
        ledger.beginTick(tick(0))
        ledger.recordRepeat()  // nothing shown yet
        ledger.recordFrame(record(0, due: 9_000_000))
        for n in Int64(1)...2 {
            ledger.beginTick(tick(n))
            ledger.recordRepeat()
        }
        ledger.beginTick(tick(3))
        ledger.recordFrame(record(3, due: 3 * period + 1, dropped: 2))
        ledger.beginTick(tick(4))
        #expect(ledger.latestRecords().map(\.repeatCount) == [2, 0])
        #expect(ledger.latestRecords().map(\.droppedBefore) == [0, 2])
        let statistics = ledger.statistics
        #expect(statistics.repeated == 3)
        #expect(statistics.dropped == 2)
        #expect(statistics.decoded == 6)
    }

    @Test func `the ring keeps the latest records, the totals count all`() {
        let ledger = FrameLedger(capacity: 8)
        for n in Int64(0)..<100 { ledger.recordFrame(record(n, due: n * period)) }
        #expect(ledger.latestRecords().map(\.index) == Array(92..<100))
        #expect(ledger.latestRecords(3).map(\.index) == [97, 98, 99])
        #expect(ledger.statistics.presented == 100)
    }

    @Test func `the frame rate does not include pauses`() {
        let ledger = FrameLedger()
        for n in Array(Int64(0)..<48) + Array(Int64(7000)..<7048) {
            ledger.beginTick(tick(n))
            ledger.recordFrame(record(n, due: n * period))
        }
        ledger.beginTick(tick(7048))
        #expect(abs(ledger.statistics.framesPerSecond - 62.5) < 1)
        #expect(ledger.statistics.duration > MediaTime(value: 100, timescale: 1))
    }

    @Test func `every field of a record survives the ring`() throws {
        let ledger = FrameLedger()
        var record = record(3, due: 4 * period, swapped: 4, dropped: 1)
        record.decodedHostTime = 1
        record.uploadedHostTime = 2
        record.drawnHostTime = 3
        record.uploadDuration = 5
        record.drawDuration = 6
        record.itemTime = .indefinite
        ledger.recordFrame(record)
        #expect(ledger.latestRecords() == [record])
    }

    @Test func `the delay of the first frame counts from the start`() {
        let ledger = FrameLedger()
        ledger.recordStart(hostTime: MediaTime(nanoseconds: 6_000_000))
        ledger.beginTick(tick(0))
        #expect(ledger.statistics.firstFrameDelay == nil)
        ledger.recordFrame(record(0, due: 9_000_000, swapped: 9_000_000))
        ledger.beginTick(tick(1))
        #expect(ledger.statistics.firstFrameDelay == MediaTime(nanoseconds: 10_000_000))
    }

    @Test func `distributions are of the magnitude, their bias keeps the sign`() {
        let ledger = FrameLedger()
        for n in Int64(1)...1000 {
            ledger.recordTimelineOffset(n.isMultiple(of: 2) ? n * 10_000 : -n * 10_000)
        }
        let offset = ledger.statistics.timelineOffset
        #expect(offset.count == 1000)
        #expect(abs(offset.mean - 5.005) < 1e-9)
        #expect(abs(offset.p50 / 5 - 1) < 0.01)
        #expect(abs(offset.p99 / 9.9 - 1) < 0.01)
        #expect(offset.max == 10)
        #expect(abs(offset.bias - 0.005) < 1e-9)
    }

    @Test func `a reader beside the writer sees whole records only`() {
        let ledger = FrameLedger(capacity: 4)
        let done = Monitor(false)
        let writer = WorkerThread(name: "writer") {
            for n in Int64(0)..<20_000 {
                var record = FrameRecord(
                    itemTime: MediaTime(value: n, timescale: 1), slotHostTime: nil,
                    tick: DisplayTick(
                        timestamp: .zero, targetTimestamp: MediaTime(nanoseconds: n),
                        duration: .zero, sequence: n, source: .manual))
                record.decodedHostTime = n
                record.drawDuration = n
                ledger.recordFrame(record)
            }
            done.change { $0 = true }
        }
        while !done.withLock({ $0 }) {
            for record in ledger.latestRecords() {
                let n = record.index
                #expect(record.itemTime.value == n && record.sequence == n)
                #expect(record.decodedHostTime == n && record.drawDuration == n)
                #expect(record.slotHostTime == n)
            }
        }
        writer.join()
    }
}
