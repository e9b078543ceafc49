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
        guard cue.text.utf8.count <= limit else { return nil }
        let text = markup.text(of: cue)
        guard !text.isBlank else { return nil }
        let line = text.line()
        guard line.utf8.count <= limit else { return nil }
        guard !cue.settings.isEmpty else { return line }
        let settings = WebVTTSettings(cue.settings)
        return settings.placing(line, in: settings.region.flatMap { regions[$0] })
    }
}
