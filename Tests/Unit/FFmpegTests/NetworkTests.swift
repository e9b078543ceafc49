// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime
import Synchronization
import Testing

/// Media behind HTTP, from good and bad servers.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct NetworkTests {
    static let clips = Result {
        try ["mp4", "ts"].map {
            Array(try Data(contentsOf: SyntheticClip(StreamFixture.film, container: $0).url()))
        }
    }
    private let film: [UInt8]
    private let stream: [UInt8]
    private let log = AccessLog()

    init() throws {
        (film, stream) = (try Self.clips.get()[0], try Self.clips.get()[1])
    }

    /// Without timing the network, which other programs on the machine would affect.
    private static let options = AssetOptions(
        variants: VariantPreference(followsThroughput: false))

    private static let allFrames = Array(0..<StreamFixture.frameCount)

    private func opener(
        _ url: String, _ options: AssetOptions = NetworkTests.options
    ) -> FFmpegOpener {
        FFmpegOpener(AssetLocation(url), options: log.options(options))
    }

    private func failure(
        _ url: String, _ options: AssetOptions = AssetOptions()
    ) -> MediaError? {
        do {
            let demuxer = try opener(url, options).openDemuxer(cancellation: Cancellation())
            while try demuxer.readPacket() != nil {}
            return nil
        } catch {
            #expect(error.subject == url)
            return error
        }
    }

    // MARK: - Files

    @Test func `a file is read by ranges`() throws {
        // Uncompressed, so that its index is farther back than the read-ahead.
        let clip = SyntheticClip(
            StreamFixture.film, videoCodec: "rawvideo", pixelFormat: "yuyv422", container: "mov")
        let film = Array(try Data(contentsOf: clip.url()))
        let server = try LoopbackServer { _ in .bytes(film) }
        #expect(try StreamFixture.frames(opener(server.url("/film.mp4"))) == Self.allFrames)
        #expect(server.requests.contains { ($0.range?.first ?? 0) > film.count / 2 })
        #expect(server.requests.allSatisfy { $0.fields["host"] == "127.0.0.1:\(server.port)" })
    }

    @Test func `a stream without ranges plays`() throws {
        let stream = stream
        for response in [LoopbackServer.Response.whole(stream), .chunked(stream, size: 1000)] {
            let server = try LoopbackServer { _ in response }
            #expect(try StreamFixture.frames(opener(server.url("/film.ts"))) == Self.allFrames)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a broken connection is reestablished`() throws {
        let film = film
        let server = try LoopbackServer { _ in .broken(film, after: film.count / 3) }
        #expect(try StreamFixture.frames(opener(server.url("/film.mp4"))) == Self.allFrames)
    }

    @Test func `a broken connection without ranges is an error`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(stream.count + 1000)\r\n\r\n"
        let answer = Array(head.utf8) + stream
        let server = try LoopbackServer { _ in .raw(answer) }
        let error = failure(server.url("/film.ts"))
        #expect(error?.code == .damaged)
        #expect(error?.cause.contains("closed the connection after \(stream.count) of") == true)
    }

    @Test(arguments: [
        (404, "the server has no such file (404)"),
        (403, "the server refuses access (401 or 403)"), (500, "the server failed (5xx)"),
        (418, "the server refuses the request (418)"),
    ]) func whatTheServerSaysIsTold(_ status: Int, _ cause: String) throws {
        let server = try LoopbackServer { _ in .status(status) }
        let error = failure(server.url("/film.mp4"))
        #expect(error?.code == .cannotOpen)
        #expect(error?.cause == cause)
    }

    @Test(arguments: [
        "", "hello\r\n", "HTTP/1.1 200", "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 7-9/10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10000) + "\r\nfilm",
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000) + "HTTP/1.1 204 OK\r\n\r\n",
        String(repeating: "x", count: 100_000),
    ]) func whatIsNoHTTPIsAnError(_ answer: String) throws {
        let server = try LoopbackServer { _ in .raw(Array(answer.utf8)) }
        #expect(failure(server.url("/film.mp4"))?.code == .damaged)
    }

    @Test func `a silent server times out`() throws {
        let server = try LoopbackServer { _ in .silence }
        let options = AssetOptions(openingTimeout: MediaTime(value: 1, timescale: 5))
        #expect(failure(server.url("/film.mp4"), options)?.code == .timedOut)
    }

    @Test func `a closed port and an unknown host are reported`() throws {
        let server = try LoopbackServer { _ in .silence }
        let url = server.url("/film.mp4")
        server.stop()
        #expect(failure(url)?.cause == "the server does not accept connections")
        #expect(failure("http://no-such-host.invalid/")?.code == .cannotOpen)
        #expect(failure("http://exa mple/")?.cause == "it is not a valid address")
    }

    // MARK: - Redirections

    @Test func `redirections are followed`() throws {
        let film = film
        let other = try LoopbackServer { _ in .bytes(film) }
        let target = other.url("/film.mp4")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/a/b": .redirect("../c?x=1", status: 301)
            case "/c?x=1": .redirect(target, status: 307)
            default: .status(404)
            }
        }
        #expect(try StreamFixture.frames(opener(server.url("/a/b"))) == Self.allFrames)
    }

    @Test(arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "//[", "data:,x"])
    func redirectionsLeadToNothingElse(_ target: String) throws {
        let server = try LoopbackServer { _ in .redirect(target) }
        #expect(failure(server.url("/"))?.code == .notAllowed)
    }

    @Test func `the number of redirections is limited`() throws {
        let server = try LoopbackServer { _ in .redirect("/") }
        #expect(failure(server.url("/"))?.code == .limitExceeded)
        #expect(server.requests.count == 9)
    }

    @Test func `a redirection to another origin is refused before it is followed`() throws {
        let other = try LoopbackServer { _ in .status(404) }
        let target = other.url("/film.mp4")
        let server = try LoopbackServer { _ in .redirect(target) }
        var options = AssetOptions()
        options.rules.networkReach = .sameOrigin
        #expect(failure(server.url("/"), options)?.code == .notAllowed)
        #expect(other.connectionCount == 0)
    }

    // MARK: - Playlists

    private static func serving(
        _ fixture: StreamFixture, _ more: [String: String] = [:]
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            if let text = more[request.path] { return .bytes(Array(text.utf8)) }
            return fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) }
                ?? .status(404)
        }
    }

    @Test func `a playlist plays its best variant and requests no other`() throws {
        let server = try Self.serving(AssetResourceLoaderTests.fixture.get())
        #expect(try StreamFixture.frames(opener(server.url("/all.m3u8"))) == Self.allFrames)
        #expect(!server.requests.contains { $0.path.contains("small") })
        let options = AssetOptions(
            variants: VariantPreference(peakBitRate: 500_000, followsThroughput: false))
        let before = server.requests.count
        #expect(
            try StreamFixture.frames(opener(server.url("/all.m3u8"), options)).count
                == StreamFixture.frameCount)
        #expect(!server.requests[before...].contains { $0.path.contains("large") })
    }

    @Test func `the variant fits the bandwidth of the network`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        // No machine reads a petabit a second.
        let list = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1000000000000000,RESOLUTION=320x240
            large.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=160x120
            small.m3u8
            """
        let server = try Self.serving(fixture, ["/list.m3u8": list])
        let demuxer = try opener(server.url("/list.m3u8"), AssetOptions())
            .openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.tracks.first?.formatDescription.video?.width == 160)
        #expect(!server.requests.contains { $0.path.contains("large") })
        let fixed = try opener(server.url("/list.m3u8"))
            .openDemuxer(cancellation: Cancellation())
        #expect(fixed.description.tracks.first?.formatDescription.video?.width == 320)
    }

    @Test func `transferred bytes are counted`() throws {
        let stream = stream
        let server = try LoopbackServer { _ in .bytes(stream) }
        let demuxer = try opener(server.url("/film.ts")).openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        let statistics = try #require(demuxer.transfer?.statistics)
        #expect(statistics.byteCount >= stream.count)
        #expect(statistics.openCount == 1)
        #expect(statistics.observedBitRate > 0)
        #expect(!statistics.waitingSince.isValid)
    }

    @Test func `addresses in a redirected playlist are relative to the redirection's target`()
        throws
    {
        let server = try Self.serving(AssetResourceLoaderTests.fixture.get())
        let target = server.url("/all.m3u8")
        let first = try LoopbackServer { _ in .redirect(target) }
        #expect(try StreamFixture.frames(opener(first.url("/x/y"))) == Self.allFrames)
        #expect(first.requests.count == 1)
    }

    @Test func `fragmented segments with byte ranges play`() throws {
        let fixture = try StreamFixture([
            "-hls_segment_type", "fmp4", "-hls_flags", "single_file",
        ])
        let server = try Self.serving(fixture)
        #expect(try StreamFixture.frames(opener(server.url("/large.m3u8"))) == Self.allFrames)
    }

    @Test func `a live playlist is read to its end`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let loads = Mutex(0)
        let server = try LoopbackServer { request in
            guard request.path == "/live.m3u8" else {
                return fixture.bytes(String(request.path.dropFirst())).map { .bytes($0) }
                    ?? .status(404)
            }
            let count = loads.withLock {
                $0 += 1
                return $0
            }
            let last = min(count, 3)
            let parts = (0...last).map { "#EXTINF:0.5,\nlarge\($0).ts\n" }.joined()
            let end = last == 3 ? "#EXT-X-ENDLIST\n" : ""
            return .bytes(Array("#EXTM3U\n#EXT-X-TARGETDURATION:0\n\(parts)\(end)".utf8))
        }
        let demuxer = try opener(server.url("/live.m3u8")).openDemuxer(
            cancellation: Cancellation())
        var count = 0
        while try demuxer.readPacket() != nil { count += 1 }
        #expect(count == StreamFixture.frameCount)
        let window = try #require(demuxer.liveMonitor?.window)
        #expect(window.hasEnded)
        #expect(window.range.duration == MediaTime(value: 2, timescale: 1))
        #expect(loads.withLock { $0 } >= 3)
    }

    @Test func `an endless playlist ends at its limit`() throws {
        // In large pieces, since a slow machine would otherwise exceed the time limit for one.
        let comment = [UInt8](repeating: UInt8(ascii: "#"), count: 1 << 16)
        let server = try LoopbackServer { _ in
            .endless(Array("#EXTM3U\n".utf8) + comment + Array("\n".utf8))
        }
        #expect(failure(server.url("/list.m3u8"))?.code == .limitExceeded)
    }

    @Test(arguments: ["file:///etc/hostname", "/dev/zero", "crypto:file:///etc/hostname"])
    func aPlaylistFromTheNetworkLeadsToNoFile(_ part: String) throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(part)\n#EXT-X-ENDLIST\n"
        let server = try Self.serving(fixture, ["/list.m3u8": list])
        #expect(failure(server.url("/list.m3u8")) != nil)
        #expect(log.children.allSatisfy { $0.error != nil })
    }

    @Test func `files of another origin are refused under the same-origin rule`() throws {
        let other = try Self.serving(AssetResourceLoaderTests.fixture.get())
        let list =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(other.url("/large0.ts"))\n"
            + "#EXT-X-ENDLIST\n"
        let server = try Self.serving(AssetResourceLoaderTests.fixture.get(), ["/list.m3u8": list])
        var options = AssetOptions()
        options.rules.networkReach = .sameOrigin
        #expect(failure(server.url("/list.m3u8"), options)?.code == .notAllowed)
        #expect(other.connectionCount == 0)
        options.rules.allowedHosts = ["127.0.0.1"]
        #expect(failure(server.url("/list.m3u8"), options) == nil)
    }
}
