// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadUI

/// A surface to draw on, with positions and sizes in points.
@MainActor public protocol Canvas {
    /// The number of pixels in a point.
    var scale: Double { get }
    /// A Boolean value that indicates whether text is omitted.
    var isWordless: Bool { get }
}

/// A canvas for programs without a stage.
public struct PlainCanvas: Canvas {
    public var scale: Double
    public var isWordless: Bool

    public init(scale: Double = 1, isWordless: Bool = false) {
        self.scale = scale
        self.isWordless = isWordless
    }
}

extension Stage: Canvas {
    public var isWordless: Bool { options.isWordless }
}

/// The alignment of a text relative to its position.
public enum TextAlignment: Sendable {
    case left, center, right
}

/// The elements that demos draw beside videos.
extension Canvas {
    /// Returns a text. Its top left corner, top centre or top right corner is at the position.
    ///
    /// - Parameters:
    ///   - size: the font size, in points.
    ///   - isFixed: true for digits of equal width, for numbers that change.
    public func text(
        _ text: String, size: Double = 14, at place: SIMD2<Double>, align: TextAlignment = .left,
        color: SIMD4<Float> = Palette.text, isBold: Bool = false, isFixed: Bool = false
    ) -> Layer {
        var style = TextStyle(size: size * scale, isBold: isBold, color: color)
        if isFixed { style.family = "monospace" }
        style.coversLines = true
        var layer = Layer(.none)
        layer.name = text
        guard !isWordless,
            let picture = try? TextPictures.shared.picture(of: text, style: style)
        else { return layer }
        layer.content = .image(picture)
        layer.gravity = .resize
        let (width, height) = (Double(picture.width) / scale, Double(picture.height) / scale)
        let share =
            switch align {
            case .left: 0.0
            case .center: 0.5
            case .right: 1.0
            }
        let x = ((place.x - share * width) * scale).rounded() / scale
        layer.frame = .pixels(LayerRect(x: x, y: place.y, width: width, height: height))
        return layer
    }

    /// Returns a rectangle of one colour, optionally with rounded corners.
    public func box(
        _ rect: LayerRect, color: SIMD4<Float>, cornerRadius: Double = 0
    ) -> Layer {
        var layer = Layer(.color(color), frame: .pixels(rect))
        layer.cornerRadius = cornerRadius
        return layer
    }

    /// Returns a straight line with smooth edges.
    public func line(
        from start: SIMD2<Double>, to end: SIMD2<Double>, width: Double, color: SIMD4<Float>
    ) -> Layer {
        let (middle, way) = ((start + end) / 2, end - start)
        let length = (way * way).sum().squareRoot() + width / 2
        var line = box(
            LayerRect(
                x: (middle.x - length / 2).rounded(), y: (middle.y - width / 2).rounded(),
                width: length.rounded(.up), height: width.rounded(.up)), color: color)
        let frame = line.frame.rect(width: 0, height: 0)
        // A frame is aligned to whole pixels, but a transform is not.
        line.transform = Transform3D.scale(x: length / frame.width, y: width / frame.height)
            .concatenating(.rotation(angle: atan2(way.y, way.x), x: 0, y: 0, z: 1))
            .concatenating(
                .translation(
                    x: middle.x - frame.x - frame.width / 2,
                    y: middle.y - frame.y - frame.height / 2))
        return line
    }

    /// Returns a layer that shows the output of a generator in a rectangle.
    public func generator(
        _ effect: EffectInstance, in rect: LayerRect, cornerRadius: Double = 0
    ) -> Layer {
        var layer = Layer(.generator(effect), frame: .pixels(rect))
        layer.cornerRadius = cornerRadius
        return layer
    }

    /// Returns a layer that shows a video, or another source of frames, in a rectangle.
    public func film(
        _ source: any PixelBufferSource, in rect: LayerRect, gravity: LayerGravity = .resizeAspect,
        effects: [EffectInstance] = [], cornerRadius: Double = 0
    ) -> Layer {
        var layer = Layer(
            .video(source), frame: .pixels(rect), gravity: gravity, effects: effects)
        layer.cornerRadius = cornerRadius
        return layer
    }

    /// Converts layers from points to pixels.
    public func inPixels(_ layers: [Layer]) -> [Layer] {
        guard scale != 1 else { return layers }
        // This layer has the size of the canvas in points. Layers without a frame fill it.
        var points = Layer(
            frame: .fraction(LayerRect(x: 0, y: 0, width: 1 / scale, height: 1 / scale)),
            sublayers: layers)
        points.anchorPoint = [0, 0]
        points.transform = .scale(x: scale, y: scale)
        return [points]
    }
}
