// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Items that play several video tracks of a file, each with numbered frames.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct VideoTracksTests {
    /// A track: its frames per second, number of frames and keyframe interval.
    struct Track {
        var rate: Int
        var count: Int
        var interval: Int

        /// Returns the number of the frame that is due; the last one stays.
        func frame(at time: MediaTime) -> Int {
            min(Int((time.seconds * Double(rate) + 0.001).rounded(.down)), count - 1)
        }
    }

    /// The last one ends early.
    static let tracks = [
        Track(rate: 25, count: 100, interval: 12), Track(rate: 50, count: 200, interval: 30),
        Track(rate: 20, count: 80, interval: 7), Track(rate: 25, count: 30, interval: 25),
    ]

    /// Returns a file of the first tracks.
    static func file(_ container: String, _ count: Int = tracks.count) throws -> URL {
        let clips = try tracks.prefix(count).map { track in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    frameDuration: MediaTime(value: 1, timescale: Int32(track.rate)),
                    count: track.count), sounds: [])
            (media.width, media.height) = (192, 108)
            media.keyframeInterval = track.interval
            return try SyntheticClip(media).url()
        }
        let file = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID()).\(container)")
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y"] + clips.flatMap { ["-i", $0.path] }
                + clips.indices.flatMap { ["-map", "\($0):v"] } + ["-c", "copy", file.path])
        return file
    }

    private func due(_ time: MediaTime, _ count: Int = tracks.count) -> [Int?] {
        Self.tracks.prefix(count).map { $0.frame(at: time) }
    }

    @Test(arguments: ["mp4", "mkv"])
    func `each output shows the due frame of its own track`(container: String) throws {
        let file = try Self.file(container)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: Self.tracks.count)
        defer { rig.player.replaceCurrentItem(with: nil) }
        #expect(rig.frames == due(.zero))
        try rig.play()
        for _ in 0..<100 {
            #expect(rig.frames == due(rig.item.currentTime))
            try rig.advance(3)
        }
        rig.player.pause()
        for hundredths in [150, 20, 333, 61, 250, 5] as [Int64] {
            let time = MediaTime(value: hundredths, timescale: 100)
            try rig.seek(to: time)
            #expect(rig.frames == due(time), "after a seek to \(time)")
        }
        // It lands on a keyframe of the first track, and so do the others.
        try rig.seek(to: MediaTime(value: 2, timescale: 1), toleranceBefore: .positiveInfinity)
        #expect(rig.frames == due(rig.item.currentTime))
    }

    @Test func `all tracks are shown backwards`() throws {
        let file = try Self.file("mp4", 3)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 3)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try rig.seek(to: MediaTime(value: 305, timescale: 100))
        try rig.play(-1)
        for _ in 0..<60 {
            let time = rig.item.currentTime
            for output in rig.outputs { _ = output.waitForPixelBuffer(after: time) }
            #expect(rig.frames == due(time, 3))
            try rig.advance(3)
        }
    }

    @Test func `a track that is switched off and on leaves the others unchanged`() throws {
        let file = try Self.file("mp4", 3)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 3)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try rig.play()
        for round in 0..<100 {
            let isOn = round % 2 == 1
            rig.item.tracks[1].isEnabled = isOn
            try rig.settle()
            var expected = due(rig.item.currentTime, 3)
            if !isOn { expected[1] = nil }
            #expect(rig.frames == expected)
            try rig.advance(3)
        }
    }

    @Test func `a track that is enabled during playback joins the others`() throws {
        let file = try Self.file("mp4", 3)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 1)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try rig.play()
        for _ in 0..<30 { try rig.advance(3) }
        let output = PlayerItemVideoOutput(trackID: 1)
        #expect(!rig.item.tracks[1].isEnabled)
        rig.item.add(output)
        #expect(rig.item.tracks[1].isEnabled)
        for _ in 0..<60 {
            try rig.settle()
            let time = rig.item.currentTime
            #expect(rig.frames == due(time, 1))
            let frame = output.copyPixelBuffer(forItemTime: time).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
            #expect(frame == Self.tracks[1].frame(at: time))
            try rig.advance(3)
        }
    }

    @Test func `an output without a track shows the first one that is enabled`() throws {
        let file = try Self.file("mp4", 2)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        let output = PlayerItemVideoOutput()
        rig.item.add(output)
        try rig.seek(to: MediaTime(value: 1, timescale: 1))
        func frame() -> Int? {
            output.copyPixelBuffer(forItemTime: rig.item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
        #expect(frame() == 25)
        rig.item.tracks[0].isEnabled = false
        #expect(frame() == 50)
        rig.item.tracks[1].isEnabled = false
        #expect(frame() == nil)
        rig.item.tracks[0].isEnabled = true
        #expect(frame() == 25)
    }

    @Test func `a track that cannot be decoded reports it, and the others play`() throws {
        let good = try Self.file("mkv", 2)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).mkv")
        defer { for url in [good, file] { try? FileManager.default.removeItem(at: url) } }
        // Packets of the second track are noise.
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", good.path, "-map", "0", "-c", "copy"]
                + ["-bsf:v:1", "noise=amount=1", file.path])
        let rig = try VideoTracksRig(file, showing: 2)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try rig.play()
        for _ in 0..<60 {
            #expect(rig.frames[0] == Self.tracks[0].frame(at: rig.item.currentTime))
            try rig.advance(3)
        }
        #expect(rig.item.tracks[1].error != nil)
        #expect(rig.item.status == .readyToPlay)
        try rig.seek(to: MediaTime(value: 1, timescale: 1))
        #expect(rig.frames[0] == 25)
    }

    @Test func `memory for frames is shared by all tracks`() throws {
        let file = try Self.file("mp4", 3)
        defer { try? FileManager.default.removeItem(at: file) }
        let rig = try VideoTracksRig(file, showing: 3)
        defer { rig.player.replaceCurrentItem(with: nil) }
        try rig.seek(to: MediaTime(value: 3, timescale: 1))
        rig.item.reverseCacheByteLimit = 3 << 20
        try rig.play(-1)
        let queues = rig.item.pipeline.frameQueues
        #expect(queues.count == 3)
        for _ in 0..<40 {
            #expect(queues.reduce(0) { $0 + $1.byteCount } <= 3 << 20)
            try rig.advance(3)
        }
    }
}
