// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The kinds and the formats of tracks, and properties of assets that concern them.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TrackKindTests {
    private let folder = TemporaryFolder()

    /// Returns a synthetic video, rewritten by ffmpeg.
    private func file(_ name: String, _ options: [String]) throws -> String {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 1, timescale: 1)))
        media.height = 240
        let path = folder.appending(name).path
        try Opening.remux(SyntheticClip(media).url().path, options, to: path)
        return path
    }

    private static func tracks(_ path: String) throws -> [AssetTrack] {
        try FFmpegOpener(path: path).openDemuxer(cancellation: Cancellation()).description.tracks
    }

    @Test func `a time code is a kind of its own`() throws {
        let path = try file("code.mov", ["-timecode", "01:00:00:00"])
        #expect(try Self.tracks(path).map(\.mediaType) == [.video, .audio, .timecode])
    }

    @Test func `captions are a kind of their own`() throws {
        let path = folder.appending("captions.m2v").path
        // Characters A and B in the first channel of the first field.
        try CaptionedVideo.writeMPEG2(
            to: URL(filePath: path),
            frames: CaptionedVideo.userData(
                frameCount: 30, first: [(0x94, 0x20), (0x94, 0x20), (0xC1, 0xC2), (0x94, 0x2F)]))
        let tracks = try Self.tracks(path).filter { $0.captions != nil }
        #expect(!tracks.isEmpty)
        #expect(tracks.allSatisfy { $0.mediaType == .closedCaption && $0.mediaType.isLegible })
        #expect(tracks.allSatisfy { $0.characteristics.contains(.legible) })
    }

    @Test func `tracks are found by their identifiers, and the date of a recording is read`()
        async throws
    {
        let path = try file("date.mp4", ["-metadata", "creation_time=2024-05-06T07:08:09Z"])
        let asset = Asset(opener: FFmpegOpener(path: path))
        let (tracks, found, missing) = try await asset.load(
            .tracks, .track(withTrackID: 1), .track(withTrackID: 9))
        #expect(found == tracks[1] && missing == nil)
        let (date, isProtected) = try await asset.load(.creationDate, .hasProtectedContent)
        #expect(date?.stringValue?.hasPrefix("2024-05-06T07:08:09") == true)
        #expect(!isProtected)
        let plain = Asset(opener: FFmpegOpener(path: try file("plain.mkv", [])))
        let (none, _) = try await plain.load(.creationDate, .duration)
        #expect(none == nil)
    }

    @Test func `an encrypted track is protected content`() async throws {
        let path = try file(
            "secret.mp4",
            [
                "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
                String(repeating: "0f", count: 16), "-encryption_kid",
                String(repeating: "1e", count: 16),
            ])
        let asset = Asset(opener: FFmpegOpener(path: path))
        #expect(try await asset.load(.hasProtectedContent))
    }

    /// Adds a second sample entry to the video of an MP4 file whose index is at its end.
    private static func addEntry(to path: String, width: UInt16) throws {
        var data = [UInt8](try Data(contentsOf: URL(filePath: path)))
        func number(_ place: Int) -> Int { data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        func write(_ value: Int, at place: Int) {
            for index in 0..<4 {
                data[place + index] = UInt8(truncatingIfNeeded: value >> (8 * (3 - index)))
            }
        }
        /// Returns the place of the first box with a type in the contents of another one.
        func box(_ type: String, in range: Range<Int>) -> Range<Int>? {
            var place = range.lowerBound
            while place + 8 <= range.upperBound {
                let size = number(place)
                guard size >= 8 else { return nil }
                if data[place + 4..<place + 8].elementsEqual(type.utf8) {
                    return place..<place + size
                }
                place += size
            }
            return nil
        }
        var (boxes, range): ([Int], Range<Int>) = ([], 0..<data.count)
        for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] {
            let found = try #require(box(type, in: range))
            boxes.append(found.lowerBound)
            range = found.lowerBound + 8..<found.upperBound
        }
        let first = range.lowerBound + 8
        var entry = Array(data[first..<first + number(first)])
        (entry[32], entry[33]) = (UInt8(width >> 8), UInt8(width & 0xFF))
        write(2, at: range.lowerBound + 4)
        for place in boxes { write(number(place) + entry.count, at: place) }
        data.insert(contentsOf: entry, at: range.upperBound)
        try Data(data).write(to: URL(filePath: path))
    }

    @Test func `a track lists several formats of its samples`() throws {
        let path = try file("formats.mp4", [])
        let plain = try #require(try Self.tracks(path).first)
        #expect(plain.formatDescriptions == [plain.formatDescription])
        try Self.addEntry(to: path, width: 160)
        let track = try #require(try Self.tracks(path).first)
        #expect(track.formatDescription == plain.formatDescription)
        let further = try #require(track.formatDescriptions.dropFirst().first)
        #expect(track.formatDescriptions.count == 2)
        #expect(further.codec == "h264" && further.codecTag == "avc1")
        #expect(further.video?.width == 160 && further.video?.height == 240)
    }
}
