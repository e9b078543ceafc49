// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadEffects

@Suite("Slow passes")
struct SlowPassGuardTests {
    private static let pause = SlowPassGuard.firstPause

    /// A guard as a reference, so that expectations can call mutating functions.
    private final class Passes {
        private var value = SlowPassGuard()
        var isTrial: Bool { value.isTrial }

        func isSlow(_ nanoseconds: Int64, at now: Int64 = 0) -> Bool {
            value.note(nanoseconds: nanoseconds, limit: 5, now: now)
        }

        func isBypassed(at now: Int64 = 0) -> Bool { value.isBypassed(now: now) }
    }

    @Test func `one slow frame, or two that do not follow each other, are forgiven`() {
        let passes = Passes()
        #expect(!passes.isSlow(9))
        #expect(!passes.isSlow(5))
        #expect(!passes.isSlow(9))
        #expect(!passes.isBypassed())
        #expect(passes.isSlow(9))
        #expect(passes.isBypassed())
    }

    @Test func `the pause doubles with each failed attempt, and starts over after a good one`() {
        let passes = Passes()
        var now: Int64 = 0
        #expect(!passes.isSlow(9))
        #expect(passes.isSlow(9))
        for pause in [1, 2, 4, 8, 16] as [Int64] {
            #expect(passes.isBypassed(at: now + pause * Self.pause - 1))
            now += pause * Self.pause
            #expect(!passes.isBypassed(at: now))
            #expect(passes.isTrial)
            // A single frame decides.
            #expect(passes.isSlow(9, at: now))
        }
        now += 300_000_000_000
        #expect(!passes.isBypassed(at: now))
        #expect(!passes.isSlow(1, at: now))
        #expect(!passes.isTrial)
        #expect(!passes.isSlow(9, at: now))
        #expect(passes.isSlow(9, at: now))
        #expect(!passes.isBypassed(at: now + Self.pause))
    }

    @Test func `processor time does not pass while a thread waits`() {
        let start = RasterizerTimes()
        var sum: UInt64 = 1
        while RasterizerTimes().longest(since: start) < 1_000_000 { sum = sum &* 31 &+ 7 }
        #expect(sum != 0)
        let middle = RasterizerTimes()
        #expect(middle.longest(since: start) >= 1_000_000)
        #expect(middle.longest(since: middle) == 0)
    }
}
