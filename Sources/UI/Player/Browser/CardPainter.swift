// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadText

/// Draws the cards of the folder browser on the CPU. A card that is one opaque image costs little
/// to show, so that the grid scrolls at the display's rate on software OpenGL too.
///
/// - Concurrency: a value; any thread.
struct CardPainter: Sendable {
    /// The picture of a card.
    enum Subject {
        /// Nothing is known about the file yet.
        case unknown
        case folder
        /// A frame of a video, or the cover of an album.
        case still(RGBAImage)
        /// A file that is only heard.
        case sound
        /// The reason why the file cannot be opened.
        case problem(String)
    }

    let metrics: CardMetrics
    /// The cache of text. Its fonts are loaded with the first text.
    let texts: TextPictures

    /// The colour behind the grid.
    static let ground = SIMD3<UInt8>(18, 19, 22)
    /// The colour behind a picture.
    static let box = SIMD3<UInt8>(32, 33, 38)

    private func points(_ value: Double) -> Int {
        Int((value * metrics.textSize / 13).rounded())
    }

    /// Returns a card.
    ///
    /// - Parameters:
    ///   - duration: The duration of the file; nil if it is not known.
    func picture(name: String, _ subject: Subject, duration: String? = nil) -> PixelBuffer {
        let (width, height) = (metrics.width, metrics.pictureHeight)
        var canvas = CardCanvas(width: width, height: metrics.height, color: Self.ground)
        canvas.fill(x: 0, y: 0, width: width, height: height, Self.box)
        switch subject {
        case .unknown: break
        case .still(let image):
            canvas.copy(image, x: (width - image.width) / 2, y: (height - image.height) / 2)
        case .folder: draw(Self.folder, &canvas)
        case .sound: draw(Icon.note.shape, &canvas)
        case .problem(let text): draw(problem: text, &canvas)
        }
        if let duration { draw(duration: duration, &canvas) }
        canvas.roundCorners(
            width: width, height: height, radius: points(5), outside: Self.ground)
        let lines = CardText.lines(
            of: name, limit: CardMetrics.lineCount, room: Double(width), shortening: .middle
        ) { self.width(of: $0, style(PanelPalette.content)) }
        for (index, line) in lines.enumerated() {
            guard let picture = text(line, style(PanelPalette.content)) else { continue }
            canvas.draw(
                picture, x: max(0, (width - picture.width) / 2),
                y: height + metrics.textGap + index * metrics.lineHeight)
        }
        return canvas.picture
    }

    /// A folder with its tab.
    private static let folder = IconShape.union([
        .rectangle(SIMD2(12, 13), size: SIMD2(20, 13), radius: 1.6),
        .rectangle(SIMD2(6.5, 7), size: SIMD2(9, 5), radius: 1.6),
    ])

    private func draw(_ shape: IconShape, _ canvas: inout CardCanvas) {
        let side = max(1, metrics.pictureHeight * 3 / 5)
        let icon = IconPictures.draw(shape, side: side)
        canvas.draw(
            icon, x: (metrics.width - side) / 2, y: (metrics.pictureHeight - side) / 2)
    }

    private func draw(problem: String, _ canvas: inout CardCanvas) {
        let style = style(PanelPalette.problem)
        let inset = points(8)
        let room = metrics.width - 2 * inset
        let count = (metrics.pictureHeight - 2 * points(4)) / metrics.lineHeight
        guard room > 0, count > 0 else { return }
        let lines = CardText.lines(
            of: problem, limit: count, room: Double(room), shortening: .end
        ) { width(of: $0, style) }
        let top = (metrics.pictureHeight - lines.count * metrics.lineHeight) / 2
        for (index, line) in lines.enumerated() {
            guard let picture = text(line, style) else { continue }
            canvas.draw(
                picture, x: (metrics.width - picture.width) / 2,
                y: top + index * metrics.lineHeight)
        }
    }

    private func draw(duration: String, _ canvas: inout CardCanvas) {
        var style = style(PanelPalette.content)
        style.size = max(1, Double(points(11.5)))
        guard let picture = text(duration, style) else { return }
        let (inset, margin) = (points(4), points(5))
        let height = metrics.lineHeight
        let width = picture.width + 2 * inset
        // In a very small card, the duration would cover the picture.
        guard width + 2 * margin <= metrics.width, height + 2 * margin <= metrics.pictureHeight
        else { return }
        let (x, y) = (metrics.width - width - margin, metrics.pictureHeight - height - margin)
        canvas.fill(x: x, y: y, width: width, height: height, Self.ground)
        canvas.draw(picture, x: x + inset, y: y + (height - Int(style.size)) / 2)
    }

    // MARK: Text

    private func style(_ color: SIMD4<Float>) -> TextStyle {
        var style = TextStyle(size: metrics.textSize, color: color)
        style.coversLines = true
        return style
    }

    /// Returns an image of a line; nil without fonts.
    private func text(_ line: String, _ style: TextStyle) -> PixelBuffer? {
        (try? texts.picture(of: line, style: style)) ?? nil
    }

    private func width(of line: String, _ style: TextStyle) -> Double {
        Double(text(line, style)?.width ?? 0)
    }
}
