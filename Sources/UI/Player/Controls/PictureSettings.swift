// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadLayers

/// How a person wants the picture: its shape and place, and its colours.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `--video-zoom` and its equaliser.
package struct PictureSettings: Sendable, Equatable {
    /// In powers of two: 1 is twice as large.
    package var zoom = 0.0
    /// In widths and heights of the picture.
    package var pan = SIMD2<Double>(0, 0)
    /// Width over height; nil for what the film says.
    package var aspectRatio: Double?
    /// From 0, where all of the picture is seen, to 1, where it fills the view.
    package var panScan = 0.0
    /// From −100 to 100; 0 leaves the picture as it is.
    package var contrast = 0.0
    /// From -100 to 100, as mpv counts.
    package var brightness = 0.0
    /// From -100 to 100.
    package var gamma = 0.0
    /// From -100 to 100.
    package var saturation = 0.0
    /// 100 is half the circle of hues.
    package var hue = 0.0
    /// Clockwise, in degrees.
    package var rotation = 0.0
    /// Whether fields are made frames, where a film is flagged.
    package var isDeinterlaced = false
    /// Whether bands in gradients are smoothed.
    package var isDebanded = false

    package init() {}

    /// Whether colours are as the film has them.
    package var hasPlainColors: Bool {
        contrast == 0 && brightness == 0 && gamma == 0 && saturation == 0 && hue == 0
    }

    /// Whether the picture lies where it would without settings.
    package var isInPlace: Bool {
        zoom == 0 && pan == SIMD2(0, 0) && aspectRatio == nil && panScan == 0 && rotation == 0
    }

    /// How far a picture of a size reaches to the sides and up and down once it is turned.
    package func turned(width: Double, height: Double) -> (width: Double, height: Double) {
        // Quarters are exact.
        let angle = rotation.truncatingRemainder(dividingBy: 180)
        if angle == 0 { return (width, height) }
        if angle.magnitude == 90 { return (height, width) }
        let (sine, cosine) = (
            sin(rotation * .pi / 180).magnitude, cos(rotation * .pi / 180).magnitude
        )
        return (width * cosine + height * sine, width * sine + height * cosine)
    }

    /// Where a picture lies in a view, in the view's pixels, before it is turned about its middle; nil
    /// where the view's own gravity says that.
    ///
    /// - Parameter picture: its size at which it is meant to be seen.
    package func frame(
        of picture: (width: Double, height: Double), inWidth width: Double, height: Double
    ) -> LayerRect? {
        guard !isInPlace, picture.width > 0, picture.height > 0, width > 0, height > 0 else {
            return nil
        }
        let ratio = aspectRatio ?? picture.width / picture.height
        let reach = turned(width: ratio, height: 1)
        // Widths at which all of it is seen, and at which it fills.
        let ratios = (width / reach.width * ratio, height / reach.height * ratio)
        let (fitting, filling) = (min(ratios.0, ratios.1), max(ratios.0, ratios.1))
        let share = min(max(panScan, 0), 1)
        // Zoom is a factor, and so is what lies between fitting and filling.
        var size = SIMD2(fitting + (filling - fitting) * share, 0)
        size.y = size.x / ratio
        size *= exp2(zoom)
        let middle = SIMD2(width, height) / 2 + pan * size
        return LayerRect(
            x: middle.x - size.x / 2, y: middle.y - size.y / 2, width: size.x, height: size.y)
    }
}
