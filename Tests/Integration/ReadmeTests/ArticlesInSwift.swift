// SPDX-License-Identifier: Apache-2.0

import Playhead

// The code of the articles in Sources/Playhead/Playhead.docc, sorted by their names; a test
// compares the two.

private struct Articles {
    // document begins
    func play(_ path: String) async throws -> Player {
        let player = Player(asset: URLAsset(path))
        player.play()
        if let item = player.currentItem {
            try await item.waitUntilReady()
            print("\(item.duration.seconds) s, \(item.tracks.count) tracks")
        }
        return player
    }
    // document ends

    // document begins
    func scene(of output: PlayerItemVideoOutput, grade: EffectInstance) -> Scene {
        let whole = Layer(.video(output), gravity: .resizeAspect, effects: [grade])
        var loupe = Layer(
            .video(output), frame: .fraction(LayerRect(x: 0.7, y: 0.05, width: 0.25, height: 0.25)),
            contentsRect: LayerRect(x: 0.4, y: 0.4, width: 0.1, height: 0.1))
        loupe.cornerRadius = 12
        return Scene(layers: [whole, loupe])
    }
    // document ends

    // document begins
    func frame(of output: PlayerItemVideoOutput, at tick: DisplayTick) -> PixelBuffer? {
        let time = output.itemTime(forHostTime: tick.targetTimestamp)
        guard output.hasNewPixelBuffer(forItemTime: time) else { return nil }
        return output.copyPixelBuffer(forItemTime: time)?.0
    }
    // document ends

    // document begins
    func showFrame(_ number: Int64, of item: PlayerItem) async -> Bool {
        let time = MediaTime(value: number, timescale: 25)
        return await item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
    // document ends

    // document begins
    func goLive(_ item: PlayerItem) {
        item.seek(to: .positiveInfinity, completion: nil)
    }
    // document ends
}
