// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@Suite struct TextSearchTests {
    @Test func `texts are found in texts`() {
        let text = "aab://c"
        #expect(text.firstRange(ofText: "ab").map { text[..<$0.lowerBound] } == "a")
        #expect(text.firstRange(ofText: "://").map { text[$0.upperBound...] } == "c")
        #expect(text.contains(text: text) && text.contains(text: "c"))
        #expect(!text.contains(text: "aab://cc") && !text.contains(text: "ac"))
        #expect(!"".contains(text: "a"))
    }
}
