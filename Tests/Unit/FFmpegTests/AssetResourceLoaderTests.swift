// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// The addresses that a playlist on disk may refer to.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct AssetResourceLoaderTests {
    static let fixture = Result { try StreamFixture() }

    private let stream: StreamFixture
    private let log = AccessLog()

    init() throws { stream = try Self.fixture.get() }

    private func failure(
        _ text: String, in folder: TemporaryFolder, options: AssetOptions = AssetOptions()
    ) throws -> MediaError? {
        let file = folder.appending("list-\(UUID().uuidString).m3u8")
        try Data(text.utf8).write(to: file)
        do throws(MediaError) {
            _ = try FFmpegOpener(path: file.path, options: log.options(options))
                .openDemuxer(cancellation: Cancellation())
            return nil
        } catch {
            #expect(error.subject == file.path)
            return error
        }
    }

    private static func media(_ part: String) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(part)\n#EXT-X-ENDLIST\n"
    }

    @Test func `a playlist plays all frames of its segments`() throws {
        let frames = try StreamFixture.frames(
            FFmpegOpener(path: stream.path("large.m3u8"), options: log.options()))
        #expect(frames == Array(0..<StreamFixture.frameCount))
        #expect(log.opened.prefix(2) == ["large.m3u8", "large0.ts"])
        #expect(Set(log.all.map(\.depth)) == [0, 1])
    }

    @Test(
        arguments: [
            ("#EXTINF:1,\nNAME\n", "a segment"),
            ("#EXTINF:1,\nPART\n#EXTINF:1,\n./NAME\n", "a segment"),
            (
                "#EXT-X-MAP:URI=\"NAME\"\n#EXTINF:1,\nPART\n",
                "the header of its segments (EXT-X-MAP)"
            ),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"NAME\"\n#EXTINF:1,\nPART\n", "a key (EXT-X-KEY)"),
            ("#EXT-X-STREAM-INF:BANDWIDTH=1\nNAME#1\n", "a variant"),
            (
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"NAME\"\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\nlarge.m3u8\n",
                "a rendition (EXT-X-MEDIA)"
            ),
        ])
    func `a playlist that names itself is reported`(lines: String, role: String) throws {
        let folder = TemporaryFolder()
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
            + lines.replacingOccurrences(of: "NAME", with: "list.m3u8")
            .replacingOccurrences(of: "PART", with: "part.ts") + "#EXT-X-ENDLIST\n"
        let part = [UInt8](try Data(contentsOf: URL(filePath: stream.path("large0.ts"))))
        try Data(part).write(to: folder.appending("part.ts"))
        let path = folder.appending("list.m3u8").path
        try Data(text.utf8).write(to: URL(filePath: path))
        let server = try LoopbackServer { request in
            .bytes(request.path == "/list.m3u8" ? Array(text.utf8) : part)
        }
        for location in [path, server.url("/list.m3u8")] {
            let error = #expect(throws: MediaError.self) {
                _ = try FFmpegOpener(AssetLocation(location))
                    .openDemuxer(cancellation: Cancellation())
            }
            #expect(error?.code == .damaged)
            #expect(error?.subject == location)
            #expect(error?.cause == "the playlist names itself as \(role)")
            #expect(error?.remedy == "correct the playlist")
        }
    }

    @Test func `the best variant within the limits is played and no other is opened`() throws {
        func width(_ preference: VariantPreference) throws -> Int? {
            let options = AssetOptions(variants: preference)
            let demuxer = try FFmpegOpener(
                path: stream.path("all.m3u8"), options: log.options(options)
            ).openDemuxer(cancellation: Cancellation())
            #expect(demuxer.description.tracks.count == 1)
            return demuxer.description.tracks.first?.formatDescription.video?.width
        }
        #expect(try width(VariantPreference()) == 320)
        #expect(!log.opened.contains("small.m3u8"))
        #expect(try width(VariantPreference(peakBitRate: 800_000)) == 160)
        #expect(try width(VariantPreference(maximumWidth: 200)) == 160)
        #expect(try width(VariantPreference(maximumHeight: 240)) == 320)
        #expect(try width(VariantPreference(peakBitRate: 1)) == 160)
    }

    @Test func `a seek in a playlist lands on a keyframe`() throws {
        let demuxer = try FFmpegOpener(path: stream.path("all.m3u8"))
            .openDemuxer(cancellation: Cancellation())
        try demuxer.seek(to: MediaTime(value: 12, timescale: 10))
        let packet = try demuxer.readPacket()
        #expect(packet?.presentationTime == MediaTime(value: 1, timescale: 1))
        #expect(packet?.isKeyframe == true)
    }

    @Test func `encrypted segments are decrypted`() throws {
        let keys = TemporaryFolder()
        try Data((0..<16).map { UInt8($0 * 7) }).write(to: keys.appending("film.key"))
        try Data("film.key\n\(keys.appending("film.key").path)\n".utf8)
            .write(to: keys.appending("info"))
        let stream = try StreamFixture(["-hls_key_info_file", keys.appending("info").path])
        try FileManager.default.copyItem(
            at: keys.appending("film.key"), to: stream.folder.appending("film.key"))
        let frames = try StreamFixture.frames(
            FFmpegOpener(path: stream.path("large.m3u8"), options: log.options()))
        #expect(frames == Array(0..<StreamFixture.frameCount))
        #expect(log.opened.contains("film.key"))
    }

    @Test func `fragmented segments with byte ranges play`() throws {
        let stream = try StreamFixture([
            "-hls_segment_type", "fmp4", "-hls_flags", "single_file",
        ])
        let frames = try StreamFixture.frames(FFmpegOpener(path: stream.path("large.m3u8")))
        #expect(frames == Array(0..<StreamFixture.frameCount))
    }

    @Test func `files outside of the playlist's folder are refused`() throws {
        let folder = TemporaryFolder()
        let elsewhere = try #require(try failure(Self.media(stream.path("large0.ts")), in: folder))
        #expect(elsewhere.code == .notAllowed)
        #expect(elsewhere.cause.contains("it is outside the folder"))
        // Through a link, and through a folder that is one.
        let link = folder.appending("link.ts").path
        try #require(symlink(stream.path("large0.ts"), link) == 0)
        #expect(try failure(Self.media("link.ts"), in: folder)?.code == .notAllowed)
        try #require(symlink(stream.folder.url.path, folder.appending("linked").path) == 0)
        #expect(try failure(Self.media("linked/large0.ts"), in: folder)?.code == .notAllowed)
        #expect(log.opened.allSatisfy { $0.hasPrefix("list-") })
    }

    @Test func `another folder can be allowed`() throws {
        let folder = TemporaryFolder()
        var options = AssetOptions()
        options.rules.folder = stream.folder.url.path
        #expect(
            try failure(Self.media(stream.path("large0.ts")), in: folder, options: options) == nil)
    }

    @Test func `a pipe that a playlist names is not opened`() throws {
        let folder = TemporaryFolder()
        try #require(mkfifo(folder.appending("pipe.ts").path, 0o600) == 0)
        let error = try failure(Self.media("pipe.ts"), in: folder)
        #expect(error?.cause.contains("a device or a pipe") == true)
    }

    @Test(arguments: [
        "http://127.0.0.1:1/a.ts", "https://example.org/a.ts", "pipe:0", "data:,x", "tcp://[::1]:1",
        "subfile,,start,0,end,9,,:/etc/passwd", "concat:a|b", "cache:file:///etc/passwd", "fd:",
        "crypto:///etc/passwd", "unix:/tmp/socket", "async:file:///etc/passwd",
    ]) func aFileLeadsToNothingButFiles(_ address: String) throws {
        let error = try #require(try failure(Self.media(address), in: TemporaryFolder()))
        #expect(error.code == .notAllowed || error.code == .damaged, "\(error)")
        #expect(log.children.allSatisfy { $0.error != nil })
    }

    @Test func `the bandwidth is not measured for variants in files`() throws {
        let server = try LoopbackServer { _ in .status(404) }
        let list = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=2
            \(server.url("/a.m3u8"))
            #EXT-X-STREAM-INF:BANDWIDTH=1
            \(server.url("/b.m3u8"))
            """
        #expect(try failure(list, in: TemporaryFolder())?.code == .notAllowed)
        #expect(server.connectionCount == 0)
    }

    @Test func `a file reaches the network if that is allowed`() throws {
        let server = try LoopbackServer { _ in .status(404) }
        var options = AssetOptions()
        options.rules.filesMayReachNetwork = true
        let error = try failure(
            Self.media(server.url("/a.ts")), in: TemporaryFolder(), options: options)
        #expect(error?.cause.contains("the server has no such file (404)") == true)
        #expect(server.requests.map(\.path) == ["/a.ts"])
    }

    @Test func `nested playlists end at their limit`() throws {
        let folder = TemporaryFolder()
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nself.m3u8\n"
        try Data(text.utf8).write(to: folder.appending("self.m3u8"))
        let error = try #require(try failure(text, in: folder))
        // FFmpeg 9 refuses a playlist of variants as a variant by itself, before the limit.
        if log.opened.count == 4 || error.code == .limitExceeded {
            #expect(error.code == .limitExceeded)
            #expect(log.opened.count == 4)
            #expect(log.all.map(\.depth).max() == 4, "the fourth was refused")
        } else {
            #expect(log.opened.count < 4)
        }
    }

    @Test func `the number of simultaneously open files is limited`() throws {
        let parts = (0..<100).map { "#EXTINF:1,\n\($0).ts" }.joined(separator: "\n")
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(parts)\n#EXT-X-ENDLIST\n"
        var options = AssetOptions()
        options.rules.maximumOpens = 20
        let error = try failure(text, in: TemporaryFolder(), options: options)
        #expect(error?.code == .limitExceeded)
        #expect(log.children.count == 21)
    }

    @Test func `the size of a playlist is limited`() throws {
        var options = AssetOptions()
        options.rules.playlistBytes = 1000
        let text = Self.media(String(repeating: "a", count: 1000))
        #expect(try failure(text, in: TemporaryFolder(), options: options)?.code == .limitExceeded)
    }

    @Test func `formats that open files without the access rules are refused`() throws {
        let concat = "ffconcat version 1.0\nfile '\(stream.path("large0.ts"))'\n"
        #expect(try failure(concat, in: TemporaryFolder())?.code == .unknownFormat)
        var options = AssetOptions()
        options.rules.demuxers.insert("concat")
        // Even if it is allowed, its files would be opened by FFmpeg's protocols, which are disabled.
        #expect(try failure(concat, in: TemporaryFolder(), options: options) != nil)
    }

    @Test func `only allowed demuxers are used`() throws {
        var options = AssetOptions()
        options.rules.demuxers = ["hls"]
        let opener = FFmpegOpener(path: stream.path("large.m3u8"), options: options)
        #expect(throws: MediaError.self) { try opener.openDemuxer(cancellation: Cancellation()) }
        let part = FFmpegOpener(path: stream.path("large0.ts"), options: options)
        let error = #expect(throws: MediaError.self) {
            try part.openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.cause == "its format (mpegts) is not among the allowed formats")
    }

    @Test func `a packet beyond the limit ends reading`() throws {
        let options = AssetOptions(limits: MediaLimits(packetBytes: 100))
        let demuxer = try FFmpegOpener(path: stream.path("large0.ts"), options: options)
            .openDemuxer(cancellation: Cancellation())
        let error = #expect(throws: MediaError.self) {
            while try demuxer.readPacket() != nil {}
        }
        #expect(error?.code == .limitExceeded)
    }
}
