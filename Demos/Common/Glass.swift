// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// A magnifying glass: a round layer that shows a layer's content larger, with a rim and a shadow.
@MainActor public struct Glass {
    /// The centre, in points. The content at this place keeps its position.
    public var center: SIMD2<Double>
    /// The magnification: at least 1.
    public var zoom: Double

    /// Creates a glass.
    public init(center: SIMD2<Double>, zoom: Double = 4) {
        self.center = center
        self.zoom = zoom
    }

    /// Changes the magnification as the wheel turns.
    public mutating func scroll(by amount: Double, upTo limit: Double = 16) {
        zoom = min(max(zoom * (amount > 0 ? 1.25 : 0.8), 1.5), limit)
    }

    /// Returns the layers of the glass over content that fills the stage.
    public func layers(over content: Layer.Content, on stage: Stage) -> [Layer] {
        let radius = 0.26 * min(stage.width, stage.height)
        let large = LayerRect(
            x: center.x * (1 - zoom), y: center.y * (1 - zoom), width: stage.width * zoom,
            height: stage.height * zoom)
        var glass = Layer(content, frame: .pixels(large))
        glass.mask = .ellipse(
            in: LayerRect(
                x: (center.x - radius - large.x) / large.width,
                y: (center.y - radius - large.y) / large.height,
                width: 2 * radius / large.width, height: 2 * radius / large.height))
        func disc(_ radius: Double, _ color: SIMD4<Float>, lower: Double = 0) -> Layer {
            stage.box(
                LayerRect(
                    x: center.x - radius, y: center.y - radius + lower, width: 2 * radius,
                    height: 2 * radius), color: color, cornerRadius: radius)
        }
        // A soft shadow that consists of discs of increasing size.
        let shadow = (0..<9).map { disc(radius + 2.0 * Double($0), [0, 0, 0, 0.05], lower: 9) }
        let rim = [
            disc(radius + 5, [0.92, 0.93, 0.95, 1]), disc(radius + 1, [0.1, 0.1, 0.12, 1]),
        ]
        return shadow + rim + [glass]
    }
}
