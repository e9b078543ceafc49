// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
public import PlayheadLayers
import PlayheadText

/// How the panel looks.
extension EffectPanel {
    var rowHeight: Double { 24 * scale }
    private var margin: Double { 12 * scale }
    private var fontSize: Double { 15 * scale }

    /// Where the panel is, in pixels of the window.
    var bounds: LayerRect {
        let width = min(360 * scale, Double(size.width) - 2 * margin)
        let height = min(contentHeight, Double(size.height) - 2 * margin)
        return LayerRect(
            x: Double(size.width) - width - margin, y: margin, width: max(0, width),
            height: max(0, height))
    }

    var contentHeight: Double { Double(rows.count) * rowHeight + margin }

    /// From where to where sliders go.
    var controlArea: ClosedRange<Double> {
        let bounds = bounds
        return (bounds.x + bounds.width * 0.45)...(bounds.x + bounds.width - margin - 56 * scale)
    }

    /// The line at a point.
    func row(at point: SIMD2<Double>) -> EffectPanelRow? {
        let index = Int(((point.y - bounds.y - margin / 2 + scrolled) / rowHeight).rounded(.down))
        let rows = rows
        return rows.indices.contains(index) ? rows[index] : nil
    }

    /// The panel as layers of a window, and what is wrong with an effect's file where it is hidden.
    ///
    /// - Parameters:
    ///   - width: of the window, in pixels.
    ///   - scale: pixels of the screen for a pixel of the design.
    public func layers(width: Int, height: Int, scale: Double) -> [Layer] {
        (size, self.scale) = ((width, height), max(0.5, scale))
        guard width > 0, height > 0 else { return [] }
        takePickedColor()
        guard isVisible else { return failureLayers }
        let (rows, bounds) = (rows, bounds)
        scrolled = min(scrolled, max(0, contentHeight - bounds.height))
        if texts.count > 600 { texts.removeAll() }
        var panel = Layer(.color([0.07, 0.08, 0.1, 0.88]), frame: .pixels(bounds))
        panel.cornerRadius = 6 * scale
        panel.masksToBounds = true
        for (index, row) in rows.enumerated() {
            let top = margin / 2 + Double(index) * rowHeight - scrolled
            guard top > -rowHeight, top < bounds.height else { continue }
            panel.sublayers += layers(for: row, top: top, width: bounds.width)
        }
        var layers = [panel]
        if state.isSplit {
            let line = LayerRect(
                x: (splitPlace * Double(width)).rounded() - scale, y: 0, width: 2 * scale,
                height: Double(height))
            layers.insert(Layer(.color([1, 1, 1, 0.8]), frame: .pixels(line)), at: 0)
        }
        return layers
    }

    /// One line, in the panel's own pixels.
    private func layers(for row: EffectPanelRow, top: Double, width: Double) -> [Layer] {
        var layers: [Layer] = []
        let accent: SIMD4<Float> = [0.35, 0.62, 0.95, 1]
        if row.style == .title {
            let rect = LayerRect(x: 0, y: top, width: width, height: rowHeight - scale)
            layers.append(Layer(.color([0.16, 0.19, 0.25, 1]), frame: .pixels(rect)))
        }
        if let focus, Focus(row) == focus {
            let rect = LayerRect(x: 0, y: top, width: 3 * scale, height: rowHeight)
            layers.append(Layer(.color(accent), frame: .pixels(rect)))
        }
        let (left, right) = (controlArea.lowerBound - bounds.x, controlArea.upperBound - bounds.x)
        let isWide = row.style != .input
        let labelWidth = isWide ? width - 2 * margin : left - margin - 8 * scale
        let label =
            isWide
            ? row.label
            : row.label.truncated { length(of: $0, row.style) <= labelWidth }
        layers += text(label, row.style, x: margin, top: top, width: labelWidth)
        func bar(_ share: Float, _ value: String) {
            let (y, height) = (top + rowHeight / 2 - 3 * scale, 6 * scale)
            var track = Layer(
                .color([0.28, 0.31, 0.37, 1]),
                frame: .pixels(LayerRect(x: left, y: y, width: right - left, height: height)))
            track.cornerRadius = 3 * scale
            var fill = track
            let filled = (right - left) * Double(min(max(share, 0), 1))
            fill.content = .color(accent)
            fill.frame = .pixels(LayerRect(x: left, y: y, width: max(1, filled), height: height))
            var knob = Layer(
                .color([0.95, 0.97, 1, 1]),
                frame: .pixels(
                    LayerRect(
                        x: left + filled - 5 * scale, y: top + rowHeight / 2 - 6 * scale,
                        width: 10 * scale, height: 12 * scale)))
            knob.cornerRadius = 3 * scale
            layers += [track, fill, knob]
            layers += text(
                value, .input, x: right + 8 * scale, top: top, width: width - right - 10 * scale)
        }
        switch row.control {
        case .none: break
        case .toggle(let isOn):
            let side = 13 * scale
            var box = Layer(
                .color(isOn ? accent : [0.28, 0.31, 0.37, 1]),
                frame: .pixels(
                    LayerRect(
                        x: width - margin - side, y: top + (rowHeight - side) / 2, width: side,
                        height: side)))
            box.cornerRadius = 3 * scale
            layers.append(box)
        case .slider(let value, let range, _):
            bar(
                (value - range.lowerBound) / (range.upperBound - range.lowerBound),
                row.control.number)
        case .channel(_, let value): bar(value, row.control.number)
        case .menu(let title, let isOpen):
            layers += text(
                title + (isOpen ? "  ^" : "  v"), .input, x: left, top: top,
                width: width - left - margin)
        case .choice(_, let isChosen):
            if isChosen { layers += text("*", .title, x: left, top: top, width: 20 * scale) }
        case .point(let value, let isPicking):
            layers += text(
                isPicking
                    ? "click in the picture"
                    : EffectPanelRow.Control.short(value.x) + ", "
                        + EffectPanelRow.Control.short(value.y),
                isPicking ? .note : .input, x: left, top: top, width: width - left - margin)
        case .color(let color, _):
            var swatch = Layer(
                .color(color),
                frame: .pixels(
                    LayerRect(
                        x: left, y: top + 4 * scale, width: right - left,
                        height: rowHeight - 8 * scale)))
            swatch.cornerRadius = 3 * scale
            layers.append(swatch)
        case .picker(let isPicking):
            layers += text(
                isPicking ? "click in the picture" : "pick", .note, x: left, top: top,
                width: width - left - margin)
        case .button:
            if row.input != nil {
                layers += text("press", .note, x: left, top: top, width: width - left - margin)
            }
        }
        return layers
    }

    /// How far words reach, in pixels.
    private func length(of text: String, _ style: EffectPanelRow.Style) -> Double {
        guard let picture = picture(of: text + "\u{A0}\u{A0}" + Self.strut, style),
            let strut = self.picture(of: Self.strut, style)
        else { return 0 }
        return Double(picture.width - strut.width) - 2
    }

    private func text(
        _ text: String, _ style: EffectPanelRow.Style, x: Double, top: Double, width: Double
    ) -> [Layer] {
        // Pictures begin where there is something to see: what stands in front of a problem's lines has them
        // all begin in one place, and is not shown.
        let lead = style == .problem ? Self.lead : ""
        let start = lead.isEmpty ? 0 : length(of: lead + lead, style) - length(of: lead, style)
        let whole = lead + text
        guard width > 1, let picture = picture(of: whole + "\u{A0}\u{A0}" + Self.strut, style)
        else { return [] }
        let shown = max(1, min(length(of: whole, style) - start, width).rounded())
        let rect = LayerRect(
            x: x.rounded(), y: (top + (rowHeight - Double(picture.height)) / 2).rounded(),
            width: shown, height: Double(picture.height))
        return [
            Layer(
                .image(picture), frame: .pixels(rect),
                contentsRect: LayerRect(
                    x: start / Double(picture.width), y: 0,
                    width: shown / Double(picture.width), height: 1),
                gravity: .resize)
        ]
    }

    /// Pictures of words are as high as what is in them: with these behind them all are as high, and
    /// stand on one line. They are not shown.
    private static let strut = "\u{C1}gj"

    /// As wide as its place in a line.
    private static let lead = "_"

    /// Spaces at the beginning are not lost, so that carets stand where they should.
    private static func indented(_ line: Substring) -> String {
        let spaces = line.prefix { $0 == " " }
        return String(repeating: "\u{A0}", count: spaces.count) + line.dropFirst(spaces.count)
    }

    private func picture(of text: String, _ style: EffectPanelRow.Style) -> PixelBuffer? {
        var look = TextStyle(size: fontSize, color: [0.86, 0.88, 0.92, 1])
        switch style {
        case .title: (look.isBold, look.color) = (true, [1, 1, 1, 1])
        case .group: look.color = [0.62, 0.66, 0.74, 1]
        case .note: (look.family, look.color) = ("monospace", [0.62, 0.8, 1, 1])
        case .problem:
            (look.family, look.color) = ("monospace", [1, 0.55, 0.5, 1])
            look.size = fontSize * 0.85
        case .input: break
        }
        let text = Self.indented(text[...])
        let key = TextKey(text: text, style: look)
        if let known = texts[key] { return known }
        let made = try? rasterizer?.picture(of: text, style: look)
        texts[key] = made
        return made
    }

    /// What is wrong, at the lower edge, for as long as it is.
    private var failureLayers: [Layer] {
        let lines = failures.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\n")
        guard !lines.isEmpty else { return [] }
        let room = max(64, size.width - Int(2 * margin))
        // Letters of fixed width are six tenths of their size wide, or a little more.
        let columns = max(24, Int(Double(room - Int(16 * scale)) / (0.61 * fontSize)))
        let text = EffectPanelRow.problemLines(lines, columns: columns).prefix(12)
            .map { Self.indented($0[...]) }.joined(separator: "\n")
        let style = TextStyle(
            family: "monospace", size: fontSize, color: [1, 0.6, 0.55, 1],
            boxColor: [0.07, 0.05, 0.05, 0.85], padding: Int(8 * scale))
        let key = TextKey(text: text, style: style)
        if texts[key] == nil {
            texts[key] = try? rasterizer?.picture(of: text, style: style, maximumWidth: room)
        }
        guard let picture = texts[key] else { return [] }
        let frame = LayerRect(
            x: margin.rounded(),
            y: (Double(size.height) - margin - Double(picture.height)).rounded(),
            width: Double(picture.width), height: Double(picture.height))
        return [Layer(.image(picture), frame: .pixels(frame), gravity: .resize)]
    }
}
