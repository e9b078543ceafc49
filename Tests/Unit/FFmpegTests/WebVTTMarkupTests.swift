// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@testable import PlayheadFFmpeg

/// The text of WebVTT cues as lines of ASS.
@Suite("WebVTT markup")
struct WebVTTMarkupTests {
    @Test(arguments: [
        ("plain", "plain"), ("two\nlines", "two\\Nlines"),
        ("<i>a</i> <b>b</b> <u>c</u>", "{\\i1}a{\\i0} {\\b1}b{\\b0} {\\u1}c"),
        ("<b>a<i>b</i>c</b>d", "{\\b1}a{\\i1}b{\\i0}c{\\b0}d"),
        ("<c.red>a</c>", "{\\1c&H0000FF&\\1a&H00&}a"),
        ("<c.yellow.bg_blue>a</c>b", "{\\rBox\\1c&H00FFFF&\\1a&H00&\\3c&HFF0000&\\3a&H00&}a{\\r}b"),
        ("<v Mary Ann>a", "a"), ("<v.loud Mary>a</v>b", "ab"), ("<lang en>a</lang>", "a"),
        ("<00:01.000>a<00:02.000>b", "ab"), ("<ruby>a<rt>b</ruby>c", "abc"),
        // End tags that match nothing, tags that do not end, and unknown tags.
        ("a</i>b", "ab"), ("<i>a</b>b", "{\\i1}ab"), ("a<i", "a"), ("a<", "a"), ("<x>a</x>", "a"),
        ("a &amp; b &lt;i&gt;&nbsp;c", "a & b <i>\\hc"), ("{\\an8}", "\\{\\\u{2060}an8\\}"),
        ("", ""), ("<>a<.red>b", "ab"),
    ])
    func `tags become styles`(text: String, expected: String) {
        var markup = WebVTTMarkup()
        #expect(markup.text(of: WebVTTCue(text: text)).markup == expected)
    }

    @Test func `tags that are nested too deeply have no effect`() {
        var markup = WebVTTMarkup()
        let deep = String(repeating: "<i>", count: 100_000) + "a"
        #expect(markup.text(of: WebVTTCue(text: deep)).markup == "{\\i1}a")
    }

    @Test(
        arguments: [
            ("#f80", 0xFF8800, 255), ("#ff880080", 0xFF8800, 128), ("#F808", 0xFF8800, 136),
            ("rgb(255, 136, 0)", 0xFF8800, 255), ("rgba(255,136,0,0.5)", 0xFF8800, 128),
            ("rgb(100% 0% 50%)", 0xFF0080, 255), ("Yellow", 0xFFFF00, 255), ("transparent", 0, 0),
            ("rgb(999,-5,0)", 0xFF0000, 255),
        ] as [(String, UInt32, UInt8)])
    func `colours are parsed`(text: String, rgb: UInt32, opacity: UInt8) {
        let color = ColorText.color(text[...], in: .css)
        #expect(color == CaptionStyle.Color(rgb, opacity: opacity))
    }

    @Test(arguments: [
        "", "#", "#12", "#12345", "#gggggg", "rgb()", "rgb(1,2)", "rgb(nan,1,1)", "rgb(1,2,3",
        "rgba(1,2,3,4,5)", "rgb(inf,1,1)", "nocolor",
    ])
    func `other texts are no colours`(text: String) {
        #expect(ColorText.color(text[...], in: .css) == nil)
    }

    @Test func `the alpha of TTML is a number up to 255`() {
        let color = ColorText.color("rgba(0,255,0,128)", in: .ttml)
        #expect(color == CaptionStyle.Color(0x00FF00, opacity: 128))
    }
}
