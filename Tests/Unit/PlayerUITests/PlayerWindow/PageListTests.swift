// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadPlayerUI

@Suite struct PageListTests {
    private static func list(_ count: Int, current: Set<Int>) -> PageList {
        PageList(
            title: "Films",
            rows: (0..<count).map { PageList.Row(text: "\($0)", isCurrent: current.contains($0)) })
    }

    @Test(
        arguments: [
            (3, [1], 3, [0, 1, 2]), (9, [4], 3, [3, 4, 5]), (9, [0], 3, [0, 1, 2]),
            (9, [8], 3, [6, 7, 8]), (9, [], 3, [0, 1, 2]), (9, [0, 7], 4, [0, 1, 6, 7]),
            (9, [5], 1, [5]),
        ] as [(Int, Set<Int>, Int, [Int])])
    func `the current entry and its neighbours are shown first`(
        count: Int, current: Set<Int>, room: Int, expected: [Int]
    ) {
        let rows = Self.list(count, current: current).rows(atMost: room)
        #expect(rows.map(\.text) == expected.map { "\($0)" })
        #expect(rows.filter(\.isCurrent).count == current.count)
    }

    @Test func `as text what is played is marked`() {
        #expect(Self.list(2, current: [1]).text == "\u{2003} 0\n▶ 1")
    }
}
