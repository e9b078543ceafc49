// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadEditing
import Testing

/// Compositions from the view of a program that imports only this product.
@Suite struct EditingProductTests {
    private let url = Checkout.root.appendingPathComponent("Media/greenscreen.mp4")

    private func range(_ start: Int64, _ duration: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: start, timescale: 10),
            duration: MediaTime(value: duration, timescale: 10))
    }

    @Test func `a cut of a file is an asset that can be read and played`() async throws {
        let film = URLAsset(url: url)
        let composition = MutableComposition()
        try await composition.insertTimeRange(range(5, 10), of: film, at: .invalid)
        try await composition.insertTimeRange(range(80, 5), of: film, at: .zero)
        let asset = composition.copy().makeAsset()
        #expect(try await asset.load(.duration) == MediaTime(value: 15, timescale: 10))

        let generator = ImageGenerator(asset: asset, options: .exact)
        let fileGenerator = ImageGenerator(asset: film, options: .exact)
        // The last half second, then one second from 0.5 s on.
        for (time, source) in [(4, 84), (5, 5)] as [(Int64, Int64)] {
            let cut = try await generator.image(at: MediaTime(value: time, timescale: 10))
            let whole = try await fileGenerator.image(at: MediaTime(value: source, timescale: 10))
            #expect(cut.image == whole.image, "\(time)/10 s")
        }

        let item = PlayerItem(asset: asset)
        let player = Player(playerItem: item)
        #expect(player.currentItem === item)
        try await item.waitUntilReady()
        #expect(item.duration == MediaTime(value: 15, timescale: 10))
    }
}
