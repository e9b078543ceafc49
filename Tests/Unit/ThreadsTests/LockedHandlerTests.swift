// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization
import Testing

@Suite struct LockedHandlerTests {
    @Test func `a handler is called until it is replaced`() {
        let heard = Mutex<[String]>([])
        let handler = LockedHandler<Int>()
        handler(1)
        handler.set { event in heard.withLock { $0.append("first \(event)") } }
        handler(2)
        handler.set { event in heard.withLock { $0.append("second \(event)") } }
        handler(3)
        handler.set(nil)
        handler(4)
        #expect(heard.withLock { $0 } == ["first 2", "second 3"])
    }

    /// A `Mutex` of a closure adds two more stack frames with each call.
    @Test func `a million calls do not deepen the stack`() {
        let depths = Mutex<[Int]>([])
        let handler = LockedHandler<Bool>()
        handler.set { isMeasured in
            guard isMeasured else { return }
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { place in
                depths.withLock { $0.append(Int(bitPattern: place.baseAddress)) }
            }
        }
        handler(true)
        for _ in 0..<1_000_000 { handler(false) }
        handler(true)
        let places = depths.withLock { $0 }
        #expect(abs(places[0] - places[1]) < 4096)
    }
}
