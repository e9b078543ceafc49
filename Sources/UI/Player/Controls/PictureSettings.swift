// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadLayers

/// The user's settings of the video: shape, position and colours.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `--video-zoom` and its equaliser.
package struct PictureSettings: Sendable, Equatable {
    /// The zoom, as a power of two: 1 doubles the size.
    package var zoom = 0.0
    /// The offset, as fractions of the video's width and height.
    package var pan = SIMD2<Double>(0, 0)
    /// The ratio of width to height; nil for the video's own ratio.
    package var aspectRatio: Double?
    /// The amount of cropping, from 0 to 1. At 0 the whole video is visible; at 1 it fills the
    /// view.
    package var panScan = 0.0
    /// The contrast, from -100 to 100; 0 changes nothing.
    package var contrast = 0.0
    /// The brightness, from -100 to 100 as in mpv.
    package var brightness = 0.0
    /// The gamma, from -100 to 100.
    package var gamma = 0.0
    /// The saturation, from -100 to 100.
    package var saturation = 0.0
    /// The hue shift, from -100 to 100; 100 is a shift by 180 degrees.
    package var hue = 0.0
    /// The rotation in degrees, clockwise.
    package var rotation = 0.0
    /// A Boolean value that indicates whether interlaced video is deinterlaced.
    package var isDeinterlaced = false
    /// A Boolean value that indicates whether banding in gradients is smoothed.
    package var isDebanded = false

    package init() {}

    /// A Boolean value that indicates whether the settings leave colours unchanged.
    package var hasPlainColors: Bool {
        contrast == 0 && brightness == 0 && gamma == 0 && saturation == 0 && hue == 0
    }

    /// A Boolean value that indicates whether the settings leave the shape and the
    /// position of frames unchanged.
    package var isInPlace: Bool {
        zoom == 0 && pan == SIMD2(0, 0) && aspectRatio == nil && panScan == 0 && rotation == 0
    }

    /// Returns the size of the bounding rectangle of the rotated frame.
    package func turned(width: Double, height: Double) -> (width: Double, height: Double) {
        // Rotations by multiples of 90 degrees are exact.
        let angle = rotation.truncatingRemainder(dividingBy: 180)
        if angle == 0 { return (width, height) }
        if angle.magnitude == 90 { return (height, width) }
        let (sine, cosine) = (
            sin(rotation * .pi / 180).magnitude, cos(rotation * .pi / 180).magnitude
        )
        return (width * cosine + height * sine, width * sine + height * cosine)
    }

    /// Returns the rectangle of a video in a view, in pixels, before its rotation around the
    /// centre; nil if the view's gravity determines it.
    ///
    /// - Parameter picture: The presentation size of the video.
    package func frame(
        of picture: (width: Double, height: Double), inWidth width: Double, height: Double
    ) -> LayerRect? {
        guard !isInPlace, picture.width > 0, picture.height > 0, width > 0, height > 0 else {
            return nil
        }
        let ratio = aspectRatio ?? picture.width / picture.height
        let reach = turned(width: ratio, height: 1)
        // The scales at which the whole video is visible, and at which it fills the view.
        let ratios = (width / reach.width * ratio, height / reach.height * ratio)
        let (fitting, filling) = (min(ratios.0, ratios.1), max(ratios.0, ratios.1))
        let share = min(max(panScan, 0), 1)
        // Zoom and panScan are factors.
        var size = SIMD2(fitting + (filling - fitting) * share, 0)
        size.y = size.x / ratio
        size *= exp2(zoom)
        let middle = SIMD2(width, height) / 2 + pan * size
        return LayerRect(
            x: middle.x - size.x / 2, y: middle.y - size.y / 2, width: size.x, height: size.y)
    }
}
