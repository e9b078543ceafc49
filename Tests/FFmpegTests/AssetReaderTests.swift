// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// A picture got by its time is the picture that reading from the start finds there, bit for bit.
@Suite(.enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)))
struct AssetReaderTests {
    static let films =
        CorpusLawTests.isFull
        ? CorpusLawTests.films.filter { !CorpusLawTests.refused.contains($0.format ?? "") }
            .map(\.path)
        : [
            "made-here/media/vfr_h264.mp4", "made-here/media/ts_wrap33bit.ts",
            "made-here/media/vp9_alpha_ramp.webm", "made-here/media/one_frame.mp4",
            "torchcodec/test/resources/nasa_13013.mp4",
            "torchcodec/test/resources/testsrc2_mpeg4.avi",
            "imageio-binaries/images/newtonscradle.gif",
            "mathiasbynens-small/png-transparent.png",
        ].filter { Corpus.has($0) }

    private struct Seen: Equatable {
        var time: MediaTime
        var pixels: Int
        init(_ frame: VideoFrame) {
            time = frame.presentationTime
            var hasher = Hasher()
            for (index, plane) in frame.pixelBuffer.planes.enumerated() {
                let step =
                    frame.pixelBuffer.format.components.filter { $0.plane == index }
                    .map(\.step).min() ?? 1
                for row in 0..<plane.height {
                    hasher.combine(
                        bytes: UnsafeRawBufferPointer(
                            start: plane.baseAddress + row * plane.bytesPerRow,
                            count: plane.width * step))
                }
            }
            pixels = hasher.finalize()
        }
    }

    private func all(_ reader: AssetReader) throws -> [(seen: Seen, duration: MediaTime)] {
        var frames: [(seen: Seen, duration: MediaTime)] = []
        while let frame = try reader.nextFrame() { frames.append((Seen(frame), frame.duration)) }
        return frames
    }

    @Test(arguments: films) func aPictureByTimeIsThePictureInOrder(_ film: String) throws {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset))
        guard !frames.isEmpty else { return }
        let reader = try AssetReader(asset: asset)
        // All over the place, forwards and backwards.
        for step in 0..<min(frames.count, CorpusLawTests.isFull ? 4 : 24) {
            let index = (step * 7919 + 3) % frames.count
            let time = frames[index].seen.time
            #expect(Seen(try reader.frame(at: time)) == frames[index].seen, "frame \(index)")
            if index + 1 < frames.count {
                let next = frames[index + 1].seen.time
                let between = time + (next - time).multiplied(by: 1, over: 2)
                #expect(Seen(try reader.frame(at: between)) == frames[index].seen)
                let following = try #require(try reader.nextFrame())
                #expect(Seen(following) == frames[index + 1].seen)
            }
        }
    }

    @Test(arguments: films) func aRangeHoldsThePicturesThatBeginInIt(_ film: String) throws {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset)).map(\.seen)
        let (from, to) = (frames.count / 3, frames.count * 2 / 3)
        guard from < to else { return }
        let range = MediaTimeRange(start: frames[from].time, end: frames[to].time)
        let read = try all(AssetReader(asset: asset, timeRange: range)).map(\.seen)
        #expect(read == Array(frames[from..<to]))
    }

    @Test func afterTheEndThereIsNoPicture() throws {
        let path = try #require(Corpus.url("made-here/media/vfr_h264.mp4")).path
        let reader = try AssetReader(asset: Opening.asset(path))
        let error = #expect(throws: MediaError.self) {
            try reader.frame(at: MediaTime(value: 3600, timescale: 1))
        }
        #expect(error?.code == .noSuchFrame)
        #expect(error?.cause.contains("1:00:00") == true)
        // The reader goes on being usable, and before the start the first picture shows.
        let first = try reader.frame(at: MediaTime(value: -5, timescale: 1))
        #expect(first.presentationTime == reader.description.startTime)
    }

    @Test func aTrackThatIsNotThereIsNamed() throws {
        let path = try #require(Corpus.url("made-here/media/vfr_h264.mp4")).path
        let error = #expect(throws: MediaError.self) {
            try AssetReader(asset: Opening.asset(path), trackID: 7)
        }
        #expect(error?.code == .noPlayableTracks)
        #expect(error?.cause == "it has no video track 7")
    }

    @Test func aFilmWithoutTracksIsNotPlayable() throws {
        let path = try #require(Corpus.url("made-here/media/zero_frames.mp4")).path
        let error = #expect(throws: MediaError.self) {
            try AssetReader(asset: Opening.asset(path))
        }
        #expect(error?.code == .noPlayableTracks)
    }
}
