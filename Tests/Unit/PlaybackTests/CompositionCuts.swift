// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCompositions
import PlayheadTime

@testable import PlayheadPlayback

/// A composition of cuts of synthetic videos at 25 frames per second, with the numbers that it
/// shows and plays.
struct CompositionCuts {
    let composition = MutableComposition()
    /// The number in each frame, at multiples of 1/25 s.
    private(set) var numbers: [Int] = []
    /// The samples of the left channel, at 48 kHz.
    private(set) var samples: [Float] = []

    struct Cut {
        var start: Int
        var count: Int
    }

    /// Cuts in no order, some of a single frame. No cut begins with the number that the one before
    /// ends with.
    static let usual: [Cut] = [
        Cut(start: 60, count: 9), Cut(start: 20, count: 12), Cut(start: 44, count: 7),
        Cut(start: 5, count: 1), Cut(start: 6, count: 1), Cut(start: 80, count: 13),
        Cut(start: 11, count: 14),
    ]

    static let samplesPerFrame = 1920

    static func at(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: 25) }

    /// Returns a video of 100 frames, whose frames and samples are their own numbers.
    static func film(keyframeInterval: Int, bidirectionalFrames: Int, hasSound: Bool = true)
        -> SyntheticMedia
    {
        let times = SyntheticFrameTimes(frameDuration: at(1), count: 100)
        var media = SyntheticMedia(
            frameTimes: times,
            sounds: hasSound ? [SyntheticSound(.sampleNumbers, duration: times.end)] : [])
        (media.width, media.height) = (256, 32)
        media.keyframeInterval = keyframeInterval
        media.bidirectionalFrames = bidirectionalFrames
        return media
    }

    init(_ cuts: [Cut] = usual, hasSound: Bool = true) throws {
        let films = try [(12, 2), (5, 0), (30, 4)].map { interval, bidirectional in
            let asset = SyntheticAsset(
                Self.film(
                    keyframeInterval: interval, bidirectionalFrames: bidirectional,
                    hasSound: hasSound))
            return (asset, try AssetReader(asset: asset).description)
        }
        for (index, cut) in cuts.enumerated() {
            let (asset, description) = films[index % films.count]
            try composition.insertTimeRange(
                MediaTimeRange(start: Self.at(cut.start), duration: Self.at(cut.count)), of: asset,
                describedBy: description, at: .invalid)
            numbers += cut.start..<(cut.start + cut.count)
            let first = cut.start * Self.samplesPerFrame
            samples += (first..<(first + cut.count * Self.samplesPerFrame)).map {
                Float($0) / Float(1 << 22)
            }
        }
    }

    /// Returns an item that plays what the composition contains now.
    func makeItem() -> PlayerItem { PlayerItem(asset: composition.makeAsset()) }
}
