// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PlayheadFFmpeg

@Suite struct TextTests {
    @Test(arguments: [
        "", "f", "fo", "foo", "foob", "fooba", "foobar", "Ünï:cödé", "a:b\u{0}\u{7f}",
    ])
    func `base 64 is as Foundation's`(text: String) {
        #expect(Base64.encoded(Array(text.utf8)) == Data(text.utf8).base64EncodedString())
    }

    @Test func `texts are found in texts`() {
        let text = "aab://c"
        #expect(text.firstRange(ofText: "ab").map { text[..<$0.lowerBound] } == "a")
        #expect(text.firstRange(ofText: "://").map { text[$0.upperBound...] } == "c")
        #expect(text.contains(text: text) && text.contains(text: "c"))
        #expect(!text.contains(text: "aab://cc") && !text.contains(text: "ac"))
        #expect(!"".contains(text: "a"))
    }
}
