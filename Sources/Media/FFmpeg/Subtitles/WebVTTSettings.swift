// SPDX-License-Identifier: Apache-2.0

/// The position of a WebVTT cue. The settings after the times of the cue state it, for example
/// `line:0 position:10% align:start`.
///
/// - Corresponds to: W3C's WebVTT, 4.4 and 6.3, without widths. Vertical text is shown like other
///   text without settings.
struct WebVTTSettings {
    /// The part of a cue's text that is placed at the cue's position.
    enum Edge {
        case start
        case center
        case end

        /// Parses the value of any setting. The value `middle` comes from drafts of the standard.
        init?(_ word: Substring) {
            switch word {
            case "start", "left", "line-left": self = .start
            case "center", "middle": self = .center
            case "end", "right", "line-right": self = .end
            default: return nil
            }
        }
    }

    /// The distance from the top, in percent of the video's height; nil for the default at the
    /// bottom.
    private var line: Double?
    private var lineEdge: Edge?
    /// The distance from the left, in percent of the video's width.
    private var position: Double?
    private var positionEdge: Edge?
    private var alignment: Edge?
    /// The identifier of the region; nil if the cue is not in one, or has settings that take it out
    /// of its region.
    var region: String? {
        line == nil && !isVertical && !hasSize ? statedRegion : nil
    }
    private var statedRegion: String?
    private var hasSize = false
    /// A Boolean value that indicates whether the text is vertical. If so, its other settings have
    /// a different meaning.
    private var isVertical = false

    /// The height of a line, in percent of the video's height.
    private static let lineHeight = 100 * StyledText.fontSize / StyledText.canvas.height
    /// The maximum number of settings. There are six.
    private static let maximumCount = 32

    /// Parses settings. Unknown settings are ignored, as the standard requires.
    init(_ text: String) {
        for setting in text.split(
            maxSplits: Self.maximumCount, whereSeparator: \.isWhitespace
        ) {
            let halves = setting.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            let values = halves[1].split(separator: ",", maxSplits: 1)
            let edge = values.count == 2 ? Edge(values[1]) : nil
            switch (halves[0], values.first) {
            case ("line", let value?):
                if let percent = Self.percent(value) {
                    (line, lineEdge) = (percent, edge)
                } else if let number = Int(value), number.magnitude <= 100 {
                    // Lines are counted from the top, starting with 0, or from the bottom, where
                    // the last line is -1.
                    let place = Double(number < 0 ? number + 1 : number) * Self.lineHeight
                    (line, lineEdge) = number < 0 ? (100 + place, .end) : (place, .start)
                }
            case ("position", let value?):
                if let percent = Self.percent(value) { (position, positionEdge) = (percent, edge) }
            case ("region", _?): statedRegion = String(halves[1])
            case ("size", let value?): hasSize = Self.percent(value).map { $0 < 100 } ?? hasSize
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

    /// Returns an event, a line of an ASS script as in `SubtitleCue.Content`, with the margins and
    /// the alignment of this position. libass moves events apart that have margins, but not those
    /// that have a fixed position (`\pos`). Vertical text is returned unchanged.
    ///
    /// - Parameter region: The region of the cue, at the bottom of which it is placed.
    func placing(_ event: String, in region: WebVTTRegion? = nil) -> String {
        if isVertical { return event }
        var fields = event.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
            .map(String.init)
        guard fields.count == 9 else { return event }
        var (column, left, right) = columns
        var (isAtTop, distance) = row(count: Self.lineCount(fields[8]))
        if let (start, end, bottom) = region?.edges(lineHeight: Self.lineHeight / 100) {
            left = 100 * start + left * (end - start)
            right = 100 * (1 - end) + right * (end - start)
            (isAtTop, distance) = (false, 100 * (1 - bottom))
        }
        // A margin of 0 means the margin of the style.
        func units(_ percent: Double, of length: Double) -> String {
            String(max(0, Int((percent / 100 * length).rounded())))
        }
        fields[4] = units(left, of: StyledText.canvas.width)
        fields[5] = units(right, of: StyledText.canvas.width)
        fields[6] = units(distance, of: StyledText.canvas.height)
        // Positions are numbered as on a numeric keypad: 1 is the lower left corner, 9 the upper
        // right corner.
        let place = column + (isAtTop ? 7 : 1)
        if place != 2 { fields[8] = "{\\an\(place)}" + fields[8] }
        return fields.joined(separator: ",")
    }

    /// Returns the number of lines in the text of an event. `\N` separates lines.
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

    /// Returns the distance of a text of `count` lines from the top or the bottom of the video, and
    /// whether it is the distance from the top.
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
