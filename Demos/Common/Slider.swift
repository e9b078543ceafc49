// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A control for a value that is dragged along a track.
///
///     var tolerance = Slider("tolerance", value: 0.3, in: 0...1)
///     tolerance.frame = LayerRect(x: 20, y: 400, width: 240, height: 36)
///     if tolerance.handle(event) { … tolerance.value … }
///     layers += tolerance.layers(on: stage)
@MainActor public struct Slider {
    public var label: String
    public var value: Double
    public let range: ClosedRange<Double>
    /// The rectangle of the slider, in points. Its label is above the track.
    public var frame = LayerRect(x: 0, y: 0, width: 200, height: 36)
    /// Returns the text of a value.
    public var describe: (Double) -> String = { value in
        let hundredths = Int((value * 100).rounded())
        let fraction = "\(abs(hundredths) % 100)"
        let zero = fraction.count < 2 ? "0" : ""
        return "\(hundredths < 0 ? "−" : "")\(abs(hundredths) / 100).\(zero)\(fraction)"
    }
    public private(set) var isDragged = false

    public init(_ label: String, value: Double, in range: ClosedRange<Double>) {
        self.label = label
        self.value = value
        self.range = range
    }

    /// Handles an event: the knob follows the pointer, and the wheel changes the value by a
    /// twentieth.
    ///
    /// - Returns: true if the event was for the slider.
    public mutating func handle(_ event: WindowEvent) -> Bool {
        switch event {
        case .button(let button) where button.button == .left:
            guard button.isPressed else {
                defer { isDragged = false }
                return isDragged
            }
            isDragged = frame.contains([button.position.x, button.position.y])
            if isDragged { set(button.position) }
            return isDragged
        case .pointerMoved(let point) where isDragged:
            set(point)
            return true
        case .scrolled(let scroll) where frame.contains([scroll.position.x, scroll.position.y]):
            let step = (range.upperBound - range.lowerBound) / 20
            value = clamped(value + (scroll.y > 0 ? step : -step))
            return true
        default: return false
        }
    }

    private mutating func set(_ point: WindowPoint) {
        let share = (point.x - frame.x) / max(1, frame.width)
        value = clamped(range.lowerBound + share * (range.upperBound - range.lowerBound))
    }

    private func clamped(_ value: Double) -> Double {
        min(max(value, range.lowerBound), range.upperBound)
    }

    public func layers(on canvas: some Canvas) -> [Layer] {
        let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        let middle = frame.y + frame.height - 9
        let x = frame.x + share * frame.width
        func track(_ width: Double, _ color: SIMD4<Float>) -> Layer {
            canvas.box(
                LayerRect(x: frame.x, y: middle - 2, width: width, height: 4), color: color,
                cornerRadius: 2)
        }
        return [
            canvas.text(label, size: 13, at: [frame.x, frame.y], color: Palette.dimmed),
            canvas.text(
                describe(value), size: 13, at: [frame.x + frame.width, frame.y], align: .right,
                isFixed: true),
            track(frame.width, Palette.line),
            track(share * frame.width, Palette.accent),
            canvas.box(
                LayerRect(x: x - 7, y: middle - 7, width: 14, height: 14), color: Palette.text,
                cornerRadius: 7),
        ]
    }
}
