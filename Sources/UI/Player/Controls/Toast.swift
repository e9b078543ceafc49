// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadTime

/// A message that is shown in an upper corner for a moment: text and, for a value in a range, a
/// bar.
///
/// - Concurrency: the main thread.
@MainActor struct Toast: Equatable {
    /// The default duration, which is the same as that of mpv's `--osd-duration`.
    static let duration = MediaTime(value: 1, timescale: 1)
    private static let barWidth = 180.0

    var text: String
    /// The value of the bar, from 0 to 1; nil for a message without a bar.
    var level: Double?
    /// A Boolean value that indicates whether the text describes the visible frame.
    var followsFrame = false
    /// The duration for which the message is visible.
    var duration = Toast.duration
    /// The time at which the message disappears; nil until the message is first visible, which can
    /// take some time on a busy machine.
    var end: MediaTime?

    /// Adds the layers of the message.
    ///
    /// - Parameters:
    ///   - maximumWidth: The width of the view, in pixels.
    ///   - obstacle: A rectangle that the message must not cover.
    func paint(
        _ painter: inout PanelLayers, maximumWidth: Int, alignment: PanelLayers.Alignment = .left,
        below obstacle: LayerRect? = nil
    ) {
        let scale = painter.scale
        let (margin, inset) = ((16 * scale).rounded(), (12 * scale).rounded())
        let size = (19 * scale).rounded()
        let room = max(64, Double(maximumWidth) - 2 * (margin + inset))
        guard
            let picture = PanelLayers.picture(ofMessage: text, size: size, maximumWidth: Int(room))
        else { return }
        var width = Double(picture.width)
        var height = Double(picture.height)
        let bar = (Self.barWidth * scale).rounded()
        if level != nil {
            width = min(max(width, bar), room)
            height += (14 * scale).rounded()
        }
        let x = alignment == .right ? Double(maximumWidth) - margin - width - 2 * inset : margin
        var panel = LayerRect(
            x: x, y: margin, width: width + 2 * inset, height: height + 2 * inset * 0.75)
        if let obstacle, panel.intersects(obstacle) {
            panel.y = obstacle.y + obstacle.height + margin
        }
        painter.panel(panel, radius: (10 * scale).rounded())
        let top = panel.y + inset * 0.75
        painter.picture(
            picture,
            in: LayerRect(
                x: panel.x + inset, y: top.rounded(), width: Double(picture.width),
                height: Double(picture.height)), radius: 0)
        guard let level else { return }
        let line = (4 * scale).rounded()
        let track = LayerRect(
            x: panel.x + inset, y: (top + height - line).rounded(), width: width, height: line)
        painter.fill(track, PanelPalette.line, radius: line / 2)
        var filled = track
        filled.width = max(line, track.width * min(max(level, 0), 1))
        painter.fill(filled, PanelPalette.content, radius: line / 2)
    }
}
