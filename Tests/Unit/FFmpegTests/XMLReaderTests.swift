// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// XML as far as an MPD needs it.
@Suite struct XMLReaderTests {
    private static func read(_ text: String) throws(MediaError) -> XMLElement {
        try XMLReader.read(Array(text.utf8), subject: "list.mpd")
    }

    private static func failure(_ text: String) -> MediaError? {
        do throws(MediaError) {
            _ = try read(text)
            return nil
        } catch {
            #expect(error.subject == "list.mpd" && !error.remedy.isEmpty)
            #expect(!error.description.contains("\n"))
            return error
        }
    }

    @Test func `elements, attributes and text are read`() throws {
        let root = try Self.read(
            """
            \u{FEFF}<?xml version="1.0"?><!-- a <b> -->
            <m:MPD type = 'static' xmlns:m="urn:x" a:b="1">
              <Period/> <Period id="2 &gt; 1 &amp;&#65;&#x42;"> text <![CDATA[<&x;>]]></Period>
            </m:MPD>
            <!-- end -->
            """)
        #expect(root.name == "MPD")
        #expect(root["type"] == "static")
        #expect(root["a:b"] == "1")
        #expect(root["b"] == nil)
        let periods = root.children(named: "Period")
        #expect(periods.count == 2)
        #expect(periods[1]["id"] == "2 > 1 &AB")
        #expect(periods[1].text == "text<&x;>")
    }

    @Test(arguments: [
        "", " ", "text", "<", "<a", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a b/>", "<a b=1/>",
        "<a b='1/>", "<a>&x;</a>", "<a>&", "<a b='&#0;'/>", "<a b='&#xFFFFFFFFF;'/>", "<!-- a",
        "<?xml", "<a><![CDATA[ </a>", "<a></a>b", "<1>", "\u{0}", "<a\u{0}/>",
    ])
    func `malformed documents are refused`(_ text: String) {
        #expect(Self.failure(text)?.code == .damaged)
    }

    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<a><!ENTITY x 'y'></a>", "<!ELEMENT a ANY><a/>",
    ])
    func `a document type is refused, and not read`(_ text: String) {
        let error = Self.failure(text)
        #expect(error?.code == .notAllowed)
        #expect(error?.cause.contains("DTD") == true)
    }

    @Test func `depth and the number of elements are limited`() {
        let deep = String(repeating: "<a>", count: 1000)
        #expect(Self.failure(deep)?.code == .limitExceeded)
        let wide = "<a>" + String(repeating: "<b/>", count: XMLReader.maximumElements) + "</a>"
        #expect(Self.failure(wide)?.code == .limitExceeded)
        let attributes = (0...XMLReader.maximumAttributes).map { " a\($0)='1'" }.joined()
        #expect(Self.failure("<a\(attributes)/>")?.code == .limitExceeded)
        let comment = "<a><!--" + String(repeating: "->", count: 1 << 20) + "--></a>"
        #expect(Self.failure(comment) == nil)
        let attribute = "<a b='\(String(repeating: "x", count: 1 << 20))'/>"
        #expect(Self.failure(attribute) == nil)
    }

    @Test func `UTF-16 is refused`() {
        #expect(throws: MediaError.self) {
            try XMLReader.read([0xFF, 0xFE, 0x3C, 0], subject: "list.mpd")
        }
    }

    @Test(
        arguments: [
            ("PT0S", 0), ("PT1.5S", 1_500_000), ("PT1H2M3S", 3_723_000_000),
            ("P1D", 86_400_000_000),
            ("-PT1S", -1_000_000), ("PT4.0S", 4_000_000), ("P1DT1M", 86_460_000_000),
            ("", nil), ("P", nil), ("1", nil), ("PT1", nil), ("P1S", nil), ("PT1X", nil),
            ("PT99999999999999H", nil), ("PTTS", nil), ("PT1e3S", nil),
        ] as [(String, Int64?)])
    func `durations are read as XML Schema defines them`(_ text: String, _ value: Int64?) {
        #expect(ISODuration.microseconds(text) == value)
    }

    @Test func `dates are written and read`() {
        for date in [0, 1_795_763_957_123_000, -1_000_000, 951_782_400_000_000] as [Int64] {
            #expect(UTCDate.microseconds(UTCDate.text(date)) == date)
        }
        #expect(UTCDate.text(951_782_400_000_000) == "2000-02-29T00:00:00.000Z")
        #expect(
            UTCDate.microseconds("Fri, 27 Nov 2026 07:19:17 GMT")
                == UTCDate.microseconds("2026-11-27T07:19:17Z"))
    }
}
