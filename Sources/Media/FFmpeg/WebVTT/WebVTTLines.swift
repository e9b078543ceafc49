// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A converter from cues of WebVTT to lines of ASS.
///
/// - Concurrency: one thread at a time.
struct WebVTTLines {
    private var markup = WebVTTMarkup()
    private var regions: [String: WebVTTRegion] = [:]

    /// The maximum duration of a cue whose end is not known.
    static let usualDuration = MediaTime(value: 5, timescale: 1)

    init() {}

    /// Creates a converter.
    ///
    /// - Parameter header: The part of a file before its first cue, with its style sheets.
    init(header: [UInt8]) { take(WebVTTFile(header, limit: 0)) }

    /// Takes the style sheets and the regions of a file, in place of earlier ones if it has any.
    mutating func take(_ file: WebVTTFile) {
        if !file.styleSheets.isEmpty {
            markup.styles = WebVTTStyles()
            for sheet in file.styleSheets { markup.styles.add(sheet) }
        }
        if !file.regions.isEmpty {
            let found = file.regions.map { WebVTTRegion($0) }
            regions = Dictionary(found.map { ($0.identifier, $0) }) { $1 }
        }
    }

    /// The styles and fonts that the lines share.
    var script: SubtitleScript { SubtitleScript(header: StyledText.header) }

    /// Returns the line of a cue; nil if the cue has no text, or more than a number of bytes.
    mutating func line(of cue: WebVTTCue, limit: Int) -> String? {
        text(of: cue, limit: limit).flatMap { line(of: [$0], cue.settings, limit: limit) }
    }

    /// Returns the lines of cues that are shown at the same time. Those of the same place in a
    /// region are one line.
    mutating func lines(of cues: [WebVTTCue], limit: Int) -> [String] {
        var (lines, stacks): ([String], [(settings: String, texts: [StyledText])]) = ([], [])
        for cue in cues {
            guard let text = self.text(of: cue, limit: limit) else { continue }
            if !isInRegion(cue) {
                lines += [self.line(of: [text], cue.settings, limit: limit)].compactMap { $0 }
            } else if let index = stacks.firstIndex(where: { $0.settings == cue.settings }) {
                stacks[index].texts.append(text)
            } else {
                stacks.append((cue.settings, [text]))
            }
        }
        return lines + stacks.compactMap { line(of: $0.texts, $0.settings, limit: limit) }
    }

    /// Returns whether a cue is in a region that the file defines.
    func isInRegion(_ cue: WebVTTCue) -> Bool {
        !cue.settings.isEmpty && WebVTTSettings(cue.settings).region.flatMap { regions[$0] } != nil
    }

    /// Returns the text of a cue; nil if it is blank, or has more than a number of bytes.
    mutating func text(of cue: WebVTTCue, limit: Int) -> StyledText? {
        guard cue.text.utf8.count <= limit else { return nil }
        let text = markup.text(of: cue)
        return text.isBlank ? nil : text
    }

    /// Returns a line with texts one below the other, the newest last; nil if the newest has more
    /// than a number of bytes. Texts for which the region has no room are left out.
    func line(of texts: [StyledText], _ settings: String, limit: Int) -> String? {
        let place = WebVTTSettings(settings)
        let region = settings.isEmpty ? nil : place.region.flatMap { regions[$0] }
        var (shown, count, bytes): (ArraySlice<StyledText>, Int, Int) = ([], 0, 0)
        for text in texts.suffix(region?.lineLimit ?? 1).reversed() {
            count += text.lineCount
            bytes += text.byteCount
            let hasRoom = count <= region?.lineLimit ?? 1 && bytes <= limit
            guard shown.isEmpty || hasRoom else { break }
            shown = texts.suffix(shown.count + 1)
        }
        guard var result = shown.first else { return nil }
        for text in shown.dropFirst() {
            result.append("\n")
            result.append(text)
        }
        let line = result.line()
        guard line.utf8.count <= limit else { return nil }
        return settings.isEmpty ? line : place.placing(line, in: region)
    }
}
