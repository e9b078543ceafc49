// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadLayers

/// The user's settings of the video: shape, position and colours.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: mpv's `--video-zoom` and its equaliser.
package struct PictureSettings: Sendable, Equatable {
    /// The zoom in powers of two: 1 is twice as large.
    package var zoom = 0.0
    /// The offset, in widths and heights of the video.
    package var pan = SIMD2<Double>(0, 0)
    /// The ratio of width to height; nil for that of the video.
    package var aspectRatio: Double?
    /// The size between 0, at which all of the video is visible, and 1, at which it fills the view.
    package var panScan = 0.0
    /// The contrast, from -100 to 100; 0 changes nothing.
    package var contrast = 0.0
    /// The brightness, from -100 to 100 as in mpv.
    package var brightness = 0.0
    /// The gamma, from -100 to 100.
    package var gamma = 0.0
    /// The saturation, from -100 to 100.
    package var saturation = 0.0
    /// The change of hue, from -100 to 100; 100 is half the circle.
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

    /// Returns the size of the bounding rectangle of a rotated frame.
    package func turned(width: Double, height: Double) -> (width: Double, height: Double) {
        // Quarter turns are exact.
        let angle = rotation.truncatingRemainder(dividingBy: 180)
        if angle == 0 { return (width, height) }
        if angle.magnitude == 90 { return (height, width) }
        let (sine, cosine) = (
            sin(rotation * .pi / 180).magnitude, cos(rotation * .pi / 180).magnitude
        )
        return (width * cosine + height * sine, width * sine + height * cosine)
    }

    /// Returns the frame of a video in a view, in pixels, before it is rotated around its centre,
    /// or nil if the view's gravity determines it.
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
        // The widths at which the whole video is visible and at which it fills the view.
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
