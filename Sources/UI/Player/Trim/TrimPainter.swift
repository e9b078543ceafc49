// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadTime

/// Creates the layers of the trim view.
///
/// - Concurrency: the main thread.
@MainActor struct TrimPainter {
    let layout: TrimLayout
    let session: TrimSession
    /// The frames of the strip, from left to right.
    let pictures: [PixelBuffer?]
    /// The width of a frame of the strip, in pixels.
    let pictureWidth: Double
    /// The waveform with the keyframes; nil if the layout has no room for it.
    let waveform: PixelBuffer?

    private func points(_ value: Double) -> Double { (value * layout.scale).rounded() }

    func layers() -> [Layer] {
        var painter = PanelLayers(scale: layout.scale)
        painter.panel(layout.panel, radius: points(10), ground: PanelPalette.page)
        paintHeader(&painter)
        painter.append(strip)
        if let waveform {
            painter.append(
                Layer(.image(waveform), frame: .pixels(layout.wave), gravity: .resize))
        }
        paintRange(&painter)
        paintFooter(&painter)
        return painter.layers
    }

    // MARK: Text

    private func look(_ color: SIMD4<Float> = PanelPalette.content, bold: Bool = false) -> TextLook
    {
        TextLook(size: points(13), color: color, isBold: bold)
    }

    private func paintHeader(_ painter: inout PanelLayers) {
        let marks = session.marks
        let length = (marks.end - marks.start).clockDescription
        let range = "\(marks.start.clockDescription) – \(marks.end.clockDescription)"
        let count = session.timeline.frameCount(from: marks.start, to: marks.end)
        let frames = session.timeline.isComplete ? "\(count) frames" : "reading frames"
        let texts = ["\(length), \(frames)", length]
        let rangeWidth = PanelLayers.width(of: range, look(bold: true))
        let room = layout.header.width - rangeWidth - points(16)
        painter.line(range, look(bold: true), in: layout.header)
        guard
            let text = texts.first(where: { PanelLayers.width(of: $0, look()) <= room })
        else { return }
        painter.line(text, look(PanelPalette.soft), in: layout.header, alignment: .right)
    }

    /// The text of the last line, in versions from the longest to the shortest, and its colour.
    private var footer: (texts: [String], color: SIMD4<Float>) {
        switch session.question {
        case .leave(.quit):
            return (
                [
                    "The trimmed part is not saved. Enter: save and quit   q: quit without "
                        + "saving   Esc: continue",
                    "Not saved. Enter: save   q: quit   Esc: continue", "Not saved. Enter, q, Esc?",
                ], PanelPalette.loop
            )
        case .leave(.otherFile):
            return (
                [
                    "The trimmed part is not saved. Enter: save, then open the other file   Del: "
                        + "open it without saving   Esc: stay",
                    "Not saved. Enter: save   Del: do not save   Esc: stay",
                    "Not saved. Enter, Del, Esc?",
                ], PanelPalette.loop
            )
        case .leave(.folder):
            return (
                [
                    "The trimmed part is not saved. Enter: save, then show the folder   Del: show "
                        + "it without saving   Esc: stay",
                    "Not saved. Enter: save   Del: do not save   Esc: stay",
                    "Not saved. Enter, Del, Esc?",
                ], PanelPalette.loop
            )
        case .replace:
            return (
                [
                    "Replace the source with the trimmed part? Enter: replace   Esc: keep the "
                        + "source", "Replace the source? Enter: yes   Esc: no",
                    "Replace? Enter, Esc",
                ], PanelPalette.loop
            )
        case nil: break
        }
        switch session.saving {
        case .running(let share):
            let percent = share.map { "Saving: \(Int(($0 * 100).rounded(.down))) %" } ?? "Saving"
            return ([percent + "   Esc: cancel", percent], PanelPalette.note)
        case .saved(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return (["Saved: \(path)", "Saved: \(name)"], PanelPalette.note)
        case .failed(let text): return (Self.versions(of: text), PanelPalette.problem)
        case .idle:
            return (
                [
                    "Tab: other handle   ← →: frame   Shift: second   Ctrl: keyframe   Enter: save"
                        + "   Shift Enter: at keyframes   Ctrl Z: undo   Esc: close",
                    "Tab: handle   ← →: frame   Enter: save   Ctrl Z: undo   Esc: close",
                    "← →: frame   Enter: save   Esc: close", "Enter: save",
                ], PanelPalette.soft
            )
        }
    }

    /// Returns an error in versions from the longest to the shortest: whole, with the name of the
    /// file instead of its path, without the file, and only the problem.
    nonisolated static func versions(of error: String) -> [String] {
        guard error.hasPrefix("/"), let colon = error.firstRange(of: ": ") else { return [error] }
        let name = error[..<colon.lowerBound].split(separator: "/").last ?? ""
        let rest = error[colon.upperBound...]
        let problem = rest.firstRange(of: "; ").map { rest[..<$0.lowerBound] } ?? rest
        return [error, "\(name): \(rest)", String(rest), String(problem)]
    }

    private func paintFooter(_ painter: inout PanelLayers) {
        let (texts, color) = footer
        let look = look(color)
        let text =
            texts.first { PanelLayers.width(of: $0, look) <= layout.footer.width }
            ?? texts.last ?? ""
        painter.line(text, look, in: layout.footer)
        guard case .running(let share?) = session.saving, session.question == nil else { return }
        var bar = layout.footer
        (bar.y, bar.height) = (bar.y + bar.height, max(1, points(3)))
        painter.fill(bar, PanelPalette.line, radius: bar.height / 2)
        bar.width *= share
        if bar.width >= 1 { painter.fill(bar, PanelPalette.accent, radius: bar.height / 2) }
    }

    // MARK: Strip

    private var strip: Layer {
        var group = Layer(.color([0.12, 0.12, 0.13, 1]), frame: .pixels(layout.strip))
        group.masksToBounds = true
        group.sublayers = pictures.enumerated().compactMap { index, picture in
            guard let picture else { return nil }
            let rect = LayerRect(
                x: Double(index) * pictureWidth, y: 0, width: pictureWidth,
                height: layout.strip.height)
            return Layer(.image(picture), frame: .pixels(rect), gravity: .resizeAspectFill)
        }
        for index in group.sublayers.indices { group.sublayers[index].masksToBounds = true }
        return group
    }

    private func paintRange(_ painter: inout PanelLayers) {
        let track = layout.track
        let right = track.x + track.width
        let start = layout.x(of: session.marks.start, in: session.visible)
        let end = layout.x(of: session.marks.end, in: session.visible)
        let shade: SIMD4<Float> = [0.05, 0.05, 0.06, 0.72]
        func clamped(_ x: Double) -> Double { min(max(x, track.x), right) }
        func part(_ from: Double, _ to: Double) -> LayerRect {
            LayerRect(x: from, y: track.y, width: max(0, to - from), height: track.height)
        }
        for rect in [part(track.x, clamped(start)), part(clamped(end), right)]
        where rect.width > 0 { painter.fill(rect, shade) }
        var edge = part(clamped(start), clamped(end))
        edge.height = max(1, points(2))
        if edge.width > 0 {
            painter.fill(edge, PanelPalette.loop)
            edge.y = track.y + track.height - edge.height
            painter.fill(edge, PanelPalette.loop)
        }
        let head = layout.x(of: session.playhead, in: session.visible).rounded()
        if head >= track.x, head < right {
            var line = part(head, min(head + max(1, points(2)), right))
            line.y -= points(2)
            line.height += points(4)
            painter.fill(line, [1, 1, 1, 0.95])
        }
        for (handle, x) in [(TrimSession.Handle.start, start), (.end, end)]
        where x >= track.x - 0.5 && x <= right + 0.5 {
            let rect = layout.rect(of: handle, at: x.rounded())
            let isSelected = handle == session.selected
            painter.fill(rect, PanelPalette.loop, radius: points(3))
            var grip = rect
            grip.width = points(isSelected ? 4 : 2)
            grip.height = (rect.height / 2).rounded()
            grip.x += ((rect.width - grip.width) / 2).rounded()
            grip.y += ((rect.height - grip.height) / 2).rounded()
            painter.fill(
                grip, isSelected ? [1, 1, 1, 1] : PanelPalette.mark, radius: grip.width / 2)
        }
    }

    // MARK: Waveform

    /// Returns an image of the waveform, with marks of the keyframes above it.
    static func picture(
        of waveform: TrimWaveform?, _ timeline: TrimTimeline, _ visible: MediaTimeRange,
        width: Int, height: Int
    ) -> PixelBuffer {
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        func set(_ x: Int, _ y: Int, _ color: SIMD4<UInt8>) {
            let place = (y * width + x) * 4
            for channel in 0..<4 { bytes[place + channel] = color[channel] }
        }
        let (start, length) = (visible.start.seconds, visible.duration.seconds)
        let (markWidth, markHeight) = (max(1, height / 20), max(2, height / 8))
        let top = markHeight + 1
        for column in 0..<width {
            let from = start + length * Double(column) / Double(width)
            let to = start + length * Double(column + 1) / Double(width)
            let rows = Self.rows(of: waveform?.peak(from: from, to: to), in: top..<height)
            for row in rows { set(column, row, [120, 175, 250, 255]) }
        }
        let first = TrimTimeline.count(of: timeline.keyframes, before: visible.start)
        for time in timeline.keyframes[first...].prefix(while: { $0 < visible.end }) {
            let share = (time.seconds - start) / length
            let column = min(max(0, Int(share * Double(width))), width - 1)
            for column in column..<min(column + markWidth, width) {
                for row in 0..<markHeight { set(column, row, [255, 255, 255, 255]) }
            }
        }
        return PixelBuffer(RGBAImage(width: width, height: height, bytes: bytes))
    }

    /// Returns the rows of an image that a peak covers. Silence is a line in the middle.
    nonisolated static func rows(of peak: TrimWaveform.Peak?, in rows: Range<Int>) -> Range<Int> {
        guard let peak, !rows.isEmpty else { return rows.lowerBound..<rows.lowerBound }
        let half = Double(rows.count) / 2
        func row(_ sample: Float) -> Int {
            let value = Double(min(max(sample, -1), 1))
            let row = rows.lowerBound + Int((half - value * half).rounded(.down))
            return min(row, rows.upperBound - 1)
        }
        return row(peak.upperBound)..<row(peak.lowerBound) + 1
    }
}
