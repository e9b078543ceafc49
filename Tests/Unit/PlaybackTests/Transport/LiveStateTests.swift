// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The window of a live stream, and the playhead in it.
@Suite struct LiveStateTests {
    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    private static func window(
        _ start: Double, _ end: Double, hasEnded: Bool = false
    ) -> LiveWindow {
        LiveWindow(
            range: MediaTimeRange(start: seconds(start), end: seconds(end)),
            recommendedOffset: seconds(6), hasEnded: hasEnded)
    }

    private static func state(
        _ window: LiveWindow, playhead: Double? = nil, offset: Double? = nil
    ) -> LiveState {
        var state = LiveState()
        if let offset { state.setConfiguredOffset(seconds(offset)) }
        state.note(window, playhead: playhead.map { seconds($0) })
        return state
    }

    @Test func `a latency policy is a distance, and whether it is kept`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        #expect(item.latencyPolicy == .smooth)
        let cases: [(PlayerItem.LatencyPolicy, MediaTime, Bool)] = [
            (.newest, .zero, true), (.offset(Self.seconds(2)), Self.seconds(2), true),
            (.smooth, .invalid, false),
        ]
        for (policy, offset, isKept) in cases {
            item.latencyPolicy = policy
            #expect(item.configuredTimeOffsetFromLive == offset)
            #expect(item.automaticallyPreservesTimeOffsetFromLive == isKept)
            #expect(item.latencyPolicy == policy)
        }
        item.latencyPolicy = .offset(Self.seconds(-1))
        #expect(item.latencyPolicy == .newest)
        item.latencyPolicy = .offset(.invalid)
        #expect(item.latencyPolicy == .smooth)
        #expect(!item.automaticallyPreservesTimeOffsetFromLive)
    }

    @Test func `seeks are clamped to the window, and the live edge is reached at a distance`() {
        let state = Self.state(Self.window(10, 40))
        let targets = [(0.0, 10.0), (10, 10), (25, 25), (39.9, 39.9), (40, 34), (1000, 34)]
        for (time, target) in targets {
            #expect(state.target(of: Self.seconds(time)) == Self.seconds(target), "\(time)")
        }
        #expect(state.target(of: .positiveInfinity) == Self.seconds(34))
        #expect(state.target(of: .negativeInfinity) == nil)
        #expect(state.target(of: .invalid) == nil)
    }

    @Test func `without a window, every numeric time is a target`() {
        #expect(LiveState().target(of: Self.seconds(-5)) == Self.seconds(-5))
        #expect(LiveState().target(of: .positiveInfinity) == nil)
        #expect(LiveState().position == nil)
    }

    @Test func `a stream that has ended has no live edge`() {
        let state = Self.state(Self.window(10, 40, hasEnded: true))
        #expect(state.target(of: Self.seconds(50)) == Self.seconds(40))
        #expect(state.target(of: .positiveInfinity) == nil)
    }

    @Test func `the distance that was set replaces the recommended one`() {
        #expect(Self.state(Self.window(10, 40)).position == Self.seconds(34))
        #expect(Self.state(Self.window(10, 40)).configuredStart == nil)
        #expect(Self.state(Self.window(10, 40), offset: 20).position == Self.seconds(20))
        #expect(Self.state(Self.window(10, 40), offset: 20).configuredStart == Self.seconds(20))
        #expect(Self.state(Self.window(10, 40), offset: 90).position == Self.seconds(10))
        #expect(Self.state(Self.window(10, 40), offset: -1).position == Self.seconds(40))
    }

    @Test func `only low-latency streams begin between segments and wait for less`() {
        var window = Self.window(10, 40)
        #expect(Self.state(window).preciseStart == nil)
        func level(_ offset: Double? = nil, from playhead: Double = 34) -> MediaTime? {
            Self.state(window, offset: offset).reachableLevel(from: Self.seconds(playhead))
        }
        #expect(level() == nil)
        window.partTarget = Self.seconds(1)
        #expect(Self.state(window).preciseStart == Self.seconds(34))
        #expect(level() == Self.seconds(5))
        #expect(level(3, from: 37) == Self.seconds(2))
        #expect(level(0.2, from: 39.8) == Self.seconds(1))
        #expect(level(from: 12) == Self.seconds(14), "half the distance")
        window.hasEnded = true
        #expect(Self.state(window).preciseStart == nil)
        #expect(level() == nil)
    }

    @Test func `only a playhead before the window returns to its beginning`() {
        let state = Self.state(Self.window(10, 40))
        #expect(state.returnTarget(from: Self.seconds(9)) == Self.seconds(10))
        #expect(state.returnTarget(from: Self.seconds(9.995)) == nil, "a rounded time")
        #expect(state.returnTarget(from: Self.seconds(20)) == nil)
        #expect(LiveState().returnTarget(from: Self.seconds(-1)) == nil)
    }

    @Test
    func `the distance from the live edge is preserved only if asked for, and if it is known`() {
        var state = Self.state(Self.window(10, 40), playhead: 30)
        state.note(Self.window(20, 50), playhead: nil)
        #expect(state.preservedTarget(from: Self.seconds(31)) == nil)
        state.setPreservesOffset(true)
        #expect(state.preservedTarget(from: Self.seconds(31)) == Self.seconds(40))
        #expect(state.preservedTarget(from: Self.seconds(39.8)) == nil, "too little was lost")
        state.note(Self.window(45, 50), playhead: nil)
        #expect(state.preservedTarget(from: Self.seconds(31)) == Self.seconds(45))
        state.forgetPlayedOffset()
        #expect(state.preservedTarget(from: Self.seconds(31)) == nil)
    }

    @Test func `a low-latency stream is behind if the window has moved by more than a part`() {
        func loss(_ playhead: Double, preserves: Bool = true, part: Double? = 0.5) -> MediaTime? {
            var state = LiveState()
            var window = Self.window(10, 40)
            window.partTarget = part.map { Self.seconds($0) }
            window.recommendedOffset = Self.seconds(2)
            state.setPreservesOffset(preserves)
            state.note(window, playhead: Self.seconds(playhead))
            return state.loss
        }
        #expect(loss(38) == .zero)
        #expect(loss(37.5) == .zero)
        #expect(loss(37.2) == Self.seconds(0.3))
        #expect(loss(37.2, preserves: false) == nil)
        #expect(loss(37.2, part: nil) == nil)
        #expect(LiveState().loss == nil)
    }

    @Test func `a source that is followed has the offset that was set`() {
        var state = LiveState()
        #expect(!state.arrivalOffset.isNumeric)
        state.setConfiguredOffset(Self.seconds(1))
        #expect(state.arrivalOffset == Self.seconds(1))
        state.setConfiguredOffset(Self.seconds(-1))
        #expect(state.arrivalOffset == .zero)
    }
}
