// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A TTML document: its paragraphs with their times, styles and regions.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: TTML2, as far as its profile for text, IMSC 1.1, uses it. Families of
///   fonts, animation, ruby and vertical text have no effect.
struct TTMLDocument: Sendable {
    private var paragraphs: [TTMLParagraph] = []
    private var regions: [TTMLRegion] = []

    private let timing: TTMLTiming
    private let metrics: TTMLMetrics
    private var styles: [String: TTMLStyle] = [:]
    private var regionStyles: [String: (index: Int, style: TTMLStyle)] = [:]
    /// The number of parts of all paragraphs.
    private var partCount = 0

    /// The maximum number of parts of all paragraphs.
    private static let maximumParts = 200_000
    /// The maximum number of references from style to style.
    private static let maximumReferences = 16
    /// The maximum number of bytes that are examined to find the texts of all times. A document
    /// whose paragraphs all overlap ends there.
    private static let maximumWork = 32 << 20
    /// The longest time for which a paragraph without an end is shown, in seconds, if the end of
    /// the sample does not limit it.
    private static let usualDuration = 5.0

    /// Returns whether a text is a TTML document.
    static func isTTML(_ text: [UInt8]) -> Bool {
        var rest = text.prefix(4096)
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(mark + 1)...]
            guard let first = rest.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "!")
            else { continue }
            let name = rest.prefix { byte in
                byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
            }
            return name.split(separator: UInt8(ascii: ":")).last?.elementsEqual("tt".utf8) ?? false
        }
        return false
    }

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - bytes: The document, in UTF-8.
    ///   - subject: The name of the file for errors.
    init(_ bytes: [UInt8], subject: String) throws(MediaError) {
        let root = try XMLReader.read(bytes, subject: subject, kind: .subtitles)
        guard root.name == "tt" else {
            throw MediaError(
                .damaged, subject: subject,
                cause: "it is XML with the root element '\(root.name.printableAddress)', not TTML",
                remedy: "use TTML, SubRip, ASS or WebVTT")
        }
        timing = TTMLTiming(root)
        metrics = TTMLMetrics(root)
        let head = root.firstChild(named: "head")
        readStyles(head?.children(named: "styling") ?? [])
        for region in (head?.children(named: "layout") ?? []).flatMap({
            $0.children(named: "region")
        }) {
            var style = style(of: region)
            for nested in region.children(named: "style") {
                style = style.overridden(by: TTMLStyle(nested))
            }
            guard let identifier = region.value(ofLocal: "id"), regionStyles[identifier] == nil
            else { continue }
            regionStyles[identifier] = (regions.count, style)
            regions.append(TTMLRegion(style, metrics))
        }
        for body in root.children(named: "body") {
            var context = Context(isSpaceKept: Self.keepsSpace(root) ?? false)
            context.isSpaceKept = Self.keepsSpace(body) ?? context.isSpaceKept
            let all = TTMLParagraph.Interval(start: 0, end: .infinity)
            walk(body, context, in: all, previousEnd: nil)
        }
    }

    // MARK: - Styles

    private mutating func readStyles(_ sheets: [XMLElement]) {
        let elements = sheets.flatMap { $0.children(named: "style") }
        var known: [String: XMLElement] = [:]
        for element in elements {
            if let identifier = element.value(ofLocal: "id") { known[identifier] = element }
        }
        for (identifier, element) in known {
            var count = 0
            styles[identifier] = Self.resolved(element, known, &count)
        }
    }

    /// Returns the properties of a style with those of the styles to which it refers.
    private static func resolved(
        _ element: XMLElement, _ known: [String: XMLElement], _ count: inout Int
    ) -> TTMLStyle {
        var result = TTMLStyle()
        for name in references(of: element) {
            count += 1
            guard count <= maximumReferences, let other = known[name] else { continue }
            result = result.overridden(by: resolved(other, known, &count))
        }
        return result.overridden(by: TTMLStyle(element))
    }

    private static func references(of element: XMLElement) -> [String] {
        (element.attributes.first { $0.name == "style" }?.value ?? "")
            .split(maxSplits: maximumReferences, whereSeparator: \.isWhitespace)
            .prefix(maximumReferences).map(String.init)
    }

    private func style(of element: XMLElement) -> TTMLStyle {
        Self.references(of: element).compactMap { styles[$0] }
            .reduce(TTMLStyle()) { $0.overridden(by: $1) }.overridden(by: TTMLStyle(element))
    }

    private static func keepsSpace(_ element: XMLElement) -> Bool? {
        element["xml:space"].map { $0 == "preserve" }
    }

    // MARK: - Content

    /// The state that an element has from those around it.
    private struct Context {
        var isSpaceKept: Bool
        var region: String?
        /// The styles of the elements around it, from outside to inside.
        var styles: [TTMLStyle] = []
        var alignment: TTMLRegion.Alignment?
        var isHidden = false
    }

    /// Returns the interval of an element.
    ///
    /// - Parameter previousEnd: The end of the element before it; nil unless elements are shown in
    ///   sequence.
    private func interval(
        of element: XMLElement, in parent: TTMLParagraph.Interval, previousEnd: Double?
    ) -> TTMLParagraph.Interval? {
        func time(_ name: String) -> Double?? {
            guard let text = element[name] else { return .some(nil) }
            // A time that is not valid makes the element invalid.
            return timing.seconds(text).map { .some($0) }
        }
        guard let begin = time("begin"), let end = time("end"), let duration = time("dur") else {
            return nil
        }
        let origin = previousEnd ?? parent.start
        var result = TTMLParagraph.Interval(start: origin + (begin ?? 0), end: .infinity)
        if let end { result.end = origin + end }
        if let duration { result.end = min(result.end, result.start + duration) }
        // Times of elements in a sequence add up.
        guard result.start <= TTMLTiming.longest else { return nil }
        return result.clipped(to: parent)
    }

    /// Reads an element with its contents. Returns the end of its interval.
    @discardableResult
    private mutating func walk(
        _ element: XMLElement, _ context: Context, in parent: TTMLParagraph.Interval,
        previousEnd: Double?
    ) -> Double? {
        guard let interval = interval(of: element, in: parent, previousEnd: previousEnd),
            !interval.isEmpty
        else { return nil }
        var context = context
        context.isSpaceKept = Self.keepsSpace(element) ?? context.isSpaceKept
        context.region = element["region"] ?? context.region
        let style = style(of: element)
        context.styles.append(style)
        context.alignment = style.alignment ?? context.alignment
        context.isHidden = context.isHidden || style.isHidden
        guard element.name != "p" else {
            add(element, context, interval)
            return interval.end
        }
        let isSequence = element["timeContainer"] == "seq"
        var last: Double? = isSequence ? interval.start : nil
        for child in element.children where ["div", "p"].contains(child.name) {
            let end = walk(child, context, in: interval, previousEnd: last)
            if isSequence, let end { last = end }
        }
        return interval.end
    }

    private mutating func add(
        _ element: XMLElement, _ context: Context, _ interval: TTMLParagraph.Interval
    ) {
        let region = context.region.flatMap { regionStyles[$0] }
        var paragraph = TTMLParagraph(
            interval: interval, region: region?.index,
            alignment: context.alignment ?? region?.style.alignment)
        var text = TextStyle()
        for style in [region?.style].compactMap({ $0?.withoutBackground }) + context.styles {
            style.apply(to: &text, metrics)
        }
        guard !context.isHidden, region?.style.isHidden != true else { return }
        addContents(
            of: element, to: &paragraph, text, interval, isSpaceKept: context.isSpaceKept)
        if !paragraph.parts.isEmpty { paragraphs.append(paragraph) }
    }

    private mutating func addContents(
        of element: XMLElement, to paragraph: inout TTMLParagraph, _ style: TextStyle,
        _ interval: TTMLParagraph.Interval, isSpaceKept: Bool
    ) {
        let isSequence = element["timeContainer"] == "seq"
        var last: Double? = isSequence ? interval.start : nil
        for child in element.children {
            guard partCount < Self.maximumParts else { return }
            switch child.name {
            case "", "br":
                partCount += 1
                let isBreak = child.name == "br"
                paragraph.append(
                    TTMLParagraph.Part(
                        text: isBreak ? "\n" : child.text, style: style, interval: interval,
                        keepsSpace: isSpaceKept, isBreak: isBreak))
            case "span":
                let own = self.style(of: child)
                guard !own.isHidden,
                    let inner = self.interval(of: child, in: interval, previousEnd: last)
                else { continue }
                if isSequence, inner.end.isFinite { last = inner.end }
                guard !inner.isEmpty else { continue }
                var text = style
                own.apply(to: &text, metrics)
                addContents(
                    of: child, to: &paragraph, text, inner,
                    isSpaceKept: Self.keepsSpace(child) ?? isSpaceKept)
            default: break
            }
        }
    }

    /// Returns the paragraphs with their ends. A paragraph that states none ends when the next one
    /// begins or the sample ends. If neither happens, it is shown for some seconds.
    ///
    /// - Parameter sample: The interval of the sample that has the document; nil for files.
    private func endedParagraphs(in sample: TTMLParagraph.Interval?) -> [TTMLParagraph] {
        let starts = Set(paragraphs.map(\.interval.start)).sorted()
        return paragraphs.map { paragraph in
            guard paragraph.interval.end == .infinity else { return paragraph }
            let start = paragraph.interval.start
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] > start { high = middle } else { low = middle + 1 }
            }
            let next = low < starts.count ? starts[low] : .infinity
            let usual = max(start, sample?.start ?? start) + Self.usualDuration
            let last = sample?.end ?? .infinity
            var ended = paragraph
            ended.interval.end = min(next, last.isFinite ? last : usual)
            return ended
        }
    }

    // MARK: - Cues

    /// The interval from the first to the last paragraph; nil without paragraphs. The end is
    /// infinite if a paragraph states none.
    var interval: TTMLParagraph.Interval? {
        guard let start = paragraphs.map(\.interval.start).min(),
            let end = paragraphs.map(\.interval.end).max()
        else { return nil }
        return TTMLParagraph.Interval(start: start, end: end)
    }

    /// Returns the subtitles: for each time between two changes, the text of each region.
    ///
    /// - Parameters:
    ///   - range: The interval of the sample that has the document, to which subtitles are cut; nil
    ///     for files.
    ///   - shift: The number of seconds that is added to times.
    func cues(
        in range: TTMLParagraph.Interval? = nil, shiftedBy shift: Double = 0, limits: SubtitleLimits
    ) -> [SubtitleCue] {
        let paragraphs = endedParagraphs(
            in: range.map {
                TTMLParagraph.Interval(start: $0.start - shift, end: $0.end - shift)
            })
        let sorted = paragraphs.enumerated().sorted {
            ($0.element.interval.start, $0.offset) < ($1.element.interval.start, $1.offset)
        }
        var edges: Set<Double> = []
        for paragraph in paragraphs {
            for interval in [paragraph.interval] + paragraph.parts.map(\.interval) {
                edges.insert(interval.start)
                edges.insert(min(interval.end, paragraph.interval.end))
            }
        }
        var (active, next, work): ([(offset: Int, element: TTMLParagraph)], Int, Int) = ([], 0, 0)
        var open: [String: Int] = [:]
        var cues: [SubtitleCue] = []
        let times = edges.sorted()
        for (start, end) in zip(times, times.dropFirst()) {
            while next < sorted.count, sorted[next].element.interval.start <= start {
                active.append(sorted[next])
                next += 1
            }
            active.removeAll { $0.element.interval.end <= start }
            work += active.reduce(1) { $0 + $1.element.byteCount }
            guard work <= Self.maximumWork, cues.count < limits.lineCount else { break }
            active.sort { $0.offset < $1.offset }
            var current: [String: Int] = [:]
            let shown = TTMLParagraph.Interval(start: start + shift, end: end + shift)
            let clipped = range.map { shown.clipped(to: $0) } ?? shown
            guard !clipped.isEmpty else { continue }
            for line in lines(of: active.map(\.element), at: start)
            where line.utf8.count <= limits.lineBytes {
                if let index = open[line] {
                    cues[index].timeRange = Self.range(
                        cues[index].timeRange.start, to: clipped.end)
                    current[line] = index
                } else {
                    current[line] = cues.count
                    cues.append(
                        SubtitleCue(
                            timeRange: Self.range(Self.time(clipped.start), to: clipped.end),
                            content: .line(line)))
                }
            }
            open = current
        }
        return cues
    }

    /// Returns the events of the paragraphs that are shown at a time.
    private func lines(of paragraphs: [TTMLParagraph], at time: Double) -> [String] {
        var texts: [Int?: (text: StyledText, alignment: TTMLRegion.Alignment?)] = [:]
        var order: [Int?] = []
        for paragraph in paragraphs {
            let text = paragraph.text(at: time)
            guard !text.isBlank else { continue }
            if var known = texts[paragraph.region] {
                known.text.append("\n")
                known.text.append(text)
                texts[paragraph.region] = known
            } else {
                texts[paragraph.region] = (text, paragraph.alignment)
                order.append(paragraph.region)
            }
        }
        return order.flatMap { index -> [String] in
            guard let (text, alignment) = texts[index] else { return [] }
            guard let index else { return [text.line(layer: 1)] }
            let line = regions[index].line(text, alignment ?? .start)
            return [regions[index].area, line].compactMap { $0 }
        }
    }

    private static func time(_ seconds: Double) -> MediaTime {
        MediaTime(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000)
    }

    private static func range(_ start: MediaTime, to end: Double) -> MediaTimeRange {
        MediaTimeRange(start: start, end: time(end))
    }
}
