// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// The clients of an item's timed metadata, on several threads.
@Suite struct MetadataTapTests {
    @Test func `a tap is added and removed while the timeline calls it`() {
        let item = PlayerItem(asset: SyntheticAsset(.silent()))
        let timebase = item.pipeline.timebase
        let isOver = Monitor(false)
        let turning = WorkerThread(name: "test-rate") {
            while !isOver.withLock({ $0 }) {
                timebase.rate = 1
                timebase.rate = 0
                timebase.waitForNotifications()
            }
        }
        let tap = MetadataTap(.init(groups: { _ in }, flush: {}))
        for _ in 0..<2000 {
            item.add(tap, owner: tap)
            item.remove(tap)
        }
        isOver.change { $0 = true }
        turning.join()
        #expect(item.pipeline.metadata.clients.isEmpty)
        #expect(!item.pipeline.metadata.inbox.isWanted)
    }

    @Test func `a tap belongs to the last item to which it was added, and has no older dates`() {
        let items = (0..<2).map { _ in PlayerItem(asset: SyntheticAsset(.silent())) }
        let (first, second) = (items[0].pipeline.metadata, items[1].pipeline.metadata)
        let heard = Monitor<[DateRangeCollection.Change]>([])
        let tap = MetadataTap(.init(dateRanges: { change in heard.change { $0.append(change) } }))
        func range(_ name: String) -> DateRange {
            DateRange(identifier: name, classifyingLabel: nil, start: 0, end: nil, items: [])
        }
        func names() -> [[String]] {
            heard.change { heard in
                defer { heard = [] }
                return heard.map { $0.ranges.map(\.identifier) }
            }
        }
        items[0].add(tap, owner: tap)
        first.inbox.set([range("a")])
        first.takeNews(at: .zero)
        #expect(names() == [["a"]])
        items[1].add(tap, owner: tap)
        #expect(!first.inbox.wantsDateRanges && second.inbox.wantsDateRanges)
        #expect(names() == [[]])
        tap.take([range("b")], number: 7, of: first)
        #expect(names() == [])
        tap.take([range("c")], number: 2, of: second)
        tap.take([range("d")], number: 1, of: second)
        #expect(names() == [["c"]])
        items[1].remove(tap)
        tap.take([range("e")], number: 3, of: second)
        #expect(names() == [])
    }
}
