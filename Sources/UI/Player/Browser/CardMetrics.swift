// SPDX-License-Identifier: Apache-2.0

/// The size of a card and of its parts, in pixels: a picture of 16 to 9, and two lines of text
/// below it.
///
/// - Concurrency: a value; any thread.
struct CardMetrics: Sendable, Hashable {
    /// The width of the card and of its picture.
    let width: Int
    /// The height of the picture.
    let pictureHeight: Int
    /// The distance between the picture and the text.
    let textGap: Int
    /// The size of the text.
    let textSize: Double
    /// The height of a line of text.
    let lineHeight: Int

    /// The number of lines of a name.
    static let lineCount = 2

    init(width: Int, scale: Double) {
        self.width = max(1, width)
        pictureHeight = max(1, self.width * 9 / 16)
        textGap = Int((6 * scale).rounded())
        textSize = max(1, (13 * scale).rounded())
        lineHeight = Int((textSize * 1.25).rounded(.up))
    }

    /// The height of the card.
    var height: Int { pictureHeight + textGap + Self.lineCount * lineHeight }
}
