// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadWriting

/// The bounded queue of an input.
@Suite struct SampleQueueTests {
    private final class Frame: Sendable {}

    @Test func `a queue that is never empty keeps no element that was taken`() {
        var queue = SampleQueue<Frame>(maximumCount: 3, maximumBytes: .max)
        weak var last: Frame?
        for index in 0..<200 {
            let frame = Frame()
            queue.append(frame, byteCount: 10)
            guard index > 1 else { continue }
            let taken = queue.take()
            #expect(taken != nil)
            last = taken
            #expect(queue.count == 2 && queue.byteCount == 20)
        }
        #expect(last == nil)
    }

    @Test func `elements leave in their order, and the size follows them`() {
        var queue = SampleQueue<Int>(maximumCount: 100, maximumBytes: 40)
        #expect(queue.take() == nil)
        for number in 0..<90 { queue.append(number, byteCount: number) }
        #expect(queue.isFull && queue.count == 90 && queue.byteCount == 89 * 45)
        for number in 0..<90 {
            #expect(queue.first == number)
            #expect(queue.take() == number)
        }
        #expect(queue.isEmpty && queue.byteCount == 0 && !queue.isFull && queue.first == nil)
    }
}
