// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Layer animations")
struct LayerAnimationTests {
    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(value: Int64((seconds * 1000).rounded()), timescale: 1000)
    }

    private static func opacity(_ animation: LayerAnimation, _ seconds: Double) -> Double {
        var layer = Layer(.none, opacity: 0.9)
        layer.animations = [animation]
        return layer.presentation(atHostTime: time(seconds)).opacity
    }

    private static func fade(_ values: [Double] = [0, 1]) -> LayerAnimation {
        LayerAnimation(.opacity(values), beginTime: time(2), duration: time(4))
    }

    @Test func `an animation runs from its start for its duration, and has no effect afterwards`() {
        let fade = Self.fade()
        #expect(
            [1.9, 2, 3, 5, 5.999, 6, 9].map { Self.opacity(fade, $0) }
                == [0.9, 0, 0.25, 0.75, 3.999 / 4, 0.9, 0.9])
    }

    @Test func `fill modes hold the first and the last value`() {
        var fade = Self.fade([0.25, 0.5])
        func ends() -> [Double] { [0, 100].map { Self.opacity(fade, $0) } }
        fade.fillMode = .backwards
        #expect(ends() == [0.25, 0.9])
        fade.fillMode = .forwards
        #expect(ends() == [0.9, 0.5])
        fade.fillMode = .both
        #expect(ends() == [0.25, 0.5])
        fade.autoreverses = true
        #expect(ends() == [0.25, 0.25])
        fade.repeatCount = 1.25
        #expect(abs(ends()[1] - 0.375) < 1e-12)
    }

    @Test func `an animation repeats, reverses, and runs at its speed`() {
        var fade = Self.fade()
        fade.repeatCount = 2
        #expect(Self.opacity(fade, 7) == 0.25)
        #expect(Self.opacity(fade, 10) == 0.9)
        fade.autoreverses = true
        #expect(Self.opacity(fade, 9) == 0.25)
        #expect(Self.opacity(fade, 11) == 0.25)
        fade.speed = 2
        #expect(Self.opacity(fade, 3) == 0.5)
        fade.repeatCount = .infinity
        #expect(Self.opacity(fade, 2 + 4000 + 1) == 0.5)
    }

    @Test func `keyframes are reached at their times, with their own functions in between`() {
        var fade = Self.fade([0, 0.8, 0.4])
        #expect(Self.opacity(fade, 4) == 0.8)
        #expect(abs(Self.opacity(fade, 5) - 0.6) < 1e-12)
        fade.keyTimes = [0, 0.25, 1]
        #expect(Self.opacity(fade, 3) == 0.8)
        fade.keyTimingFunctions = [.easeIn]
        #expect(Self.opacity(fade, 2.5) < 0.4)
        #expect(abs(Self.opacity(fade, 4.5) - 0.6) < 1e-12)
        fade.calculationMode = .discrete
        fade.keyTimes = [0, 0.25, 0.5, 1]
        #expect([2.5, 3, 3.9, 4, 5.9].map { Self.opacity(fade, $0) } == [0, 0.8, 0.8, 0.4, 0.4])
    }

    @Test func `values are constant outside of key times, and curves may overshoot them`() {
        var fade = Self.fade([0.25, 0.75, 0.5])
        fade.keyTimes = [0.25, 0.5, 0.75]
        #expect(
            [2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 5.999].map { Self.opacity(fade, $0) }
                == [0.25, 0.25, 0.25, 0.5, 0.75, 0.625, 0.5, 0.5, 0.5])
        fade = Self.fade([0.25, 0.5])
        fade.timingFunction = TimingFunction(0.5, -1, 0.5, 2)
        #expect(Self.opacity(fade, 2.4) < 0.25 && Self.opacity(fade, 5.6) > 0.5)
        fade.keyTimes = [0, 0.9]
        #expect(Self.opacity(fade, 2.4) < 0.25 && Self.opacity(fade, 5.6) == 0.5)
    }

    @Test func `timing functions are cubic Bézier curves, solved to the last digits`() {
        for function in [
            TimingFunction.default, .easeIn, .easeOut, .easeInEaseOut, .linear,
            TimingFunction(0.1, -0.6, 0.2, 1.9), TimingFunction(0.9, 0, 0.1, 1),
        ] {
            #expect(function(0) == 0 && function(1) == 1 && function(-1) == 0 && function(2) == 1)
            for step in 1..<40 {
                let t = Double(step) / 40
                func curve(_ a: Double, _ b: Double) -> Double {
                    3 * (1 - t) * (1 - t) * t * a + 3 * (1 - t) * t * t * b + t * t * t
                }
                let time = curve(function.first.x, function.second.x)
                #expect(
                    abs(function(time) - curve(function.first.y, function.second.y)) < 1e-9,
                    "\(function) at \(t)")
            }
        }
        #expect(abs(TimingFunction.easeInEaseOut(0.5) - 0.5) < 1e-12)
    }

    @Test func `positions move the anchor point, in the unit of the frame`() {
        var layer = Layer(
            .none, frame: .pixels(LayerRect(x: 10, y: 10, width: 20, height: 40)))
        layer.animations = [
            LayerAnimation(
                .position([[100, 100], [200, 100]]), beginTime: .zero, duration: Self.time(1))
        ]
        #expect(
            layer.presentation(atHostTime: Self.time(0.5)).frame
                == .pixels(LayerRect(x: 140, y: 80, width: 20, height: 40)))
        layer.frame = .whole
        layer.animations[0].track = .position([[0.5, 0.5], [1.5, 0.5]])
        #expect(
            layer.presentation(atHostTime: Self.time(0.25)).frame
                == .fraction(LayerRect(x: 0.25, y: 0, width: 1, height: 1)))
    }

    @Test func `an implicit animation ends at the new value, and replaces the last one`() {
        var layer = Layer(.none)
        layer.animate(.opacity([1, 0]), beginTime: Self.time(1), duration: Self.time(1))
        layer.animate(
            .opacity([0.5, 0.2]), beginTime: Self.time(1), duration: Self.time(2),
            timingFunction: .linear)
        layer.animate(
            .rotation([0, .pi]), beginTime: .zero, duration: Self.time(1), timingFunction: .linear)
        #expect(layer.animations.count == 2)
        #expect(layer.opacity == 0.2)
        #expect(abs(layer.presentation(atHostTime: Self.time(2)).opacity - 0.35) < 1e-12)
        #expect(layer.presentation(atHostTime: Self.time(4)).opacity == 0.2)
        let turned = layer.presentation(atHostTime: Self.time(9)).transform
        #expect(abs(turned.m11 + 1) < 1e-12)
    }

    @Test func `an animation on an item's timeline follows its seeks and its rate`() {
        let source = ShiftedSource(by: 100, rate: 2)
        var fade = Self.fade()
        fade.timeline = .item(source)
        // The item is at 103 when the host is at 1.5.
        fade.beginTime = Self.time(102)
        #expect(Self.opacity(fade, 1.5) == 0.25)
        #expect(Self.opacity(fade, 0.5) == 0.9)
    }

    @Test func `an animation counts as moving until its timeline has passed it`() {
        func moves(_ animation: LayerAnimation, _ seconds: Double) -> Bool {
            var layer = Layer(.none)
            layer.animations = [animation]
            return Scene(layers: [layer]).moves(afterHostTime: Self.time(seconds))
        }
        var fade = Self.fade()
        #expect([0, 2, 5.999, 6, 9].map { moves(fade, $0) } == [true, true, true, false, false])
        (fade.autoreverses, fade.repeatCount) = (true, 1.5)
        #expect([13.999, 14].map { moves(fade, $0) } == [true, false])
        fade.repeatCount = .infinity
        #expect(moves(fade, 1e6))
        fade.speed = -1
        #expect([0, 2, 2.001].map { moves(fade, $0) } == [true, true, false])
        fade.speed = 0
        #expect(!moves(fade, 0))
        fade = Self.fade()
        fade.duration = .zero
        #expect([1.999, 2].map { moves(fade, $0) } == [true, false])
        fade.beginTime = .invalid
        #expect(!moves(fade, 0))
        fade = Self.fade()
        fade.timeline = .item(ShiftedSource(by: 4, rate: 0))
        #expect(!moves(fade, 0))
        fade.timeline = .item(ShiftedSource(by: 10, rate: -1))
        #expect([0, 8, 8.001].map { moves(fade, $0) } == [true, true, false])
    }

    @Test func `a scene moves if any visible layer has a running animation`() throws {
        var moving = Layer(.none)
        moving.animations = [Self.fade()]
        var masked = Layer(.none)
        masked.mask = .layer(moving)
        let effect = EffectInstance(
            try TransitionImporter.effect(
                text: "vec4 transition(vec2 uv) { return vec4(0); }", path: "test.glsl"))
        let to = Layer(.transition(LayerTransition(effect, from: Layer(.none), to: moving)))
        let from = Layer(.transition(LayerTransition(effect, from: moving, to: Layer(.none))))
        for layer in [moving, masked, to, from, Layer(sublayers: [moving])] {
            var scene = Scene(layers: [Layer(.none), layer])
            #expect(scene.moves(afterHostTime: .zero))
            #expect(!scene.moves(afterHostTime: Self.time(6)))
            scene.layers[1].isHidden = true
            #expect(!scene.moves(afterHostTime: .zero))
        }
        #expect(!Scene(layers: [Layer(.none)]).moves(afterHostTime: .zero))
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `frames do not depend on those drawn before`() throws {
        var layer = LayerScene.color(
            1, 0.5, 0, at: LayerScene.rect(4, 4, 20, 12))
        layer.animations = [
            LayerAnimation(
                .rotation([0, 2 * .pi]), beginTime: .zero, duration: Self.time(3),
                timingFunction: .easeInEaseOut)
        ]
        var first: [[UInt8]] = []
        for order in [[0.1, 0.9, 2.2], [2.2, 0.1, 0.9]] {
            let images = try order.map {
                try LayerScene.draw(
                    Scene(layers: [layer]), width: 31, height: 21, hostTime: Self.time($0)
                ).bytes
            }
            if first.isEmpty {
                first = images
                #expect(Set(images).count == 3)
            } else {
                #expect(images == [first[2], first[0], first[1]])
            }
        }
    }
}

/// A source whose time differs from the host's.
private final class ShiftedSource: PixelBufferSource {
    private let shift: Int64
    private let rate: Int64

    init(by shift: Int64, rate: Int64) {
        self.shift = shift
        self.rate = rate
    }

    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        MediaTime(value: shift, timescale: 1)
            + MediaTime(value: hostTime.value * rate, timescale: hostTime.timescale)
    }

    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { false }

    func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? { nil }
}
