// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadEditing
import PlayheadUI

/// A title: layers with animations on the timeline of the video.
enum TitleDesign {
    case lowerThird, letters, credits

    var name: String {
        switch self {
        case .lowerThird: "lower third"
        case .letters: "letters"
        case .credits: "credits"
        }
    }

    /// Returns the layers of the title, in pixels of the picture.
    @MainActor func layers(on canvas: some Canvas, width: Double, height: Double) -> [Layer] {
        switch self {
        case .lowerThird: lowerThird(canvas, width, height)
        case .letters: letters(canvas, width, height)
        case .credits: credits(canvas, width, height)
        }
    }

    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1000)
    }

    /// A name and a role on a bar, which moves in and out again.
    @MainActor private func lowerThird(
        _ canvas: some Canvas, _ width: Double, _ height: Double
    ) -> [Layer] {
        let top = (height * 0.70).rounded()
        var bar = canvas.box(
            LayerRect(x: 0, y: top, width: (width * 0.62).rounded(), height: 60),
            color: SIMD4(0.05, 0.07, 0.12, 0.82))
        var stripe = canvas.box(
            LayerRect(x: 0, y: top, width: 8, height: 60), color: Palette.warm)
        let name = canvas.text("Fluff", size: 26, at: [26, top + 4], isBold: true)
        let role = canvas.text(
            "Ball of fur, leading part", size: 15, at: [26, top + 35], color: Palette.dimmed)
        let hidden = SIMD3(-width * 0.63, 0, 0)
        for (index, layer) in [bar, stripe].enumerated() {
            var layer = layer
            layer.animations = [
                Self.animation(
                    .translation([hidden, .zero, .zero, hidden]),
                    keyTimes: [0.06, 0.16, 0.80, 0.90], delay: Double(1 - index) * 0.12)
            ]
            if index == 0 { bar = layer } else { stripe = layer }
        }
        let words = [name, role].enumerated().map { index, word in
            var word = word
            word.opacity = 0
            word.animations = [
                Self.animation(
                    .opacity([0, 1, 1, 0]), keyTimes: [0.16, 0.22, 0.76, 0.80],
                    delay: Double(index) * 0.25),
                Self.animation(
                    .translation([SIMD3(-24, 0, 0), .zero]), keyTimes: [0.16, 0.24],
                    delay: Double(index) * 0.25),
            ]
            return word
        }
        return [bar, stripe] + words
    }

    /// Large letters that fall into place one after another.
    @MainActor private func letters(
        _ canvas: some Canvas, _ width: Double, _ height: Double
    ) -> [Layer] {
        let text = Array("PLAYHEAD")
        let step = width / Double(text.count + 2)
        return text.enumerated().map { index, letter in
            let place = SIMD2(step * (Double(index) + 1.5), (height * 0.14).rounded())
            var layer = canvas.text(
                String(letter), size: 46, at: place, align: .center,
                color: Palette.hue(0.06 + Double(index) * 0.02, saturation: 0.35), isBold: true)
            layer.opacity = 0
            let delay = Double(index) * 0.12
            layer.animations = [
                Self.animation(
                    .opacity([0, 1, 1, 0]), keyTimes: [0.05, 0.10, 0.78, 0.84], delay: delay),
                Self.animation(
                    .translation([SIMD3(0, -70, 0), SIMD3(0, 8, 0), .zero]),
                    keyTimes: [0.05, 0.14, 0.18], delay: delay),
                Self.animation(
                    .rotation([0, 0, 0.9]), keyTimes: [0, 0.78, 0.86], delay: delay),
            ]
            return layer
        }
    }

    /// Lines that scroll from the bottom to the top.
    @MainActor private func credits(
        _ canvas: some Canvas, _ width: Double, _ height: Double
    ) -> [Layer] {
        let lines = [
            ("Written by", "the composition"), ("Camera", "the playhead"),
            ("Lights", "the layer compositor"), ("Sound", "the mixer"), ("Cut", "on every frame"),
        ]
        var list = Layer(.none, frame: .pixels(LayerRect(x: 0, y: 0, width: width, height: height)))
        for (index, line) in lines.enumerated() {
            let y = Double(index) * 62
            list.sublayers += [
                canvas.text(
                    line.0, size: 14, at: [width / 2, y], align: .center, color: Palette.warm),
                canvas.text(
                    line.1, size: 22, at: [width / 2, y + 18], align: .center, isBold: true),
            ]
        }
        list.animations = [
            Self.animation(
                .translation([SIMD3(0, height, 0), SIMD3(0, -Double(lines.count) * 62, 0)]),
                keyTimes: [0, 1], delay: 0)
        ]
        let shade = canvas.box(
            LayerRect(x: 0, y: 0, width: width, height: height), color: SIMD4(0, 0, 0, 0.45))
        return [shade, list]
    }

    /// Returns an animation over the six seconds of the title.
    private static func animation(
        _ track: LayerAnimation.Track, keyTimes: [Double], delay: Double
    ) -> LayerAnimation {
        var animation = LayerAnimation(
            track, beginTime: time(delay), duration: time(6), fillMode: .both)
        animation.keyTimes = keyTimes
        animation.keyTimingFunctions = Array(
            repeating: .easeInEaseOut, count: max(0, keyTimes.count - 1))
        return animation
    }
}
