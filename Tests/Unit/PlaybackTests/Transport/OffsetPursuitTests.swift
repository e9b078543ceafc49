// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The correction of the distance of a live source from the present.
@Suite struct OffsetPursuitTests {
    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1e6).rounded()), timescale: 1_000_000)
    }

    /// Runs a source whose clock is faster by a factor than that of this machine, and returns the
    /// errors, and the factors, at each frame of 30 a second.
    private static func run(
        from error: Double, clock: Double = 1, seconds duration: Double
    ) -> [(error: Double, factor: Double)] {
        var (pursuit, error) = (OffsetPursuit(), error)
        return (0..<Int(duration * 30)).map { _ in
            pursuit.update(seconds(error))
            error += (clock - pursuit.factor) / 30
            return (error, pursuit.factor)
        }
    }

    @Test(arguments: [0, 0.004, -0.004, 0.019, -0.019])
    func `an error that is not seen is not corrected`(error: Double) {
        #expect(Self.run(from: error, seconds: 10).allSatisfy { $0.factor == 1 })
    }

    @Test(arguments: [0.02, -0.02, 0.05, -0.05, 0.3, -0.3, 2, -2])
    func `an error is corrected once, by rates that are hardly heard`(error: Double) {
        let run = Self.run(from: error, seconds: 60)
        let sign = error < 0 ? -1.0 : 1
        #expect(run.allSatisfy { (0.95...1.05).contains($0.factor) })
        #expect(run.allSatisfy { ($0.factor - 1) * sign >= 0 })
        #expect(zip(run, run.dropFirst()).allSatisfy { ($0.error - $1.error) * sign >= 0 })
        // Times have microseconds.
        #expect(abs(run.last?.error ?? 1) <= 0.005_001)
        // A small error is corrected by a rate that is not heard.
        if abs(error) < 0.1 { #expect(run.allSatisfy { abs($0.factor - 1) <= 0.0051 }) }
        // A large one is corrected in the time that five percent take.
        let end = run.firstIndex { abs($0.error) < 0.02 } ?? run.count
        if abs(error) >= 0.1 { #expect(Double(end) / 30 <= abs(error) / 0.05 + 1) }
    }

    @Test(arguments: [1.0002, 0.9998, 1.001, 0.999])
    func `a sender with another clock does not fall behind`(clock: Double) {
        let run = Self.run(from: 0, clock: clock, seconds: 3600)
        #expect(run.allSatisfy { abs($0.error) < 0.021 })
        #expect(run.allSatisfy { abs($0.factor - 1) <= 0.0051 })
    }

    @Test func `times that are not known change nothing`() {
        var pursuit = OffsetPursuit()
        pursuit.update(Self.seconds(1))
        pursuit.update(.invalid)
        #expect(pursuit.factor == 1.05)
        pursuit.reset()
        #expect(pursuit.factor == 1)
    }
}
