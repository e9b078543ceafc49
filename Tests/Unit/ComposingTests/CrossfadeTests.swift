// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadEditing
import PlayheadTime
import PlayheadTimelines
import Testing

/// Audio of two tracks that is heard as one, with crossfades.
struct CrossfadeTests {
    private static let format = AudioFormat(
        sampleRate: 48_000, channels: [.frontLeft, .frontRight])

    private static func time(_ value: Int64) -> MediaTime {
        MediaTime(value: value, timescale: 10)
    }

    private static func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: time(start), end: time(end))
    }

    /// Three clips, whose neighbours overlap.
    private struct Clips {
        let composition = MutableComposition()
        let crossfade: AudioCrossfade

        init() throws {
            let asset = SyntheticAsset(
                SyntheticMedia(
                    frameTimes: nil,
                    sounds: [SyntheticSound(duration: MediaTime(value: 8, timescale: 1))]))
            let source = try AssetReader(asset: asset).description.tracks[0]
            var ids: [Int] = []
            for clips in [[(0, 0, 12), (20, 35, 50)], [(7, 50, 73)]] as [[(Int64, Int64, Int64)]] {
                let track = try composition.addMutableTrack(withMediaType: .audio)
                ids.append(track.trackID)
                for (place, start, end) in clips {
                    try track.insertTimeRange(
                        range(start, end), of: source, in: asset, at: time(place))
                }
            }
            crossfade = AudioCrossfade(
                trackIDs: ids, timeRanges: [range(7, 12), range(20, 30)])
        }
    }

    /// Returns the left samples of a track from a time on, by index from the start of the asset.
    private func samples(
        _ asset: Asset, _ id: Int, from time: MediaTime = .zero
    ) throws -> [Int64: Float] {
        let output = try AssetReader(
            asset: asset, timeRange: MediaTimeRange(start: time, duration: .positiveInfinity)
        ).addAudioOutput(trackID: id, format: Self.format)
        var samples: [Int64: Float] = [:]
        while let buffer = try output.copyNextSampleBuffer() {
            let first = buffer.presentationTime.converted(toTimescale: 48_000).value
            buffer.withSamples { values in
                for index in 0..<buffer.frameCount {
                    samples[first + Int64(index)] = values[index * 2]
                }
            }
        }
        return samples
    }

    @Test func `each sample is the sum of both tracks with the volumes of the crossfade`() throws {
        let clips = try Clips()
        let whole = clips.composition.makeAsset()
        let ids = clips.crossfade.trackIDs
        let parts = try ids.map { try samples(whole, $0) }
        let mixed = whole.withTransitions(nil, crossfades: [clips.crossfade])
        let description = try AssetReader(asset: mixed).description
        #expect(description.tracks.map(\.id) == [ids[0]])
        let found = try samples(mixed, ids[0])
        #expect(found.count == 35 * 4800)
        /// The volume of the first track.
        func volume(_ index: Int64) -> Double {
            let seconds = Double(index) / 48_000
            if seconds < 0.7 { return 1 }
            if seconds < 1.2 { return 1 - (seconds - 0.7) / 0.5 }
            if seconds < 2 { return 0 }
            return seconds < 3 ? seconds - 2 : 1
        }
        var worst = 0.0
        for index in Int64(0)..<(35 * 4800) {
            let first = Double(parts[0][index] ?? 0) * volume(index)
            let second = Double(parts[1][index] ?? 0) * (1 - volume(index))
            worst = max(worst, abs(Double(found[index] ?? 9) - first - second))
        }
        #expect(worst < 1e-5)
    }

    @Test(arguments: [1, 33_601, 40_000, 96_000, 120_001] as [Int64])
    func `reading from a time gives the samples of reading from the start`(index: Int64) throws {
        let clips = try Clips()
        let mixed = clips.composition.makeAsset().withTransitions(
            nil, crossfades: [clips.crossfade])
        let id = clips.crossfade.trackIDs[0]
        let all = try samples(mixed, id)
        let some = try samples(mixed, id, from: MediaTime(value: index, timescale: 48_000))
        #expect(some.keys.min() == index)
        #expect(some.count == 35 * 4800 - Int(index))
        let worst = some.map { abs($0.value - (all[$0.key] ?? 9)) }.max()
        #expect(try #require(worst) < 1e-5)
    }

    @Test func `a track without a clip leaves the other one`() throws {
        let clips = try Clips()
        let empty = try clips.composition.addMutableTrack(withMediaType: .audio)
        var crossfade = clips.crossfade
        crossfade.trackIDs[1] = empty.trackID
        let mixed = clips.composition.makeAsset().withTransitions(nil, crossfades: [crossfade])
        let tracks = try AssetReader(asset: mixed).description.tracks
        #expect(tracks.map(\.id) == [clips.crossfade.trackIDs[0], clips.crossfade.trackIDs[1]])
        #expect(try samples(mixed, crossfade.trackIDs[0])[96_001] != nil)
    }
}
