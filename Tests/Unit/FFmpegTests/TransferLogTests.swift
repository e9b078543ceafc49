// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadFFmpeg

/// The log of a transfer over HTTP, compared with what the server recorded.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct TransferLogTests {
    private static let options = AssetOptions(
        variants: VariantPreference(followsThroughput: false))

    /// Returns a server of the fixture's files, some of which are missing.
    private func serve(
        _ fixture: StreamFixture, missing: Set<String> = []
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            let name = String(request.path.dropFirst())
            guard !missing.contains(name) else { return .status(404) }
            return fixture.bytes(name).map { .bytes($0) } ?? .status(404)
        }
    }

    @Test func `requests and bytes of a stream are those that the server recorded`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let server = try serve(fixture)
        let demuxer = try FFmpegOpener(
            AssetLocation(server.url("/all.m3u8")), options: Self.options
        ).openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        let log = try #require(demuxer.transfer?.log)
        let entry = try #require(log.entries.first)
        #expect(log.entries.count == 1)
        #expect(log.failures.isEmpty)
        #expect(entry.uri == server.url("/large.m3u8"))
        #expect(entry.bitRate == 900_000)
        #expect(entry.averageBitRate == nil)
        #expect(entry.serverAddress == "127.0.0.1")
        #expect(entry.serverAddressChangeCount == 0)
        #expect(entry.requestCount == server.requests.count)
        let sizes = server.requests.map {
            fixture.bytes(String($0.path.dropFirst()))?.count ?? 0
        }
        #expect(entry.byteCount == Int64(sizes.reduce(0, +)))
        #expect(entry.waited > 0)
        #expect(entry.date > 1_700_000_000)
    }

    @Test func `each change of the variant begins an entry`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let server = try serve(fixture)
        let demuxer = try FFmpegOpener(
            AssetLocation(server.url("/all.m3u8")), options: Self.options
        ).openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        var count = 0
        while try demuxer.readPacket() != nil {
            count += 1
            guard count == 3 else { continue }
            demuxer.prefer(VariantPreference(peakBitRate: 500_000, followsThroughput: false))
        }
        let log = try #require(demuxer.transfer?.log)
        #expect(log.entries.map(\.bitRate) == [900_000, 300_000])
        #expect(
            log.entries.map(\.uri) == ["/large.m3u8", "/small.m3u8"].map { server.url($0) })
        #expect(log.entries.map(\.requestCount).reduce(0, +) == server.requests.count)
        #expect(log.entries.allSatisfy { $0.byteCount > 0 })
        #expect(log.entryCount == 2)
    }

    @Test func `a segment that is missing is a failure with its address and status`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let server = try serve(fixture, missing: ["large1.ts"])
        let demuxer = try FFmpegOpener(
            AssetLocation(server.url("/large.m3u8")), options: Self.options
        ).openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        let failures = try #require(demuxer.transfer?.log.failures)
        #expect(!failures.isEmpty)
        #expect(
            failures.allSatisfy {
                $0.uri == server.url("/large1.ts") && $0.error.httpStatus == 404
                    && $0.serverAddress == "127.0.0.1"
            })
    }

    @Test func `the address in the log has neither user nor password`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let server = try serve(fixture, missing: ["large1.ts"])
        let url = server.url("/large.m3u8").replacing("http://", with: "http://me:secret@")
        let demuxer = try FFmpegOpener(AssetLocation(url), options: Self.options)
            .openDemuxer(cancellation: Cancellation())
        while try demuxer.readPacket() != nil {}
        let log = try #require(demuxer.transfer?.log)
        #expect(log.entries.map(\.uri) == [server.url("/large.m3u8")])
        #expect(log.failures.allSatisfy { !$0.uri.contains("secret") })
        #expect(log.failures.allSatisfy { !$0.error.cause.contains("secret") })
    }

    @Test func `a file on the disk has an empty log`() throws {
        let fixture = try AssetResourceLoaderTests.fixture.get()
        let demuxer = try Opening.demuxer(fixture.path("all.m3u8"))
        while try demuxer.readPacket() != nil {}
        #expect(demuxer.transfer?.logCount == 0)
    }
}
