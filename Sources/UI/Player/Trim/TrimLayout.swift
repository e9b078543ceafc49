// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime

/// The positions of the parts of the trim view, in pixels of the window.
///
/// - Concurrency: a value; any thread.
struct TrimLayout: Sendable, Hashable {
    /// The number of pixels in a point of the design. It is smaller in very small windows.
    let scale: Double
    /// The background.
    let panel: LayerRect
    /// The line with the range.
    let header: LayerRect
    /// The thumbnails. The handles lie beside it when the range is the whole file.
    let strip: LayerRect
    /// The keyframes and the waveform, below the thumbnails; of height 0 in low windows.
    let wave: LayerRect
    /// The line with the progress, a question or the keys.
    let footer: LayerRect
    /// The width of a handle.
    let handleWidth: Double

    /// The size of the smallest window in which text has its usual size, in points.
    private static let least = (width: 240.0, height: 130.0)

    /// Lays out the view at the lower edge of a window.
    init(width: Int, height: Int, scale: Double) {
        let scale = max(
            0.1,
            min(scale, Double(width) / Self.least.width, Double(height) / Self.least.height))
        self.scale = scale
        func points(_ value: Double) -> Double { (value * scale).rounded() }
        let hasWave = Double(height) >= points(260)
        let (margin, padding, line, gap) = (points(8), points(8), points(18), points(5))
        let stripHeight = points(hasWave ? 52 : 36)
        let waveHeight = hasWave ? points(40) : 0
        let total =
            2 * padding + 2 * line + 2 * gap + stripHeight + (hasWave ? gap + waveHeight : 0)
        let panel = LayerRect(
            x: margin, y: Double(height) - margin - total,
            width: max(0, Double(width) - 2 * margin), height: total)
        let handleWidth = points(10)
        let inner = max(0, panel.width - 2 * padding)
        func row(_ y: Double, _ height: Double, inset: Double = 0) -> LayerRect {
            LayerRect(
                x: panel.x + padding + inset, y: y, width: max(1, inner - 2 * inset),
                height: height)
        }
        header = row(panel.y + padding, line)
        strip = row(header.y + line + gap, stripHeight, inset: handleWidth)
        let end = strip.y + strip.height
        wave = row(end + (hasWave ? gap : 0), waveHeight, inset: handleWidth)
        footer = row(wave.y + waveHeight + gap, line)
        self.panel = panel
        self.handleWidth = handleWidth
    }

    /// The rectangle of the thumbnails and the waveform.
    var track: LayerRect {
        LayerRect(
            x: strip.x, y: strip.y, width: strip.width,
            height: wave.y + wave.height - strip.y)
    }

    /// Returns the x coordinate of a time. Outside of the visible part, it is beside the strip.
    func x(of time: MediaTime, in visible: MediaTimeRange) -> Double {
        strip.x + strip.width * ((time - visible.start).seconds / visible.duration.seconds)
    }

    /// Returns the time at an x coordinate.
    func time(at x: Double, in visible: MediaTimeRange) -> MediaTime {
        visible.start + visible.duration * ((x - strip.x) / strip.width)
    }

    /// Returns the rectangle of a handle: beside its time, outside of the range.
    func rect(of handle: TrimSession.Handle, at x: Double) -> LayerRect {
        LayerRect(
            x: handle == .start ? x - handleWidth : x, y: track.y, width: handleWidth,
            height: track.height)
    }

    /// Returns the handle at a point. A handle can be grasped a little beside it.
    func handle(
        at point: SIMD2<Double>, start: Double, end: Double
    ) -> TrimSession.Handle? {
        guard point.y >= track.y, point.y < track.y + track.height else { return nil }
        let distances = [
            (TrimSession.Handle.start, (point.x - start + handleWidth / 2).magnitude),
            (.end, (point.x - end - handleWidth / 2).magnitude),
        ]
        guard let nearest = distances.min(by: { $0.1 < $1.1 }),
            nearest.1 <= handleWidth / 2 + (4 * scale).rounded()
        else { return nil }
        return nearest.0
    }
}
