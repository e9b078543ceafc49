// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadEffects
import PlayheadTime
import Testing

@Suite("Effect animations")
struct EffectAnimationTests {
    private static func at(_ seconds: Int64, _ value: Float) -> EffectAnimation.Keyframe {
        .init(at: MediaTime(value: seconds, timescale: 1), .float(value))
    }

    @Test func `values are constant outside of the keyframes and interpolated between them`() {
        let animation = EffectAnimation([Self.at(4, 3), Self.at(2, 1)])
        #expect(animation.value(atSeconds: 0) == .float(1))
        #expect(animation.value(atSeconds: 2) == .float(1))
        #expect(animation.value(atSeconds: 2.5) == .float(1.5))
        #expect(animation.value(atSeconds: 4) == .float(3))
        #expect(animation.value(atSeconds: 99) == .float(3))
    }

    @Test func `the later of two keyframes at one time applies from there on`() {
        let animation = EffectAnimation([
            Self.at(0, 0), Self.at(1, 1), Self.at(1, 5), Self.at(2, 6),
        ])
        #expect(animation.value(atSeconds: 0.5) == .float(0.5))
        #expect(animation.value(atSeconds: 1) == .float(5))
        #expect(animation.value(atSeconds: 1.5) == .float(5.5))
    }

    @Test func `each keyframe has its interpolation, and values without one are held`() {
        func value(_ how: EffectAnimation.Interpolation, _ at: Double) -> EffectValue {
            EffectAnimation([
                .init(at: .zero, .float(0), how), Self.at(1, 1),
            ]).value(atSeconds: at)
        }
        #expect(value(.hold, 0.999) == .float(0))
        #expect(value(.smooth, 0.25) == .float(0.15625))
        #expect(value(.smooth, 0.5) == .float(0.5))
        let menu = EffectAnimation([
            .init(at: .zero, .long(1)), .init(at: MediaTime(value: 1, timescale: 1), .long(3)),
        ])
        #expect(menu.value(atSeconds: 0.9) == .long(1))
        #expect(menu.value(atSeconds: 1) == .long(3))
        let color = EffectAnimation([
            .init(at: .zero, .color([0, 0, 0, 1])),
            .init(at: MediaTime(value: 1, timescale: 1), .color([1, 0.5, 0, 0])),
        ])
        #expect(color.value(atSeconds: 0.5) == .color([0.5, 0.25, 0, 0.5]))
    }

    @Test
    func `an instance accepts animations of the right kind, and a reset removes them`() throws {
        let instance = EffectInstance(try EffectLibrary.effect(named: "exposure"))
        let animation = EffectAnimation([Self.at(0, 0), Self.at(1, 1)])
        try instance.set(animation, for: "stops")
        #expect(instance.animation(for: "stops") == animation)
        #expect(throws: EffectError.self) { try instance.set(animation, for: "nothing") }
        #expect(throws: EffectError.self) {
            try instance.set(
                EffectAnimation([.init(at: .zero, .point2D([0, 0]))]), for: "stops")
        }
        instance.reset()
        #expect(instance.animation(for: "stops") == nil)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `an animated effect draws the value of the time, alone and fused`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let animated = EffectInstance(try EffectLibrary.effect(named: "exposure"))
            try animated.set(EffectAnimation([Self.at(0, -1), Self.at(2, 1)]), for: "stops")
            let set = EffectInstance(animated.effect)
            let other = EffectInstance(try EffectLibrary.effect(named: "contrast"))
            for (seconds, stops) in [(0.0, -1.0), (0.5, -0.5), (1, 0), (1.75, 0.75), (3, 1)] {
                try set.set(.float(Float(stops)), for: "stops")
                for chain in [[], [other]] {
                    #expect(
                        bench.draw([animated] + chain, seconds: seconds, fused: true)
                            == bench.draw([set] + chain, seconds: seconds, fused: true))
                }
                #expect(bench.renderer.isTimeDependent(animated))
            }
        }
    }
}
