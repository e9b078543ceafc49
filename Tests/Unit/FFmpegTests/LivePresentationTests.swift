// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Live presentations whose segments are numbered, so that the time determines which of them are
/// available. The server's clock is in the year 2001, which no test machine's clock is.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LivePresentationTests {
    private static let media: SyntheticMedia = {
        var media = PresentationFixture.media
        media.frameTimes = SyntheticFrameTimes(
            framesPerSecond: 10, duration: MediaTime(value: 60, timescale: 1))
        media.sounds = []
        return media
    }()

    private static let fixture = Result {
        try PresentationFixture(["-use_timeline", "0"], from: SyntheticClip(media).url())
    }

    /// The start of 2001, in seconds since 1970.
    private static let startDate = 978_307_200.0

    /// Starts a server of a presentation that began at the start of 2001.
    private static func server(
        timing: String, tags: String = "", clock: String = ""
    ) throws -> LoopbackServer {
        let folder = try fixture.get().folder
        let list = """
            <MPD type="dynamic" availabilityStartTime="2001-01-01T00:00:00Z" \(tags)>\(timing)
            <Period start="PT0S"><AdaptationSet mimeType="video/mp4">
            <SegmentTemplate duration="1" initialization="init-stream0.m4s"
            media="chunk-stream0-$Number%05d$.m4s"/><Representation id="0" bandwidth="1000"/>
            </AdaptationSet></Period></MPD>
            """
        return try LoopbackServer { request in
            let name = String(request.path.dropFirst())
            if name == "live.mpd" { return .whole(Array(list.utf8)) }
            if name == "clock" {
                return .raw(
                    Array(
                        "HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2001 00:00:10 GMT\r\n\(clock)".utf8))
            }
            return (try? Data(contentsOf: folder.appending(name))).map { .whole(Array($0)) }
                ?? .status(404)
        }
    }

    private static func open(_ server: LoopbackServer) throws -> any Demuxer {
        try FFmpegOpener(AssetLocation(server.url("/live.mpd")))
            .openDemuxer(cancellation: Cancellation())
    }

    /// Returns the numbers of the segments that were requested.
    private static func requested(_ server: LoopbackServer) -> [Int] {
        server.requests.compactMap { request in
            guard request.path.hasPrefix("/chunk-stream0-") else { return nil }
            return Int(request.path.dropFirst("/chunk-stream0-".count).prefix(5))
        }
    }

    @Test(arguments: [
        ("direct:2014", "2001-01-01T00:00:10Z", ""),
        ("http-head:2014", "clock", "Content-Length: 0\r\n\r\n"),
        ("http-xsdate:2014", "clock", "Content-Length: 20\r\n\r\n2001-01-01T00:00:10Z"),
        ("http-iso:2014", "missing clock", "Content-Length: 20\r\n\r\n2001-01-01T00:00:10Z"),
    ])
    func `the server's clock determines which segments are available`(
        scheme: String, value: String, clock: String
    ) throws {
        // The first address of the last case does not exist, so the second clock is used.
        let name = "urn:mpeg:dash:utc:"
        let server = try Self.server(
            timing: "<UTCTiming schemeIdUri='\(name)\(scheme)' value='\(value)'/>"
                + "<UTCTiming schemeIdUri='\(name)direct:2014' value='2001-01-01T00:00:10Z'/>",
            clock: clock)
        let demuxer = try Self.open(server)
        let window = try #require(demuxer.liveMonitor?.window)
        // More segments become available while the test runs.
        #expect(window.range.start == .zero)
        #expect(window.range.end.seconds >= 9.999 && window.range.end.seconds <= 60)
        #expect(try #require(Self.requested(server).min()) >= 7)
        let dates = try #require(demuxer.liveMonitor?.dates)
        #expect(dates.date(at: MediaTime(value: 5, timescale: 2)) == Self.startDate + 2.5)
        try demuxer.seek(to: MediaTime(value: 25, timescale: 10))
        let packet = try #require(try demuxer.readPacket())
        #expect(abs(packet.presentationTime.seconds - 2) < 0.001)
    }

    @Test func `the window is as deep as the MPD states, and begins at the recommended place`()
        throws
    {
        let server = try Self.server(
            timing: "<UTCTiming schemeIdUri='urn:mpeg:dash:utc:direct:2014' "
                + "value='2001-01-01T00:00:10Z'/>",
            tags: "timeShiftBufferDepth='PT5S' suggestedPresentationDelay='PT4S'")
        let demuxer = try Self.open(server)
        let window = try #require(demuxer.liveMonitor?.window)
        #expect(abs(window.range.duration.seconds - 5) < 0.001)
        #expect(abs(window.recommendedOffset.seconds - 4) < 0.001)
        #expect(try #require(Self.requested(server).min()) >= 6)
        // The window moves with the clock alone.
        let end = window.range.end
        try eventually("the window moves") {
            demuxer.reloadPlaylist()
            return (demuxer.liveMonitor?.window).map { $0.range.end > end } ?? false
        }
    }

    @Test func `a stream that has not begun is named as such`() throws {
        let server = try Self.server(
            timing: "<UTCTiming schemeIdUri='urn:mpeg:dash:utc:direct:2014' "
                + "value='2000-12-31T00:00:00Z'/>")
        let error = #expect(throws: MediaError.self) { try Self.open(server) }
        #expect(error?.cause.contains("available yet") == true)
        #expect(Self.requested(server).isEmpty)
    }
}
