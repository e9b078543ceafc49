// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

/// Streams with discontinuities, at which the timestamps change, in the tool.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DiscontinuityToolTests {
    private let folder = TemporaryFolder()

    /// The durations of the parts in seconds, and the seconds at which their timestamps begin. Each
    /// second is a segment.
    private static let parts: [(seconds: Int64, start: Int)] = [(2, 0), (3, 100), (2, 50)]

    private static func server() throws -> LiveServer {
        let clips = parts.map { part in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 10, duration: MediaTime(value: part.seconds, timescale: 1)))
            (media.height, media.keyframeInterval) = (240, 10)
            return SyntheticClip(media, container: "ts")
        }
        let server = try LiveServer(clips, starts: parts.map(\.start))
        server.list(0..<server.segmentCount, hasEnded: true)
        return server
    }

    /// Returns the address of the playlist of a part alone.
    private static func address(of part: Int, on server: LiveServer) -> String {
        server.url.replacing("live.m3u8", with: "\(part).m3u8")
    }

    /// Returns the times of frames, and their timestamps in the file.
    private static func frames(_ arguments: String...) throws -> [(time: Double, pts: Double)] {
        let result = try Tool.run(["frames"] + arguments)
        result.expectSuccess()
        return try result.text.split(separator: "\n").map { line in
            let values = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let time = try #require(values?["time"] as? Double)
            return (time, try #require(values?["pts"] as? Double))
        }
    }

    private func snapshot(_ address: String, at time: Double, _ more: String...) throws -> TestImage
    {
        let output = folder.appending("still.png")
        try ProcessRunner.check(
            [Tool.path, "snapshot", address, "--at", "\(time)", "-o", output.path] + more,
            environment: Tool.bare)
        return try TestImage(contentsOf: output)
    }

    @Test func `frames and snapshots of each part are at the times of the list`() throws {
        let server = try Self.server()
        let start = try #require(try Self.frames(server.url, "--to", "0.15").first).time
        var begin = 0.0
        for (part, values) in Self.parts.enumerated() {
            let own = Self.address(of: part, on: server)
            let ownStart = try #require(try Self.frames(own, "--to", "0.15").first).time
            for offset in [0, Double(values.seconds) - 0.5] {
                let first = start + begin + offset
                let found = try Self.frames(
                    server.url, "--from", "\(max(first - 0.05, 0))", "--to", "\(first + 0.45)")
                #expect(found.count == 5)
                for (index, frame) in found.enumerated() {
                    #expect(abs(frame.time - first - Double(index) / 10) < 0.04, "\(found)")
                }
                // The frame is shown from its time on.
                #expect(
                    try snapshot(server.url, at: first + 0.25)
                        == snapshot(own, at: ownStart + offset + 0.25))
            }
            begin += Double(values.seconds)
        }
    }

    @Test func `snapshots of each part have the subtitles of their times`() throws {
        let film = try Self.server()
        let start = try #require(try Self.frames(film.url, "--to", "0.15").first).time
        var (segments, list): ([[UInt8]], [String]) = ([], [])
        for (part, values) in Self.parts.enumerated() {
            let first = try #require(
                try Self.frames(Self.address(of: part, on: film), "--to", "0.15").first)
            if part > 0 { list.append("#EXT-X-DISCONTINUITY") }
            for second in 0..<Int(values.seconds) {
                var track = TextTrack(webVTT: [(200, 700, "", "", "Words at the bottom")])
                track.samples.append((300, TextTrack.box("vtte", [])))
                track.start = UInt64((first.pts * 1000).rounded()) + UInt64(second) * 1000
                list += ["#EXTINF:1,", "\(segments.count).m4s"]
                segments.append(track.fragment())
            }
        }
        let media = list.joined(separator: "\n")
        let server = try LoopbackServer { [segments] request in
            switch request.path {
            case "/main.m3u8":
                return .whole(
                    Array(
                        """
                        #EXTM3U
                        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="en.m3u8"
                        #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,SUBTITLES="s"
                        \(film.url)

                        """.utf8))
            case "/en.m3u8":
                return .whole(
                    Array(
                        """
                        #EXTM3U
                        #EXT-X-VERSION:7
                        #EXT-X-TARGETDURATION:1
                        #EXT-X-MAP:URI="head.mp4"
                        \(media)
                        #EXT-X-ENDLIST

                        """.utf8))
            case "/head.mp4": return .whole(TextTrack(webVTT: []).header())
            default:
                guard let number = Int(request.path.dropFirst().prefix { $0 != "." }),
                    segments.indices.contains(number)
                else { return .status(404) }
                return .whole(segments[number])
            }
        }
        defer { server.stop() }
        let address = server.url("/main.m3u8")
        for second in [0, 2, 4, 5] {
            let time = start + Double(second)
            let titled = try snapshot(address, at: time + 0.45, "--subtitle-track", "0")
            let plain = try snapshot(address, at: time + 0.45)
            #expect(titled != plain, "second \(second)")
            let after = try snapshot(address, at: time + 0.85, "--subtitle-track", "0")
            #expect(try after == snapshot(address, at: time + 0.85), "second \(second)")
        }
    }
}
