// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
public import PlayheadLayers

/// The appearance of the panel.
extension EffectPanel {
    /// The width of the narrowest window in which text has its usual size, in points.
    private static let leastWindowWidth = 160.0

    private func points(_ value: Double) -> Double { (value * scale).rounded() }
    private var margin: Double { points(12) }

    /// The panel's rectangle, in pixels of the window. The lower edge is above the controls.
    var bounds: LayerRect {
        let width = width
        let height = min(form.height, bottom - 2 * margin)
        return LayerRect(
            x: Double(size.width) - width - margin, y: margin, width: width,
            // If there is not enough height for a row, the panel is hidden.
            height: height < points(24) ? 0 : height)
    }

    /// The panel's width, in pixels. It depends on the labels and on the window, but not on values.
    private var width: Double {
        let natural = FormLayout.naturalWidth(
            of: rows.filter { $0.style == .input }.map(item(of:)), scale: scale)
        return max(
            0, min(max(points(320), natural), points(460), Double(size.width) - 2 * margin))
    }

    /// The left edge of the panel, in pixels; the width of the window while the panel is hidden.
    package var left: Double { isVisible && bounds.height > 0 ? bounds.x : Double(size.width) }

    /// The number of monospaced characters in a row.
    private var problemColumns: Int {
        let letter = PanelLayers.width(of: "0000000000", look(of: .problem)) / 10
        return letter > 0 ? max(16, Int((width - 2 * points(12)) / letter)) : 43
    }

    /// The rows, with the text of errors wrapped to the panel's width.
    var rows: [EffectPanelRow] {
        let settings = settings.map { EffectPanelRow.rows(for: $0, state) } ?? []
        return EffectPanelRow.rows(
            for: effects, settings: settings, state, failures: failures, columns: columns)
    }

    /// The layout of the rows.
    var form: FormLayout {
        let items = rows.map(item(of:))
        let width = width
        if let known = laidOut, known.items == items, known.width == width, known.scale == scale {
            return known.form
        }
        let form = FormLayout(items, width: width, scale: scale)
        laidOut = (items, width, scale, form)
        return form
    }

    /// Returns the row at a point of the window, and the row's layout.
    func row(at point: SIMD2<Double>) -> (row: EffectPanelRow, place: FormLayout.Row)? {
        let form = form
        guard bounds.contains(point), let index = form.row(at: point.y - bounds.y + scroll.offset)
        else { return nil }
        let rows = rows
        return rows.indices.contains(index) ? (rows[index], form.rows[index]) : nil
    }

    // MARK: Rows

    private func look(of style: EffectPanelRow.Style) -> TextLook {
        return switch style {
        case .title: TextLook(size: points(15), isBold: true)
        case .group: TextLook(size: points(13), color: PanelPalette.soft, isBold: true)
        case .pass: TextLook(size: points(13), color: PanelPalette.soft)
        case .input, .part: TextLook(size: points(14))
        case .note: TextLook(size: points(12), color: PanelPalette.note, family: "monospace")
        case .problem: TextLook(size: points(12), color: PanelPalette.problem, family: "monospace")
        }
    }

    private func item(of row: EffectPanelRow) -> FormLayout.Item {
        var item = FormLayout.Item(label: row.label, look: look(of: row.style), value: row.value)
        item.hasSign = row.fold != nil
        item.indentation = row.style == .part || row.style == .pass ? 1 : 0
        switch row.control {
        case .none: break
        case .toggle: item.hasSwitch = true
        case .slider, .channel:
            item.control = .slider
            item.value = row.numberWithUnit
            if let edit, edit.focus == Focus(row) { item.value = edit.field.text + "|" }
        case .share: item.control = .slider
        case .menu(let title, _): item.control = .field(title)
        case .choice: item.hasSign = true
        case .point(let point, let isPicking):
            item.control = .field(
                isPicking
                    ? "Click in the video"
                    : EffectPanelRow.Control.short(point.x) + ", "
                        + EffectPanelRow.Control.short(point.y))
        case .picker(let isPicking):
            item.control = .field(isPicking ? "Click in the video" : "Pick")
        case .color: item.control = .field("")
        case .button: item.control = row.input == nil ? .button : .field("Trigger")
        }
        return item
    }

    // MARK: Layers

    /// Returns the layers of the panel. While the panel is hidden, returns the layers of the errors
    /// in the effects' files.
    ///
    /// - Parameters:
    ///   - width: The width of the window, in pixels.
    ///   - height: The height of the window, in pixels.
    ///   - scale: The number of pixels in a point of the design, such as `Window.contentScale`.
    public func layers(width: Int, height: Int, scale: Double) -> [Layer] {
        layers(width: width, height: height, scale: scale) { _ in Double(height) }
    }

    /// Returns the layers of the panel, which ends above other elements at the lower edge of the
    /// window.
    ///
    /// - Parameter bottom: Returns the upper edge of these elements to the right of an x
    ///   coordinate.
    package func layers(
        width: Int, height: Int, scale: Double, above bottom: (Double) -> Double
    ) -> [Layer] {
        // In a narrower window, not even one word fits at the usual text size.
        let widest = Double(width) / Self.leastWindowWidth
        (size, self.scale) = ((width, height), max(0.5, min(scale, widest)))
        guard width > 0, height > 0 else { return [] }
        takePickedColor()
        guard isVisible else {
            self.bottom = bottom(0)
            return failureLayers
        }
        columns = problemColumns
        self.bottom = bottom(Double(width) - self.width - 2 * margin)
        let (rows, form, bounds) = (rows, form, bounds)
        scroll.resize(content: form.height, viewport: bounds.height)
        var layers: [Layer] = []
        if state.isSplit {
            let line = LayerRect(
                x: (splitPlace * Double(width)).rounded() - scale, y: 0, width: 2 * scale,
                height: Double(height))
            layers.append(Layer(.color([1, 1, 1, 0.8]), frame: .pixels(line)))
        }
        guard bounds.height > 0 else { return layers }
        var ground = PanelLayers(scale: scale)
        ground.panel(bounds, radius: points(10), ground: PanelPalette.page)
        var panel = Layer(.color([0, 0, 0, 0]), frame: .pixels(bounds))
        panel.cornerRadius = points(10)
        panel.masksToBounds = true
        var painter = PanelLayers(scale: scale)
        for (row, place) in zip(rows, form.rows) {
            let moved = place.moved(by: -scroll.offset)
            guard moved.frame.y + moved.frame.height > 0, moved.frame.y < bounds.height else {
                continue
            }
            paint(row, moved, with: &painter)
        }
        painter.scrollBar(
            scroll, in: LayerRect(x: 0, y: 0, width: bounds.width, height: bounds.height))
        panel.sublayers = painter.layers
        return layers + ground.layers + [panel]
    }

    private func paint(
        _ row: EffectPanelRow, _ place: FormLayout.Row, with painter: inout PanelLayers
    ) {
        if row.style == .title { painter.fill(place.frame, PanelPalette.heading) }
        if let focus, Focus(row) == focus {
            painter.fill(place.frame, PanelPalette.hover)
            var mark = place.frame
            mark.width = points(3)
            painter.fill(mark, PanelPalette.accent)
        }
        if let sign = place.sign {
            if case .choice(_, let isChosen) = row.control {
                if isChosen { painter.icon(.check, in: sign, side: points(14)) }
            } else {
                painter.icon(row.isOpen ? .unfolded : .folded, in: sign, side: points(13))
            }
        }
        if row.control == .button, row.input == nil {
            var box = place.frame
            (box.x, box.width) = (points(12), max(0, box.width - points(24)))
            (box.y, box.height) = (box.y + points(2), box.height - points(4))
            painter.box(box)
            painter.block(place.label, in: box.inset(by: points(3)), alignment: .center)
            return
        }
        painter.block(place.label, in: place.labelRect)
        if let toggle = place.toggle, case .toggle(let isOn) = row.control {
            painter.toggle(toggle, isOn: isOn)
        }
        if let rect = place.value {
            let item = item(of: row)
            painter.line(item.value, item.look, in: rect, alignment: .right)
        }
        if let control = place.control { paint(row, place, control, with: &painter) }
    }

    private func paint(
        _ row: EffectPanelRow, _ place: FormLayout.Row, _ control: LayerRect,
        with painter: inout PanelLayers
    ) {
        switch row.control {
        case .slider(let value, let range, _):
            let length = range.upperBound - range.lowerBound
            painter.slider(control, share: Double((value - range.lowerBound) / length))
        case .channel(_, let value): painter.slider(control, share: Double(value))
        case .share(let share): painter.slider(control, share: share, hasKnob: false)
        case .color(let color, _): painter.swatch(control, color: color)
        case .menu(_, let isOpen):
            painter.box(control)
            let side = points(18)
            painter.icon(
                isOpen ? .unfolded : .folded,
                in: LayerRect(
                    x: control.x + control.width - side, y: control.y, width: side,
                    height: control.height), side: points(12))
        default: painter.box(control)
        }
        guard let text = place.fieldText else { return }
        var inside = control
        (inside.x, inside.width) = (control.x + points(6), control.width - points(24))
        painter.block(text, in: inside)
    }

    /// The errors at the lower edge of the window, above the controls.
    private var failureLayers: [Layer] {
        let text = failures.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\n")
        guard !text.isEmpty else { return [] }
        let inset = points(8)
        let look = look(of: .problem)
        let letter = PanelLayers.width(of: "0000000000", look) / 10
        let room = Double(size.width) - 2 * (margin + inset)
        guard letter > 0 else { return [] }
        let most = max(1, Int((bottom - 2 * (margin + inset)) / look.lineHeight))
        let lines = EffectPanelRow.problemLines(text, columns: max(16, Int(room / letter)))
            .prefix(min(12, most))
        let block = TextBlock(lines.joined(separator: "\n"), look)
        let panel = LayerRect(
            x: margin, y: bottom - margin - block.height - 2 * inset,
            width: min(block.width, room) + 2 * inset, height: block.height + 2 * inset)
        var painter = PanelLayers(scale: scale)
        painter.panel(panel, radius: points(8), ground: PanelPalette.page)
        painter.block(block, in: panel.inset(by: inset))
        return painter.layers
    }
}
