// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

@Suite @MainActor struct PageNoticeTests {
    @Test func `the text does not move while its dots change`() throws {
        let places = try (0..<4).map { step in
            let notice = PageNotice.buffering(
                loadedSeconds: 4.62, at: MediaTime(value: Int64(step) * 2 + 1, timescale: 6))
            #expect(notice.text.hasSuffix("\n4.6 s"))
            #expect(notice.text.count { $0 == "." } == step + 1)
            var painter = PagePainter(width: 640, height: 360, scale: 1)
            painter.paintNotice(notice)
            guard case .pixels(let panel)? = painter.layers.first?.frame,
                case .pixels(let words)? = painter.layers.last?.frame
            else { throw Nowhere() }
            return [panel.x, panel.y, panel.width, panel.height, words.x, words.y]
        }
        #expect(Set(places).count == 1)
    }

    private struct Nowhere: Error {}
}
