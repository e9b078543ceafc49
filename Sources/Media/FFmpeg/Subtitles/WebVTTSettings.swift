// SPDX-License-Identifier: Apache-2.0

/// Where a cue of WebVTT stands, as what follows its times says, such as `line:0 position:10%
/// align:start`.
///
/// - Corresponds to: W3C's WebVTT, 4.4 and 6.3, of which widths and regions are left out; text from
///   top to bottom is shown as any other, where any other stands.
struct WebVTTSettings {
    /// Which part of a cue is at its place.
    enum Edge {
        case start
        case center
        case end

        /// - Parameter word: any that one of the settings has for it; `middle` is from drafts.
        init?(_ word: Substring) {
            switch word {
            case "start", "left", "line-left": self = .start
            case "center", "middle": self = .center
            case "end", "right", "line-right": self = .end
            default: return nil
            }
        }
    }

    /// From the top, in percent of the picture; nil where it says nothing: at the bottom.
    private var line: Double?
    private var lineEdge: Edge?
    /// From the left, in percent of the picture.
    private var position: Double?
    private var positionEdge: Edge?
    private var alignment: Edge?
    /// Whether its lines go from top to bottom: the others are of another picture then.
    private var isVertical = false

    /// A line's height in percent of the picture: FFmpeg has letters of 16 units for text without
    /// styles, in a picture of `canvas`.
    private static let lineHeight = 100.0 * 16 / 288
    /// What margins are in, as of FFmpeg's `ASS_DEFAULT_PLAYRESX` and `…Y`.
    private static let canvas = (width: 384.0, height: 288.0)

    /// What is not understood is passed over, as the standard has it.
    init(_ text: String) {
        for setting in text.split(whereSeparator: \.isWhitespace) {
            let halves = setting.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            let values = halves[1].split(separator: ",", maxSplits: 1)
            let edge = values.count == 2 ? Edge(values[1]) : nil
            switch (halves[0], values.first) {
            case ("line", let value?):
                if let percent = Self.percent(value) {
                    (line, lineEdge) = (percent, edge)
                } else if let number = Int(value), number.magnitude <= 100 {
                    // Counted from the top, or from the bottom: its last line is the one at -1.
                    let place = Double(number < 0 ? number + 1 : number) * Self.lineHeight
                    (line, lineEdge) = number < 0 ? (100 + place, .end) : (place, .start)
                }
            case ("position", let value?):
                if let percent = Self.percent(value) { (position, positionEdge) = (percent, edge) }
            case ("align", let value?): alignment = Edge(value) ?? alignment
            case ("vertical", "rl"?), ("vertical", "lr"?): isVertical = true
            default: break
            }
        }
    }

    private static func percent(_ text: Substring) -> Double? {
        guard text.last == "%", let percent = Double(text.dropLast()), (0...100).contains(percent)
        else { return nil }
        return percent
    }

    /// A line of an ASS script, as `SubtitleCue` has it, at this place: by margins, so that cues
    /// which are there at once still stand beside each other.
    func placing(_ event: String) -> String {
        if isVertical { return event }
        var fields = event.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
            .map(String.init)
        guard fields.count == 9 else { return event }
        let (column, left, right) = columns
        let (isAtTop, distance) = row(count: Self.lineCount(fields[8]))
        // 0 is the style's own.
        func units(_ percent: Double, of length: Double) -> String {
            String(max(0, Int((percent / 100 * length).rounded())))
        }
        fields[4] = units(left, of: Self.canvas.width)
        fields[5] = units(right, of: Self.canvas.width)
        fields[6] = units(distance, of: Self.canvas.height)
        // As on the keys of a telephone turned over: 1 is at the lower left, 9 at the upper right.
        let place = column + (isAtTop ? 7 : 1)
        if place != 2 { fields[8] = "{\\an\(place)}" + fields[8] }
        return fields.joined(separator: ",")
    }

    /// How many lines the text of an event has: they are parted by `\N`.
    private static func lineCount(_ text: String) -> Int {
        zip(text.utf8, text.utf8.dropFirst())
            .reduce(1) { $0 + ($1 == (UInt8(ascii: "\\"), UInt8(ascii: "N")) ? 1 : 0) }
    }

    /// The column, from 0 to 2, and the margins on both sides.
    private var columns: (column: Int, left: Double, right: Double) {
        let edge = positionEdge ?? alignment ?? .center
        switch edge {
        case .start: return (0, position ?? 0, 0)
        case .end: return (2, 0, 100 - (position ?? 100))
        case .center:
            let position = position ?? 50
            return (1, max(0, 2 * position - 100), max(0, 100 - 2 * position))
        }
    }

    /// Whether so many rows are measured from the top, or from the bottom; and how far they are
    /// from there.
    private func row(count: Int) -> (isAtTop: Bool, distance: Double) {
        guard let line else { return (false, 0) }
        let height = Double(count) * Self.lineHeight
        let top: Double
        switch lineEdge ?? .start {
        case .start: top = line
        case .center: top = line - height / 2
        case .end: top = line - height
        }
        return top + height / 2 < 50 ? (true, top) : (false, 100 - top - height)
    }
}
