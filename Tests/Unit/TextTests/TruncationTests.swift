// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadText

@Suite struct TruncationTests {
    @Test(arguments: [
        ("Chapter one", 11, "Chapter one"), ("Chapter one", 10, "Chapter o…"),
        // No space before the ellipsis.
        ("Chapter one", 9, "Chapter…"), ("Chapter one", 8, "Chapter…"),
        ("Chapter one", 7, "Chapte…"),
        ("Chapter one", 1, "…"), ("Chapter one", 0, "…"), ("", 0, ""), ("a", 0, "…"),
    ])
    func `the longest beginning that fits is kept`(text: String, room: Int, expected: String) {
        #expect(text.truncated { $0.count <= room } == expected)
    }
}
