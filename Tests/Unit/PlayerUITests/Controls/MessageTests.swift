// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadPlayerUI

@Suite struct MessageTests {
    @MainActor
    @Test(
        arguments: [
            ("/films/of/the/last/winter/dog.mp4: not found", 20, "…/dog.mp4: not found"),
            ("/films/of/the/last/winter/dog.mp4: not found", 40, nil),
            ("Screenshot: /tmp/a.png", 5, nil), ("and/or either/or", 3, nil),
            ("averylongwordwithoutanythingtobreakitat", 10, nil),
        ] as [(String, Int, String?)])
    func `a path that is wider than a line is shortened to its name`(
        text: String, room: Int, expected: String?
    ) {
        #expect(PanelLayers.shortened(text) { $0.count <= room } == expected ?? text)
    }
}
