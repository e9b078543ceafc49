// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI

/// Pages as layers, at times chosen by the tests.
@Suite @MainActor struct WindowPagesTests {
    @Test func `a list follows what plays while it is seen`() {
        let pages = WindowPages()
        var list = PageList(title: "Tracks", rows: [PageList.Row(text: "none")])
        var looks = 0
        /// Returns the number of layers at a time in tenths of a second.
        func count(at tenths: Int64) -> Int {
            let sources = WindowPages.Sources(
                statistics: { _ in StatisticsPage(title: "", footer: "") },
                graph: { preconditionFailure("no page of frames is seen") },
                bindings: .standard, playlist: { list },
                tracks: {
                    looks += 1
                    return list
                })
            return pages.layers(
                for: sources, notice: nil, width: 640, height: 360, above: 360, scale: 1,
                at: MediaTime(value: tenths, timescale: 10)
            ).count
        }
        #expect(count(at: 0) == 0)
        pages.toggle(.tracks)
        let few = count(at: 10)
        #expect(few > 0)
        list.rows.append(PageList.Row(text: "video 1", isCurrent: true))
        // It is updated four times a second without a visible change.
        #expect(count(at: 11) == few)
        #expect(pages.nextChange == MediaTime(value: 125, timescale: 100))
        #expect(count(at: 13) > few)
        #expect(looks == 2)
        pages.toggle(.tracks)
        #expect(count(at: 14) == 0)
    }
}
