// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@Suite("Subtitle cues")
struct SubtitleCueTests {
    private func text(_ words: String) -> String {
        SubtitleCue(timeRange: .all, content: .line("0,0,Default,,0,0,0,,\(words)")).text
    }

    @Test(arguments: [
        ("Plain, with commas, and more", "Plain, with commas, and more"),
        ("{\\i1}slanted{\\i0} and not", "slanted and not"),
        ("two\\Nlines\\nand\\ha half", "two\nlines\nand\u{A0}a half"),
        ("{\\p1}m 0 0 l 10 0{\\p0}after", "after"),
        ("{\\pos(1,2)}placed", "placed"),
        ("{never closed", "{never closed"),
        // The form in which braces come from WebVTT and MP4.
        ("\\{laughs\\} a", "{laughs} a"), ("{\\i1}\\{both\\}{\\i0}", "{both}"),
        ("", ""),
    ])
    func `its text has no markup and no drawings`(_ words: String, expected: String) {
        #expect(text(words) == expected)
    }

    @Test func `an invalid line and bitmaps have no text`() {
        #expect(SubtitleCue(timeRange: .all, content: .line("no fields")).text.isEmpty)
        #expect(SubtitleCue(timeRange: .all, content: .bitmaps([])).text.isEmpty)
    }
}
