// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// Rulers that compare timelines with the clock's timeline. They show a few seconds of the clock,
/// with a tick where a timeline reads a whole second.
@MainActor struct Ruler {
    private static let seconds = 8.0

    let stage: Stage
    let left: Double
    let right: Double
    /// The time at the centre.
    let now: MediaTime

    private var scale: Double { (right - left) / Self.seconds }

    /// Returns a row of ticks.
    ///
    /// - Parameter time: returns the time of the timeline at a host time.
    func layers(
        y: Double, height: Double, name: String, value: MediaTime, isClock: Bool,
        time: (MediaTime) -> MediaTime
    ) -> [Layer] {
        let row = LayerRect(x: left, y: y, width: right - left, height: height)
        let color = isClock ? Palette.warm : Palette.accent
        var layers = [
            stage.box(row, color: Palette.panel, cornerRadius: 6),
            stage.text(
                isClock ? "clock" : "rate \(name)", size: 18, at: [24, y + 14], color: color,
                isBold: true),
            stage.text(
                Self.tenths(value.seconds), size: 15, at: [24, y + 42], color: Palette.dimmed,
                isFixed: true),
        ]
        // The timeline is a straight line, so two points define it.
        let half = MediaTime(seconds: Self.seconds / 2)
        let (first, last) = (time(now - half).seconds, time(now + half).seconds)
        let rate = (last - first) / Self.seconds
        let middle = y + height / 2
        layers.append(
            stage.box(
                LayerRect(x: left, y: middle - 1, width: right - left, height: 2),
                color: Palette.line))
        guard rate != 0 else { return layers }
        let quarters = (min(first, last) * 4).rounded(.up)...(max(first, last) * 4).rounded(.down)
        for quarter in stride(from: quarters.lowerBound, through: quarters.upperBound, by: 1) {
            let x = left + (quarter / 4 - first) / rate * scale
            let isWhole = quarter.truncatingRemainder(dividingBy: 4) == 0
            let length = isWhole ? 26.0 : 10
            layers.append(
                stage.box(
                    LayerRect(x: x - 1, y: middle - length / 2, width: 2, height: length),
                    color: isWhole ? color : Palette.line))
            guard isWhole, x > left + 10, x < right - 10 else { continue }
            layers.append(
                stage.text(
                    FilmRow.describe(quarter / 4), size: 13, at: [x, middle + 16], align: .center,
                    color: Palette.text))
        }
        return layers
    }

    /// Returns the marker for the current time.
    func needle(from top: Double, to bottom: Double) -> [Layer] {
        let x = (left + right) / 2
        return [
            stage.box(
                LayerRect(x: x - 1, y: top - 8, width: 2, height: bottom - top + 16),
                color: Palette.bad),
            stage.text(
                "now", size: 13, at: [x, top - 28], align: .center, color: Palette.bad),
        ]
    }

    private static func tenths(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded(.down))
        return "\(tenths < 0 ? "−" : "")\(abs(tenths) / 10).\(abs(tenths) % 10) s"
    }
}
