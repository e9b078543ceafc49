// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Audio that is decoded in reverse is the reversal of audio that is decoded in a row.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ReversedAudioFileTests {
    /// Codecs from which decoding in the middle gives the same bits: names and arguments of ffmpeg.
    static let clips = [
        "pcm.wav: -c:a pcm_s16le", "pcm.mkv: -c:a pcm_s16le", "flac.flac: -c:a flac",
        "flac.ogg: -c:a flac", "aac.m4a: -c:a aac -aac_pns 0", "aac.mkv: -c:a aac -aac_pns 0",
        "aac.ts: -c:a aac -aac_pns 0", "mp3.mp3: -c:a libmp3lame", "vorbis.ogg: -c:a libvorbis",
    ]

    private static let rate = 44_100

    @Test(arguments: clips)
    func `audio in reverse is the reversal of decoding in a row`(_ clip: String) throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let words = clip.split(separator: " ").map(String.init)
        let file = folder.appending(String(words[0].dropLast()))
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "aevalsrc=0.3*sin(880*t+3*sin(t))+0.1*random(0)|0.3*sin(1300*t*t):"
                    + "s=\(Self.rate):d=6.7",
            ] + words.dropFirst() + ["-fflags", "+bitexact", file.path])
        let asset = URLAsset(url: file)
        let (first, whole) = try decode(asset)
        let count = whole.count / 2
        try #require(count > 6 * Self.rate)

        let reader = try reader(asset)
        var random = SplitMix64(seed: 5)
        let end = first + count
        let starts = [end] + (0..<4).map { _ in Int.random(in: first..<end, using: &random) }
        for start in starts {
            let time = MediaTime(value: Int64(start), timescale: Int32(Self.rate))
            reader.begin(at: time)
            var heard: [Float] = []
            while let buffer = reader.next(heardAt: time) { heard += buffer.withSamples { $0 } }
            let expected = (0..<(start - first)).reversed().flatMap { frame in
                whole[(2 * frame)..<(2 * frame + 2)]
            }
            #expect(heard.count >= expected.count)
            guard heard.prefix(expected.count) != expected[...] else { continue }
            let place = zip(heard, expected).enumerated().first { $0.element.0 != $0.element.1 }
            let frame = place.map { "\($0.offset / 2)" } ?? "the end"
            Issue.record("\(clip) from \(start): different at \(frame)")
        }
    }

    /// Returns all samples that are played, and the number of the first frame, counted from time 0.
    /// Newer versions of ffmpeg write the encoder's delay before time 0.
    private func decode(_ asset: URLAsset) throws -> (first: Int, samples: [Float]) {
        let output = try AssetReader(asset: asset)
            .addAudioOutput(format: .stereo(sampleRate: Self.rate))
        var first: Int?
        var samples: [Float] = []
        while let buffer = try output.copyNextSampleBuffer() {
            let place = buffer.presentationTime.converted(toTimescale: Int32(Self.rate)).value
            first = first ?? Int(place)
            samples += buffer.withSamples { $0 }
        }
        let early = max(0, -(first ?? 0))
        return (max(0, first ?? 0), Array(samples.dropFirst(2 * early)))
    }

    private func reader(_ asset: URLAsset) throws -> ReversedAudioReader {
        let reader = try AssetReader(asset: asset)
        let track = try #require(reader.description.tracks(of: .audio).first)
        return try ReversedAudioReader(
            reader, trackID: track.id, format: .stereo(sampleRate: Self.rate),
            report: { _ in }, isOver: { false })
    }
}
