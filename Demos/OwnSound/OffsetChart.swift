// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// A chart of the offset between video and audio.
///
/// Two numbers are measured for each beat. *Timeline* is the time from the moment the beat was
/// heard until the video's timeline reads the time of the beat. *Picture* is the time from the
/// moment it was heard until the vsync that first showed the frame of the beat. On average this is
/// half a frame later, because frames appear at vsyncs.
@MainActor struct OffsetChart {
    /// The offsets of one beat, in milliseconds.
    struct Offset {
        var timeline: Double
        var picture: Double
    }

    private static let count = 32
    /// The range of the chart from the centre to an edge, in milliseconds.
    private static let range = 50.0

    private let stage: Stage
    private(set) var offsets: [Offset] = []
    private var showings: [WatchedOutput.Showing] = []
    /// The host times of beats that were heard and whose frames were not yet displayed.
    private var heard: [MediaTime] = []

    init(_ stage: Stage) {
        self.stage = stage
    }

    mutating func note(_ showing: WatchedOutput.Showing) {
        showings.append(showing)
        showings.removeFirst(max(0, showings.count - 240))
        match()
    }

    mutating func note(heardBeatAt time: MediaTime) { heard.append(time) }

    /// Finds the frame that was displayed when the oldest of these beats was heard.
    private mutating func match() {
        let margin = MediaTime(value: 1, timescale: 4)
        while let beat = heard.first, let last = showings.last, last.hostTime > beat + margin {
            heard.removeFirst()
            if let offset = offset(ofBeatAt: beat) {
                offsets.append(offset)
                offsets.removeFirst(max(0, offsets.count - Self.count))
            }
        }
    }

    private func offset(ofBeatAt heard: MediaTime) -> Offset? {
        // Until its start the video is held, so nothing can be measured.
        guard let near = showings.last(where: { $0.hostTime <= heard }), near.itemTime > .zero
        else { return nil }
        // The video shows the beat that is nearest to this time.
        let place = near.itemTime.seconds + (heard - near.hostTime).seconds
        let beats = (place / OwnSound.beat.seconds).rounded()
        let time = OwnSound.beat * beats
        guard
            let seen = showings.first(where: {
                $0.isNew && abs(($0.hostTime - heard).seconds) < OwnSound.beat.seconds / 2
                    && $0.displayTime + MediaTime(value: 1, timescale: 60) > time
            })
        else { return nil }
        return Offset(
            timeline: (time.seconds - place) * 1000,
            picture: (seen.hostTime - heard).seconds * 1000)
    }

    // MARK: Layers

    func layers(in rect: LayerRect, beat: Double?) -> [Layer] {
        let last = offsets.last
        let facts = 300.0
        var layers = [
            stage.text("Video against audio", size: 18, at: [rect.x, rect.y], isBold: true),
            stage.text(
                "timeline " + Self.describe(last?.timeline), size: 15, at: [rect.x, rect.y + 34],
                color: Palette.good, isFixed: true),
            stage.text(
                "picture  " + Self.describe(last?.picture), size: 15, at: [rect.x, rect.y + 58],
                color: Palette.accent, isFixed: true),
            stage.text(
                "up, down: video later, earlier    space: stop, start", size: 12,
                at: [rect.x, rect.y + 96], color: Palette.dimmed),
        ]
        layers += lights(in: rect, beat: beat)
        let chart = LayerRect(
            x: rect.x + facts + 40, y: rect.y + 30, width: rect.width - facts - 40,
            height: rect.height - 30)
        return layers + dots(in: chart)
    }

    /// Returns sixteen lights. The light of the current beat is on.
    private func lights(in rect: LayerRect, beat: Double?) -> [Layer] {
        let count = 16
        let left = rect.x + 340
        let step = (rect.width - 340) / Double(count)
        return (0..<count).map { index in
            let isOn = beat.map { Int($0) % count == index } ?? false
            let fading = beat.map { Float(1 - 0.7 * $0.truncatingRemainder(dividingBy: 1)) } ?? 0
            let color = index % 4 == 0 ? Palette.warm : Palette.accent
            return stage.box(
                LayerRect(
                    x: left + (Double(index) + 0.5) * step - 8, y: rect.y + 2, width: 16, height: 16
                ),
                color: isOn ? Palette.faded(color, fading) : Palette.panel, cornerRadius: 8)
        }
    }

    private func dots(in rect: LayerRect) -> [Layer] {
        let middle = rect.y + rect.height / 2
        func y(_ milliseconds: Double) -> Double {
            middle + min(max(milliseconds / Self.range, -1), 1) * (rect.height / 2 - 5)
        }
        var layers = [stage.box(rect, color: Palette.panel, cornerRadius: 6)]
        for line in [-40.0, -20, 0, 20, 40] {
            layers.append(
                stage.box(
                    LayerRect(x: rect.x, y: y(line), width: rect.width - 44, height: 1),
                    color: line == 0 ? Palette.dimmed : Palette.line))
            guard line == 0 || abs(line) == 40 else { continue }
            layers.append(
                stage.text(
                    "\(line < 0 ? "−" : "")\(Int(abs(line))) ms", size: 11,
                    at: [rect.x + rect.width - 6, y(line) - 8], align: .right,
                    color: Palette.dimmed))
        }
        let step = (rect.width - 56) / Double(Self.count)
        for (index, offset) in offsets.enumerated() {
            let x = rect.x + 8 + Double(index) * step
            for (value, color) in [
                (offset.picture, Palette.accent), (offset.timeline, Palette.good),
            ] {
                layers.append(
                    stage.box(
                        LayerRect(x: x, y: y(value) - 3, width: 7, height: 7), color: color,
                        cornerRadius: 3.5))
            }
        }
        return layers
    }

    private static func describe(_ milliseconds: Double?) -> String {
        guard let milliseconds else { return "–" }
        let hundredths = Int((milliseconds * 100).rounded())
        let fraction = abs(hundredths) % 100
        return "\(hundredths < 0 ? "−" : "+")\(abs(hundredths) / 100).\(fraction < 10 ? "0" : "")"
            + "\(fraction) ms"
    }
}
