// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Video tracks beside the first one that show nothing for a while, or that cannot play.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct VideoTrackGapsTests {
    /// A long track of 5 frames per second, with a keyframe every 4 s.
    private static let long = SyntheticFrameTimes(
        frameDuration: MediaTime(value: 1, timescale: 5), count: 500)

    private static func frameTimes(_ ranges: [ClosedRange<Int>]) -> SyntheticFrameTimes {
        let numbers = ranges.flatMap(Array.init)
        return SyntheticFrameTimes(
            times: numbers.map { MediaTime(value: Int64($0), timescale: 25) },
            end: MediaTime(value: Int64(numbers.last! + 1), timescale: 25))
    }

    /// Returns a file of the long track and another one, which begins after some seconds.
    private func file(
        _ container: String, _ other: SyntheticFrameTimes, delay: Int = 0
    ) throws -> URL {
        let clips = try [(Self.long, 20), (other, 25)].map { times, interval in
            var media = SyntheticMedia(frameTimes: times, sounds: [])
            (media.width, media.height) = (192, 108)
            media.keyframeInterval = interval
            media.bidirectionalFrames = 2
            return try SyntheticClip(media, container: "mkv").url()
        }
        let file = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID()).\(container)")
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clips[0].path]
                + ["-itsoffset", "\(delay)", "-i", clips[1].path]
                + ["-map", "0:v", "-map", "1:v", "-c", "copy", file.path])
        return file
    }

    private func time(_ hundredths: Int64) -> MediaTime {
        MediaTime(value: hundredths, timescale: 100)
    }

    /// Expects the numbers of the frames after seeks to times, in hundredths of a second.
    private func expect(
        _ expected: KeyValuePairs<Int64, Int?>, in rig: VideoTracksRig, _ comment: Comment
    ) throws {
        for (hundredths, frame) in expected {
            try rig.seek(to: time(hundredths))
            #expect(
                rig.frames == [Int(hundredths) / 20, frame], "\(comment), at \(hundredths)")
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func `the last frame of a track that ended long ago is shown`(container: String) throws {
        let file = try file(container, Self.frameTimes([0...29]))
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try expect([9000: 29, 40: 10, 8510: 29, 119: 29, 9990: 29], in: rig, "\(container)")
        try rig.seek(to: time(40))
        try rig.play()
        for _ in 0..<60 {
            let now = rig.item.currentTime
            #expect(rig.frames == [Int(now.seconds * 5 + 0.001), min(29, now.frame(at: 25))])
            try rig.advance(4)
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func `a track that begins late shows nothing before that`(container: String) throws {
        let file = try file(container, Self.frameTimes([0...100]), delay: 40)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        #expect(rig.frames == [0, nil])
        try expect(
            [4200: 50, 1000: nil, 3960: nil, 4000: 0, 9000: 100, 200: nil], in: rig, "\(container)")
        try rig.seek(to: time(3980))
        try rig.play()
        for _ in 0..<20 {
            let now = rig.item.currentTime
            let frame = now.frame(at: 25) - 1000
            #expect(rig.frames == [Int(now.seconds * 5 + 0.001), frame < 0 ? nil : frame])
            try rig.advance(4)
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func `the frame before a long gap is shown during the gap`(container: String) throws {
        let file = try file(container, Self.frameTimes([0...49, 1500...1599]))
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try expect(
            [3000: 49, 100: 25, 5980: 49, 6100: 75, 1500: 49, 6000: 50], in: rig, "\(container)")
        try rig.seek(to: time(100))
        try rig.play()
        for _ in 0..<60 {
            let now = rig.item.currentTime
            #expect(rig.frames == [Int(now.seconds * 5 + 0.001), min(49, now.frame(at: 25))])
            try rig.advance(4)
        }
    }

    @Test func `the first track with a decoder leads if the preferred one has none`() throws {
        let clip = try VideoTracksTests.file("mkv", 1)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).mkv")
        defer { for url in [clip, file] { try? FileManager.default.removeItem(at: url) } }
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clip.path, "-map", "0:v"]
                + ["-map", "0:v", "-c", "copy", file.path])
        // The codec of the first track is unknown.
        var data = try Data(contentsOf: file)
        let name = try #require(data.range(of: Data("V_MPEG4/ISO/AVC".utf8)))
        data.replaceSubrange(name, with: Data("V_MPEG4/ISO/XYZ".utf8))
        try data.write(to: file)
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        #expect(rig.frames == [nil, 0])
        try rig.seek(to: time(200))
        #expect(rig.frames == [nil, 50])
        #expect(rig.item.tracks[0].error?.code == .unsupportedCodec)
        #expect(rig.item.tracks.map(\.isEnabled) == [false, true])
    }

    @Test func `33 of 200 tracks play, and the others report why they do not`() throws {
        let clip = try VideoTracksTests.file("mp4", 1)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).mp4")
        defer { for url in [clip, file] { try? FileManager.default.removeItem(at: url) } }
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clip.path]
                + (0..<200).flatMap { _ in ["-map", "0:v"] } + ["-c", "copy", file.path])
        let rig = try VideoTracksRig(file, showing: 200)
        defer { rig.player.replaceCurrentItem(with: nil) }
        let limit = TrackState.furtherVideoLimit + 1
        func expect(_ frame: Int) {
            #expect(rig.frames == (0..<200).map { $0 < limit ? frame : nil })
        }
        expect(0)
        try rig.play()
        for _ in 0..<5 {
            try rig.advance(20)
            expect(rig.item.currentTime.frame(at: 25))
        }
        try rig.seek(to: time(212))
        expect(53)
        let errors = rig.item.tracks.map(\.error)
        #expect(errors.prefix(limit).allSatisfy { $0 == nil })
        #expect(errors.dropFirst(limit).allSatisfy { $0?.code == .limitExceeded })
        #expect(rig.item.tracks.filter(\.isEnabled).count == limit)
    }
}

extension MediaTime {
    /// Returns the number of the frame that begins last by this time.
    fileprivate func frame(at rate: Double) -> Int { Int((seconds * rate + 0.001).rounded(.down)) }
}
