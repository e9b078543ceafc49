// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// I-frame playlists of HLS (RFC 8216, 4.3.3.6), whose segments are keyframes of other segments,
/// with discontinuities.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct IFrameListTests {
    /// The durations of the parts, in seconds. A segment has two seconds, and a keyframe.
    private static let durations = [4, 6, 4]
    /// The numbers of the keyframes. Each part begins to count again.
    private static let numbers = durations.flatMap { stride(from: 0, to: $0 * 10, by: 20) }
    /// The keyframes on both sides of each joint, and others, backwards and forwards.
    private static let places = [2, 0, 5, 1, 4, 6, 3]

    /// Writes a playlist, `v.m3u8`, its I-frame playlist, `i.m3u8`, and a multivariant playlist,
    /// `main.m3u8`.
    ///
    /// - Parameter starts: The seconds at which the timestamps of the parts begin.
    private static func write(_ starts: [Int], to folder: TemporaryFolder) throws {
        var lists = ["v": "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:2\n", "i": ""]
        lists["i"] = lists["v"].map { $0 + "#EXT-X-I-FRAMES-ONLY\n" }
        func add(_ line: String, to name: String) { lists[name, default: ""] += line + "\n" }
        for (index, start) in starts.enumerated() {
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 10,
                    duration: MediaTime(value: Int64(durations[index]), timescale: 1)), sounds: [])
            (media.height, media.keyframeInterval) = (240, 20)
            let list = folder.appending("\(index).m3u8")
            try ProcessRunner.check([
                "ffmpeg", "-v", "error", "-nostdin", "-i",
                try SyntheticClip(media, container: "ts").url().path, "-c", "copy",
                "-output_ts_offset", "\(start)", "-f", "hls", "-hls_time", "2",
                "-hls_list_size", "0", list.path,
            ])
            if index > 0 { for name in ["v", "i"] { add("#EXT-X-DISCONTINUITY", to: name) } }
            for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            where !line.hasPrefix("#") {
                let bytes = [UInt8](try Data(contentsOf: folder.appending(String(line))))
                for name in ["v", "i"] { add("#EXTINF:2,", to: name) }
                add("#EXT-X-BYTERANGE:\(keyframeEnd(in: bytes))@0", to: "i")
                for name in ["v", "i"] { add(String(line), to: name) }
            }
        }
        for name in ["v", "i"] {
            add("#EXT-X-ENDLIST", to: name)
            try Data((lists[name] ?? "").utf8).write(to: folder.appending("\(name).m3u8"))
        }
        let main = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240
            v.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,RESOLUTION=320x240,URI="i.m3u8"

            """
        try Data(main.utf8).write(to: folder.appending("main.m3u8"))
    }

    /// Returns the place at which the second frame of a transport stream begins.
    private static func keyframeEnd(in bytes: [UInt8]) -> Int {
        let frames = stride(from: 0, to: bytes.count, by: 188).filter { place in
            // A unit begins in the packet, which may have an adaptation field.
            guard bytes[place + 1] & 0x40 != 0 else { return false }
            let field = bytes[place + 3] & 0x20 != 0 ? 1 + Int(bytes[place + 4]) : 0
            return bytes[(place + 4 + field)...].starts(with: [0, 0, 1, 0xE0])
        }
        return frames.count > 1 ? frames[1] : bytes.count
    }

    /// Checks the numbers of frames, and their times, which are two seconds apart.
    private static func check(
        _ frames: [(number: Int?, time: MediaTime)], from first: Int, start: MediaTime,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            frames.map(\.number) == Array(numbers[first...]), sourceLocation: sourceLocation)
        for (index, frame) in zip(first..., frames) {
            let time = (frame.time - start).seconds
            #expect(
                abs(time - Double(index) * 2) < 0.05, "frame \(index) at \(time)",
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [[0, 0, 0], [0, 100, 50], [100, 50, 0]])
    func `keyframes have the times of the list, in order and after seeks`(_ starts: [Int]) throws {
        let folder = TemporaryFolder()
        try Self.write(starts, to: folder)
        let reader = try AssetReader(asset: Opening.asset(folder.appending("i.m3u8").path))
        let output = try reader.addVideoOutput()
        func frames() throws -> [(number: Int?, time: MediaTime)] {
            var frames: [(number: Int?, time: MediaTime)] = []
            while let frame = try output.copyNextSampleBuffer() {
                frames.append(
                    (FrameNumberStrip.read(from: frame.pixelBuffer), frame.presentationTime))
            }
            return frames
        }
        let start = reader.description.startTime
        Self.check(try frames(), from: 0, start: start)
        for place in Self.places {
            let time = start + MediaTime(value: Int64(place) * 2, timescale: 1)
            reader.restart(timeRange: MediaTimeRange(start: time, duration: .positiveInfinity))
            Self.check(try frames(), from: place, start: start)
        }
    }

    @Test(arguments: [[0, 0, 0], [0, 100, 50], [100, 50, 0]])
    func `images are found in each part, also beside an I-frame playlist`(_ starts: [Int]) throws {
        let folder = TemporaryFolder()
        try Self.write(starts, to: folder)
        for (name, step) in [("i.m3u8", 20), ("main.m3u8", 1)] {
            let finder = try PictureFinder(asset: Opening.asset(folder.appending(name).path))
            for place in Self.places {
                // The frame that is shown 1.25 s after the keyframe.
                let time =
                    finder.description.startTime
                    + MediaTime(value: Int64(place) * 8 + 5, timescale: 4)
                let found = try finder.picture(at: time)
                let number = Self.numbers[place] + 12 / step * step
                #expect(
                    FrameNumberStrip.read(from: found.pixelBuffer) == number, "\(name), \(place)")
            }
        }
    }
}
