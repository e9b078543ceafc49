// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// A frame read by its time equals, bit for bit, the frame that reading from the start finds there.
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
            // Frames of higher temporal layers, and times that only some packets have.
            "androidx-media/media/mp4/dolbyVision-hdr.MOV",
            "torchcodec/test/resources/sine_stereo_mp2.mpg",
            "torchcodec/test/resources/testsrc2_mpeg4.avi",
            "imageio-binaries/images/newtonscradle.gif",
            "mathiasbynens-small/png-transparent.png",
        ].filter { Corpus.has($0) }

    private func all(_ reader: AssetReader) throws -> [SeenPicture] {
        let output = try reader.addVideoOutput()
        var frames: [SeenPicture] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(SeenPicture(frame)) }
        return frames
    }

    @Test(arguments: films) func `a frame found by time is the frame in order`(_ film: String)
        throws
    {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset))
        guard !frames.isEmpty else { return }
        let finder = try PictureFinder(asset: asset)
        // At various positions, forwards and backwards.
        for step in 0..<min(frames.count, CorpusLawTests.isFull ? 4 : 24) {
            let index = (step * 7919 + 3) % frames.count
            let time = frames[index].time
            #expect(SeenPicture(try finder.picture(at: time)) == frames[index], "frame \(index)")
            for later in index + 1..<min(index + 3, frames.count) {
                let (this, next) = (frames[later - 1].time, frames[later].time)
                let between = this + (next - this).multiplied(by: 1, over: 2)
                #expect(SeenPicture(try finder.picture(at: between)) == frames[later - 1])
                #expect(SeenPicture(try finder.picture(at: next)) == frames[later])
            }
        }
    }

    @Test(arguments: films) func `frames found in ascending order are those in order`(
        _ film: String
    ) throws {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset))
        for step in [1, 5, 23] {
            let finder = try PictureFinder(asset: asset)
            for index in stride(from: 0, to: frames.count, by: step) {
                #expect(
                    SeenPicture(try finder.picture(at: frames[index].time)) == frames[index],
                    "frame \(index) in steps of \(step)")
            }
        }
    }

    @Test(arguments: films) func `a tolerance returns a frame within it`(
        _ film: String
    ) throws {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset))
        let finder = try PictureFinder(asset: asset)
        let tolerances = [MediaTime(value: 1, timescale: 5), .positiveInfinity]
        for (index, tolerance) in tolerances.enumerated() {
            for place in stride(from: index, to: frames.count, by: 11) {
                let time = frames[place].time
                let found = SeenPicture(try finder.picture(at: time, toleranceBefore: tolerance))
                #expect(found.time <= time && time - found.time <= tolerance)
                #expect(frames.contains(found))
            }
        }
    }

    @Test(arguments: films) func `a range has the frames that begin in it`(_ film: String) throws {
        let asset = Opening.asset(try #require(Corpus.url(film)).path)
        let frames = try all(AssetReader(asset: asset))
        let (from, to) = (frames.count / 3, frames.count * 2 / 3)
        guard from < to else { return }
        let range = MediaTimeRange(start: frames[from].time, end: frames[to].time)
        let read = try all(AssetReader(asset: asset, timeRange: range))
        #expect(read == Array(frames[from..<to]))
    }

    @Test func `there is no frame after the end`() throws {
        let path = try #require(Corpus.url("made-here/media/vfr_h264.mp4")).path
        let finder = try PictureFinder(asset: Opening.asset(path))
        let error = #expect(throws: MediaError.self) {
            try finder.picture(at: MediaTime(value: 3600, timescale: 1))
        }
        #expect(error?.code == .noSuchFrame)
        #expect(error?.cause.contains("1:00:00") == true)
        // The finder remains usable, and before the start it returns the first frame.
        let first = try finder.picture(at: MediaTime(value: -5, timescale: 1))
        #expect(first.presentationTime == finder.description.startTime)
    }

    @Test func `the error for a missing track names it`() throws {
        let path = try #require(Corpus.url("made-here/media/vfr_h264.mp4")).path
        let error = #expect(throws: MediaError.self) {
            try AssetReader(asset: Opening.asset(path)).addVideoOutput(trackID: 7)
        }
        #expect(error?.code == .noPlayableTracks)
        #expect(error?.cause == "it has no video track 7")
    }

    @Test func `a file without tracks is not playable`() throws {
        let path = try #require(Corpus.url("made-here/media/zero_frames.mp4")).path
        let error = #expect(throws: MediaError.self) {
            try AssetReader(asset: Opening.asset(path))
        }
        #expect(error?.code == .noPlayableTracks)
    }
}
