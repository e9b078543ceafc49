// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import Testing

/// Players and items of programs that name neither a decoder nor an audio device.
@Suite struct DefaultWiringTests {
    private let url = Checkout.root.appendingPathComponent("Media/greenscreen.mp4")

    @Test
    func `an item of a URL is read by FFmpeg, and its player has an audio device`() async throws {
        let item = PlayerItem(url: url)
        let player = Player(playerItem: item)
        #expect(player.currentItem === item)
        #expect(player.audioSinkStatus != nil)
        try await item.waitUntilReady()
        #expect(item.duration == MediaTime(value: 10, timescale: 1))
        #expect(player.currentTime == .zero)
    }

    @Test func `players may be made before there is anything to play`() {
        #expect(Player().audioSinkStatus != nil)
        let queue = QueuePlayer()
        #expect(queue.audioSinkStatus != nil && queue.actionAtItemEnd == .advance)
        #expect(queue.currentTime == .zero)
        let items = [PlayerItem(url: url), PlayerItem(url: url)]
        let queued = QueuePlayer(items: items).items
        #expect(queued.map(ObjectIdentifier.init) == items.map(ObjectIdentifier.init))
    }
}
