// SPDX-License-Identifier: Apache-2.0

/// A region of a WebVTT file: an area of the video in which cues are shown, the newest at the
/// bottom.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: W3C's WebVTT, 3.4 and 6.2. Cues move up without a transition when another one
///   appears below them.
struct WebVTTRegion: Sendable {
    private(set) var identifier = ""
    /// The width, as a fraction of the video's.
    private var width = 1.0
    /// The number of lines.
    private var lineCount = 3.0
    /// The point of the region that is placed, and its place in the video, as fractions.
    private var anchor = (x: 0.0, y: 1.0)
    private var place = (x: 0.0, y: 1.0)

    /// The maximum number of settings. There are five.
    private static let maximumCount = 32

    /// Parses settings, which are separated by white space.
    init(_ text: Substring) {
        for setting in text.split(
            maxSplits: Self.maximumCount, whereSeparator: \.isWhitespace
        ) {
            let halves = setting.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            switch halves[0] {
            case "id": identifier = String(halves[1])
            case "width": width = Self.fraction(halves[1]) ?? width
            case "lines":
                if let count = Int(halves[1]), (0...100).contains(count) {
                    lineCount = Double(count)
                }
            case "regionanchor": anchor = Self.point(halves[1]) ?? anchor
            case "viewportanchor": place = Self.point(halves[1]) ?? place
            default: break
            }
        }
    }

    /// The maximum number of lines that are shown; a cue is shown in any region.
    var lineLimit: Int { max(Int(lineCount), 1) }

    private static func fraction(_ text: Substring) -> Double? {
        guard text.last == "%", let percent = Double(text.dropLast()), (0...100).contains(percent)
        else { return nil }
        return percent / 100
    }

    private static func point(_ text: Substring) -> (x: Double, y: Double)? {
        let parts = text.split(separator: ",", maxSplits: 2).compactMap(fraction)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// The left and the right edge, as fractions of the video's width, and the lower edge, as a
    /// fraction of its height. The region lies within the video.
    func edges(lineHeight: Double) -> (left: Double, right: Double, bottom: Double) {
        let left = min(max(place.x - anchor.x * width, 0), 1)
        let height = min(lineCount * lineHeight, 1)
        let top = min(max(place.y - anchor.y * height, 0), 1 - height)
        return (left, min(left + width, 1), top + height)
    }
}
