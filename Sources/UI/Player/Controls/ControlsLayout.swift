// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers

/// The layout of the controls, computed from a size, a scale and a model.
///
/// Rectangles are in pixels of the target. Dimensions of the design are in points; at scale 1, a
/// point is a pixel.
struct ControlsLayout: Sendable, Equatable {
    enum Style: Sendable, Hashable {
        /// A panel of two rows over the lower part of the video.
        case floating
        /// A single row along the lower edge, for small views.
        case inline
    }

    var style: Style
    var scale: Double
    var width: Double
    var height: Double
    /// The panel that contains the controls.
    var panel: LayerRect
    /// The areas that react to the pointer. They are larger than the elements that are drawn.
    var elements: [ControlElement: LayerRect] = [:]
    /// The rectangles of the scrubber's track and of the volume slider's track.
    var track = LayerRect(x: 0, y: 0, width: 0, height: 0)
    var volumeTrack = LayerRect(x: 0, y: 0, width: 0, height: 0)
    var elapsedLabel: LayerRect?
    var remainingLabel: LayerRect?
    var liveLabel: LayerRect?

    /// The radius of the panel's corners.
    var cornerRadius: Double { points(style == .floating ? 14 : 10) }
    var labelSize: Double { points(12.5) }

    func points(_ value: Double) -> Double { (value * scale).rounded() }

    /// Lays out the controls of a view.
    ///
    /// - Parameters:
    ///   - width: The width of the target, in pixels.
    ///   - scale: The number of pixels in a point of the design.
    ///   - labelWidth: The width of the widest time that the labels can show, in pixels.
    init(
        width: Int, height: Int, scale: Double, model: ControlsModel, labelWidth: Double
    ) {
        self.width = Double(width)
        self.height = Double(height)
        self.scale = scale
        let isLarge = Double(width) >= 480 * scale && Double(height) >= 240 * scale
        style = isLarge ? .floating : .inline
        panel = LayerRect(x: 0, y: 0, width: 0, height: 0)
        switch style {
        case .floating: layOutFloating(model, labelWidth)
        case .inline: layOutInline(model, labelWidth)
        }
    }

    // MARK: Styles

    private mutating func layOutFloating(_ model: ControlsModel, _ labelWidth: Double) {
        let (panelWidth, panelHeight) = (min(points(600), width - points(40)), points(86))
        panel = LayerRect(
            x: ((width - panelWidth) / 2).rounded(),
            y: height - panelHeight - points(height < 420 * scale ? 16 : 28), width: panelWidth,
            height: panelHeight)
        let (inset, row) = (points(14), panel.y + points(31))
        var left = panel.x + inset
        place(.volume, x: &left, row)
        let slider = points(72)
        volumeTrack = LayerRect(
            x: left + points(6), y: row - points(2), width: slider, height: points(4))
        elements[.volumeSlider] = LayerRect(
            x: left, y: row - points(12), width: slider + points(12), height: points(24))
        var right = panel.x + panel.width - inset
        place(.fullscreen, fromRight: &right, row)
        if model.menus[.subtitles] != nil { place(.subtitles, fromRight: &right, row) }
        if model.menus[.audio] != nil { place(.audio, fromRight: &right, row) }
        if model.menus[.speed] != nil { place(.speed, fromRight: &right, row, width: 44) }
        let middle = panel.x + panel.width / 2
        elements[.play] = box(middle, row, 44)
        if model.isSeekable {
            elements[.back] = box(middle - points(42), row, 34)
            elements[.forward] = box(middle + points(42), row, 34)
        }
        layOutTimes(
            model, labelWidth, row: panel.y + points(66), from: panel.x + points(18),
            to: panel.x + panel.width - points(18))
    }

    private mutating func layOutInline(_ model: ControlsModel, _ labelWidth: Double) {
        let (margin, panelHeight) = (points(8), points(40))
        panel = LayerRect(
            x: margin, y: height - panelHeight - margin, width: max(0, width - 2 * margin),
            height: panelHeight)
        let row = panel.y + panelHeight / 2
        var left = panel.x + points(4)
        place(.play, x: &left, row)
        var right = panel.x + panel.width - points(4)
        if width >= 100 * scale { place(.fullscreen, fromRight: &right, row) }
        if width >= 300 * scale {
            place(.volume, fromRight: &right, row)
            if model.menus[.subtitles] != nil { place(.subtitles, fromRight: &right, row) }
        }
        layOutTimes(
            model, width >= 260 * scale ? labelWidth : 0, row: row, from: left + points(8),
            to: right - points(8))
    }

    /// Lays out the row with the times and, between them, the scrubber.
    private mutating func layOutTimes(
        _ model: ControlsModel, _ labelWidth: Double, row: Double, from: Double, to: Double
    ) {
        let (gap, lineHeight) = (points(10), labelSize)
        var (from, to) = (from, to)
        func label(_ x: Double, _ width: Double) -> LayerRect {
            LayerRect(
                x: x, y: (row - lineHeight / 2).rounded(), width: width, height: lineHeight)
        }
        if labelWidth > 0 {
            elapsedLabel = label(from, labelWidth)
            from += labelWidth + gap
            if model.kind == .live {
                let live = points(44)
                liveLabel = label(to - live, live)
                if model.isSeekable {
                    elements[.live] = LayerRect(
                        x: to - live, y: row - points(12), width: live, height: points(24))
                }
                to -= live + gap
            } else if model.showsRemaining, style == .floating {
                remainingLabel = label(to - labelWidth, labelWidth)
                to -= labelWidth + gap
            }
        }
        guard model.kind != .none, to - from > points(24) else { return }
        track = LayerRect(
            x: from, y: (row - points(2)).rounded(), width: to - from, height: points(4))
        if model.isSeekable {
            elements[.scrubber] = LayerRect(
                x: from - points(6), y: row - points(12), width: to - from + points(12),
                height: points(24))
        }
    }

    private func box(_ x: Double, _ y: Double, _ side: Double) -> LayerRect {
        let side = points(side)
        return LayerRect(
            x: (x - side / 2).rounded(), y: (y - side / 2).rounded(), width: side, height: side)
    }

    private mutating func place(_ element: ControlElement, x: inout Double, _ row: Double) {
        let side = points(34)
        elements[element] = LayerRect(x: x, y: row - side / 2, width: side, height: side)
        x += side
    }

    private mutating func place(
        _ element: ControlElement, fromRight x: inout Double, _ row: Double, width: Double = 34
    ) {
        let (width, side) = (points(width), points(34))
        x -= width
        elements[element] = LayerRect(x: x, y: row - side / 2, width: width, height: side)
    }

    // MARK: Pointing

    /// Returns the element at a point, or nil.
    func element(at point: SIMD2<Double>) -> ControlElement? {
        elements.first { $0.value.contains(point) }?.key
    }

    /// Returns whether a point lies on the panel. The controls stay visible while the pointer is
    /// there.
    func covers(_ point: SIMD2<Double>) -> Bool { panel.contains(point) }

    /// Returns the position along the scrubber for an x coordinate, from 0 to 1.
    func fraction(at x: Double) -> Double { Self.fraction(x, of: track) }

    /// Returns the position along the volume slider for an x coordinate, from 0 to 1.
    func volume(at x: Double) -> Double { Self.fraction(x, of: volumeTrack) }

    private static func fraction(_ x: Double, of track: LayerRect) -> Double {
        track.width > 0 ? min(max((x - track.x) / track.width, 0), 1) : 0
    }

    /// The elements that can have the keyboard focus, in reading order.
    var focusOrder: [ControlElement] {
        let reading: [ControlElement] =
            style == .floating
            ? [
                .play, .back, .forward, .scrubber, .live, .volume, .volumeSlider, .speed, .audio,
                .subtitles, .fullscreen,
            ] : [.play, .scrubber, .live, .subtitles, .volume, .fullscreen]
        return reading.filter { elements[$0] != nil }
    }
}
