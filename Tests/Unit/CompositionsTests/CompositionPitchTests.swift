// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadCompositions
import PlayheadStretching
import PlayheadTime
import Testing

/// Scaled audio keeps its pitch, unless its track asks for `varispeed`, and has exactly as many
/// samples as its segment.
@Suite struct CompositionPitchTests {
    private static let rate = 48_000
    private static let tone = 440.0

    private static func seconds(_ value: Int64, over timescale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    private static func range(from start: Int64, to end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: seconds(start), end: seconds(end))
    }

    private struct Source {
        let asset: SyntheticAsset
        let track: AssetTrack

        init(_ signal: SyntheticSound.Signal) throws {
            var media = SyntheticMedia()
            media.sounds = [SyntheticSound(signal, duration: seconds(8))]
            asset = SyntheticAsset(media)
            track = try AssetReader(asset: asset).description.tracks(of: .audio)[0]
        }
    }

    /// Returns the first channel of the composition's audio, and checks that each sample is there
    /// once.
    private func samples(
        _ composition: Composition, in range: MediaTimeRange? = nil
    ) throws -> (first: Int, samples: [Float]) {
        let reader = try AssetReader(asset: composition.makeAsset(), timeRange: range)
        let output = try reader.addAudioOutput(format: .stereo(sampleRate: Self.rate))
        var result: [Float] = []
        var first: Int?
        while let buffer = try output.copyNextSampleBuffer() {
            let place = Int(buffer.presentationTime.converted(toTimescale: Int32(Self.rate)).value)
            let start = first ?? place
            first = start
            #expect(place == start + result.count)
            buffer.withSamples { samples in
                for frame in 0..<buffer.frameCount { result.append(samples[frame * 2]) }
            }
        }
        return (first ?? 0, result)
    }

    private func frequency(_ samples: ArraySlice<Float>) -> Double {
        let rises = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
        guard let first = rises.first, let last = rises.last, last > first else { return 0 }
        return Double(rises.count - 1) * Double(Self.rate) / Double(last - first)
    }

    /// The largest step of the tone between two samples, with a tolerance for cross-fades.
    private static let largestStep = Float(0.5 * 2 * .pi * tone / Double(rate) * 1.3)

    private func largestStep(_ samples: [Float]) -> Float {
        zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    }

    @Test(arguments: [
        MediaTime(value: 4, timescale: 1), MediaTime(value: 8, timescale: 1),
        MediaTime(value: 1, timescale: 1), MediaTime(value: 1, timescale: 2),
        MediaTime(value: 4, timescale: 3), MediaTime(value: 1111, timescale: 600),
    ])
    func `scaled audio keeps its pitch and its level, and has the samples of its segment`(
        duration: MediaTime
    ) throws {
        let source = try Source(.tone(Self.tone))
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            Self.range(from: 1, to: 3), of: source.track, in: source.asset, at: .zero)
        try track.scaleTimeRange(Self.range(from: 0, to: 2), toDuration: duration)
        try track.insertTimeRange(
            Self.range(from: 3, to: 4), of: source.track, in: source.asset, at: .invalid)
        let (first, samples) = try samples(composition)
        let joint = Int(duration.converted(toTimescale: Int32(Self.rate)).value)
        #expect(first == 0)
        #expect(samples.count == joint + Self.rate)
        #expect(abs(frequency(samples[..<joint]) - Self.tone) < 2.2)
        let power = samples[..<joint].reduce(0) { $0 + $1 * $1 } / Float(joint)
        #expect(abs(power - 0.125) < 0.006)
        // The source continues after the segment, and is heard without a click.
        #expect(largestStep(samples) < Self.largestStep)
    }

    @Test(arguments: [MediaTime(value: 4, timescale: 1), MediaTime(value: 1, timescale: 1)])
    func `with varispeed the pitch follows the speed`(duration: MediaTime) throws {
        let source = try Source(.tone(Self.tone))
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        #expect(track.audioTimePitchAlgorithm == .timeDomain)
        try track.setAudioTimePitchAlgorithm(.varispeed)
        #expect(track.audioTimePitchAlgorithm == .varispeed)
        try track.insertTimeRange(
            Self.range(from: 1, to: 3), of: source.track, in: source.asset, at: .zero)
        try track.scaleTimeRange(Self.range(from: 0, to: 2), toDuration: duration)
        let samples = try samples(composition).samples
        #expect(samples.count == Int(duration.converted(toTimescale: Int32(Self.rate)).value))
        let expected = Self.tone * 2 / duration.seconds
        #expect(abs(frequency(samples[...]) - expected) < expected / 200)
    }

    @Test func `a scaled segment that is cut in two plays on without a click`() throws {
        let source = try Source(.tone(Self.tone))
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            Self.range(from: 0, to: 4), of: source.track, in: source.asset, at: .zero)
        try track.scaleTimeRange(Self.range(from: 0, to: 4), toDuration: Self.seconds(6))
        try track.insertEmptyTimeRange(Self.range(from: 3, to: 4))
        try track.removeTimeRange(Self.range(from: 3, to: 4))
        #expect(track.segments.count == 2)
        let (_, samples) = try samples(composition)
        #expect(samples.count == 6 * Self.rate)
        #expect(largestStep(samples) < Self.largestStep)
    }

    @Test(arguments: [6, 2] as [Int64])
    func `ticks of a scaled segment are heard when they are due`(duration: Int64) throws {
        let source = try Source(.ticks)
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            Self.range(from: 0, to: 4), of: source.track, in: source.asset, at: .zero)
        try track.scaleTimeRange(
            Self.range(from: 0, to: 4), toDuration: Self.seconds(duration))
        let samples = try samples(composition).samples
        #expect(samples.count == Int(duration) * Self.rate)
        var heard: [Int] = []
        for (place, sample) in samples.enumerated() where abs(sample) > 0.1 {
            if place - (heard.last ?? -Self.rate) > Self.rate / 8 { heard.append(place) }
        }
        let due = (0..<4).map { $0 * Int(duration) * Self.rate / 4 }
        #expect(heard.count == due.count)
        for (heard, due) in zip(heard, due) { #expect(abs(heard - due) < Self.rate / 1000) }
    }

    @Test func `reading from the middle of a scaled segment begins there, at the same pitch`()
        throws
    {
        let source = try Source(.tone(Self.tone))
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            Self.range(from: 0, to: 4), of: source.track, in: source.asset, at: .zero)
        try track.scaleTimeRange(Self.range(from: 0, to: 4), toDuration: Self.seconds(8))
        let (first, samples) = try samples(composition, in: Self.range(from: 3, to: 5))
        #expect(first == 3 * Self.rate)
        #expect(samples.count == 2 * Self.rate)
        #expect(abs(frequency(samples[...]) - Self.tone) < 2.2)
        #expect(largestStep(samples) < Self.largestStep)
    }

    @Test func `a copy of a track has its algorithm`() throws {
        let source = try Source(.tone(Self.tone))
        let composition = MutableComposition()
        let track = try composition.addMutableTrack(withMediaType: .audio)
        try track.insertTimeRange(
            Self.range(from: 0, to: 4), of: source.track, in: source.asset, at: .zero)
        try track.setAudioTimePitchAlgorithm(.varispeed)
        let other = MutableComposition()
        try other.insertTimeRange(Self.range(from: 0, to: 4), of: composition, at: .zero)
        #expect(other.tracks.map(\.audioTimePitchAlgorithm) == [.varispeed])
    }
}
