// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Decoding that has fallen behind the playhead.
@Suite struct CatchingUpTests {
    private final class Payload: Sendable {}

    private static func milliseconds(_ count: Int64) -> MediaTime {
        MediaTime(value: count, timescale: 1000)
    }

    private static func packet(isKeyframe: Bool) -> MediaPacket {
        MediaPacket(
            trackID: 0, presentationTime: .zero, decodeTime: .zero, duration: .invalid,
            isKeyframe: isKeyframe, byteCount: 1, payload: Payload())
    }

    private static let withheld = [CatchingUp.PassedFrame](repeating: .withhold, count: 12)

    /// Returns the actions for frames that the playhead has passed.
    private static func pass(
        _ count: Int, _ catchingUp: inout CatchingUp, lateness: Int64 = 200
    ) -> [CatchingUp.PassedFrame] {
        (0..<count).map { _ in catchingUp.pass(lateness: milliseconds(lateness)) }
    }

    /// Returns the decisions for packets.
    private static func take(
        keyframes: [Bool], _ catchingUp: inout CatchingUp, hasTarget: Bool = true
    ) -> [KeyframeSkipping.Decision] {
        keyframes.map { catchingUp.take(packet(isKeyframe: $0), hasTarget: hasTarget) }
    }

    /// Falls so far behind that packets are left out.
    private static func fallFarBehind() -> CatchingUp {
        var catchingUp = CatchingUp()
        for lateness in [600, 700] as [Int64] {
            _ = catchingUp.push(lateness: milliseconds(lateness))
        }
        return catchingUp
    }

    @Test func `a tenth of a second is not late`() {
        var catchingUp = CatchingUp()
        let early = [0, 100, -5000].map { catchingUp.push(lateness: Self.milliseconds($0)) }
        #expect(early == [false, false, false])
        #expect(!catchingUp.isActive)
        let isLate = catchingUp.push(lateness: Self.milliseconds(101))
        #expect(isLate && catchingUp.isActive)
        catchingUp.arrive()
        #expect(!catchingUp.isActive)
    }

    @Test func `one frame in thirteen is shown, on the way if a target was requested`() {
        var catchingUp = CatchingUp()
        let requested = Self.pass(26, &catchingUp)
        #expect(
            requested == Self.withheld + [.showOnTheWay] + Self.withheld + [.showOnTheWay])
        _ = catchingUp.push(lateness: Self.milliseconds(200))
        let late = Self.pass(26, &catchingUp)
        #expect(late == Self.withheld + [.show] + Self.withheld + [.show])
    }

    @Test func `the count begins again at the target, at a seek, and when packets run out`() {
        var catchingUp = CatchingUp()
        let isIdle = !catchingUp.runDry()
        #expect(isIdle)
        _ = catchingUp.push(lateness: Self.milliseconds(200))
        _ = Self.pass(12, &catchingUp)
        let shows = catchingUp.runDry()
        let afterRunningDry = Self.pass(12, &catchingUp)
        #expect(shows && afterRunningDry == Self.withheld)
        catchingUp.arrive()
        let afterArriving = Self.pass(12, &catchingUp)
        #expect(afterArriving == Self.withheld)
        _ = catchingUp.push(lateness: Self.milliseconds(200))
        catchingUp.restart()
        #expect(!catchingUp.isActive)
        let afterSeeking = Self.pass(12, &catchingUp)
        #expect(afterSeeking == Self.withheld)
    }

    @Test func `lateness that does not grow leaves no packets out`() {
        var catchingUp = CatchingUp()
        for _ in 0..<2 { _ = catchingUp.push(lateness: Self.milliseconds(600)) }
        let decisions = Self.take(keyframes: [false, true], &catchingUp)
        #expect(decisions == [.decodes, .decodes])
    }

    @Test func `packets up to a keyframe are left out if lateness grows, however it is noted`() {
        var onTheWay = CatchingUp()
        _ = Self.pass(13, &onTheWay, lateness: 600)
        _ = Self.pass(13, &onTheWay, lateness: 700)
        for var catchingUp in [Self.fallFarBehind(), onTheWay] {
            let before = Self.take(keyframes: [false, false], &catchingUp)
            #expect(before == [.beginsToLeaveOut, .leavesOut])
            #expect(catchingUp.isLeavingOut)
            let after = Self.take(keyframes: [true, false], &catchingUp)
            #expect(after == [.beginsAnew, .decodes])
            #expect(!catchingUp.isLeavingOut && catchingUp.isActive)
            // The first frame is shown at once.
            let passed = Self.pass(2, &catchingUp)
            #expect(passed == [.show, .withhold])
        }
    }

    @Test func `after packets that were left out, nothing is caught up with without a target`() {
        var catchingUp = Self.fallFarBehind()
        let decisions = Self.take(keyframes: [true], &catchingUp, hasTarget: false)
        #expect(decisions == [.beginsAnew] && !catchingUp.isActive)
    }

    @Test func `another seek does not bring back packets that were left out, a flush does`() {
        var catchingUp = Self.fallFarBehind()
        _ = Self.take(keyframes: [false], &catchingUp)
        catchingUp.restart()
        #expect(catchingUp.isLeavingOut)
        let decisions = Self.take(keyframes: [false], &catchingUp)
        #expect(decisions == [.decodes])
        catchingUp.flush()
        #expect(!catchingUp.isLeavingOut)
    }
}
