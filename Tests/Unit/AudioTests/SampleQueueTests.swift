// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization
import Testing

@testable import PlayheadAudio

@Suite struct SampleQueueTests {
    @Test func `a full queue refuses and counts elements, and keeps the order`() {
        let queue = SampleQueue<Int>(capacity: 8)
        var written = 0
        var read = 0
        for size in [3, 5, 8, 1, 7, 20, 2] {
            let taken = (written..<(written + size)).withContiguousStorage { queue.write($0) }
            #expect(taken == min(size, 8 - (written - read)))
            written += taken
            #expect(queue.count == written - read)
            for _ in 0..<(size / 2) where read < written {
                #expect(queue.read() == read)
                read += 1
            }
        }
        while let element = queue.read() {
            #expect(element == read)
            read += 1
        }
        #expect(read == written && queue.count == 0)
        #expect(queue.refusedCount > 0)
    }

    @Test func `writeAll writes all elements or none`() {
        let queue = SampleQueue<Int>(capacity: 4)
        #expect((0..<3).withContiguousStorage { queue.writeAll($0) })
        #expect(!(3..<5).withContiguousStorage { queue.writeAll($0) })
        #expect(queue.count == 3 && queue.refusedCount == 2)
    }

    @Test func `two threads pass a million elements in order`() {
        let queue = SampleQueue<Int>(capacity: 512)
        let total = 1_000_000
        let writer = WorkerThread(name: "queue-writer") {
            var next = 0
            while next < total {
                let end = min(total, next + 1 + next % 97)
                next += (next..<end).withContiguousStorage { queue.write($0) }
            }
        }
        let isDone = Atomic(false)
        let outside = Atomic(0)
        let onlooker = WorkerThread(name: "queue-onlooker") {
            while !isDone.load(ordering: .relaxed) {
                let isInside = (0...queue.capacity).contains(queue.count)
                if !isInside { outside.add(1, ordering: .relaxed) }
            }
        }
        var expected = 0
        var errors = 0
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 131) { buffer in
            while expected < total {
                let count = queue.read(into: buffer)
                for index in 0..<count {
                    if buffer[index] != expected { errors += 1 }
                    expected += 1
                }
            }
        }
        writer.join()
        isDone.store(true, ordering: .relaxed)
        onlooker.join()
        #expect(outside.load(ordering: .relaxed) == 0)
        #expect(errors == 0 && queue.count == 0)
    }
}

extension Range<Int> {
    fileprivate func withContiguousStorage<Result>(
        _ body: (UnsafeBufferPointer<Int>) -> Result
    ) -> Result {
        Array(self).withUnsafeBufferPointer(body)
    }
}
