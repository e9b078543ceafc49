// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Errors of opening state the problem and a remedy.
@Suite struct OpeningTests {
    private func error(opening path: String) -> MediaError? {
        do {
            _ = try Opening.demuxer(path)
            return nil
        } catch {
            return error as? MediaError
        }
    }

    private func error(openingFileOf bytes: [UInt8], named name: String) throws -> MediaError? {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        return error(opening: file.path)
    }

    private struct Contents: Equatable {
        var description: AssetDescription
        var packets: [MediaPacket]

        /// Opens and reads a file, with a seek in between.
        init(_ opener: FFmpegOpener) throws {
            let demuxer = try opener.openDemuxer(cancellation: Cancellation())
            description = demuxer.description
            packets = []
            while let packet = try demuxer.readPacket() { packets.append(packet) }
            try demuxer.seek(to: MediaTime(value: 1, timescale: 1))
            while let packet = try demuxer.readPacket() { packets.append(packet) }
        }

        static func == (left: Contents, right: Contents) -> Bool {
            left.description == right.description
                && left.packets.elementsEqual(right.packets) {
                    $0.trackID == $1.trackID && $0.presentationTime == $1.presentationTime
                        && $0.decodeTime == $1.decodeTime && $0.duration == $1.duration
                        && $0.isKeyframe == $1.isKeyframe && $0.byteCount == $1.byteCount
                }
        }
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "ffmpeg is not installed"),
        arguments: [
            ("libx264", "mp4", []), ("libx264", "mov", []), ("libx265", "mp4", []),
            ("libx264", "mp4", ["-movflags", "frag_keyframe+empty_moov"]), ("mpeg4", "mp4", []),
            ("libx264", "mkv", []), ("libx264", "ts", []),
        ] as [(String, String, [String])])
    func `a file that is opened again has the same description and the same packets`(
        codec: String, container: String, options: [String]
    ) throws {
        var media = SyntheticMedia()
        media.bidirectionalFrames = 2
        media.keyframeInterval = 12
        let clip = SyntheticClip(media, videoCodec: codec, container: container, options: options)
        let path = try clip.url().path
        let opener = FFmpegOpener(path: path)
        let first = try Contents(opener)
        #expect(!first.packets.isEmpty)
        #expect(try Contents(opener) == first)
        #expect(try Contents(FFmpegOpener(path: path)) == first)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is not installed"))
    func `a file that has been replaced is described as it is now`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "clip.mp4")
        let opener = FFmpegOpener(path: file.path)
        for (width, height) in [(64, 32), (96, 64)] {
            var media = SyntheticMedia()
            (media.width, media.height) = (width, height)
            try? FileManager.default.removeItem(at: file)
            try FileManager.default.copyItem(at: try SyntheticClip(media).url(), to: file)
            let description = try opener.openDemuxer(cancellation: Cancellation()).description
            let video = description.tracks(of: .video).first?.formatDescription.video
            #expect(video?.width == width)
            #expect(video?.height == height)
        }
    }

    @Test func `the error for a missing file names it`() {
        let error = error(opening: "/nowhere/at all.mp4")
        #expect(error?.code == .cannotOpen)
        #expect(error?.description == "/nowhere/at all.mp4: there is no such file; check the path")
    }

    /// Names in Latin-1 are not text, though addresses can encode them.
    @Test func `the error for a name that is not UTF-8 states that`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        guard case .file(let path) = AssetLocation("file://\(folder.path)/caf%E9.wav") else {
            Issue.record("no file")
            return
        }
        let error = error(opening: path)
        #expect(error?.code == .cannotOpen)
        #expect(error?.cause == "its name is not UTF-8")
    }

    @Test func `the error for an unsupported scheme names it`() {
        let error = error(opening: "rtsp://example.org/film")
        #expect(error?.code == .cannotOpen)
        #expect(error?.cause.contains("addresses of rtsp are not supported") == true)
    }

    @Test func `a directory is refused`() {
        #expect(error(opening: "/tmp")?.cause == "it is a directory")
        #expect(error(opening: "")?.code == .cannotOpen)
    }

    @Test func `devices and pipes are not opened`() throws {
        #expect(error(opening: "/dev/zero")?.cause == "it is a device or a pipe, not a file")
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.appending(path: "pipe.mp4").path
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(error(opening: pipe)?.code == .cannotOpen)
    }

    @Test func `an empty path is refused`() {
        let text = "the path is empty; name a file"
        #expect(error(opening: "")?.description == text)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func aFileThatMayNotBeReadSaysSo() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "secret.mp4").path
        try #require(FileManager.default.createFile(atPath: file, contents: Data([1])))
        chmod(file, 0)
        #expect(error(opening: file)?.cause == "it may not be read")
    }

    @Test func `empty files and files that are not media have an unknown format`() throws {
        #expect(try error(openingFileOf: [], named: "empty.mp4")?.code == .unknownFormat)
        let text = Array("Dear reader,\nthis is not a video.\n".utf8)
        #expect(try error(openingFileOf: text, named: "film.mp4")?.code == .unknownFormat)
        #expect(try error(openingFileOf: text, named: "letter.txt")?.code == .unknownFormat)
    }

    @Test func `playlists are refused before the files that they name are opened`() throws {
        let playlist = Array(
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/dev/zero\n#EXT-X-ENDLIST\n".utf8)
        let error = try error(openingFileOf: playlist, named: "list.m3u8")
        #expect(error?.code == .notAllowed)
        #expect(error?.cause.contains("it refers to /dev/zero: it is outside the folder") == true)
    }

    @Test func `an MP4 without its index is reported as incomplete`() throws {
        let start: [UInt8] =
            [0, 0, 0, 0x18] + Array("ftypisom".utf8) + [0, 0, 0, 0] + Array("isommp42".utf8)
            + [0, 0, 0x10, 0] + Array("mdat".utf8) + [UInt8](repeating: 7, count: 500)
        let error = try error(openingFileOf: start, named: "cut.mp4")
        #expect(error?.code == .damaged)
        #expect(error?.cause.contains("moov") == true)
    }

    @Test func `an image beyond the limits is refused`() throws {
        let header = Array("GIF89a".utf8) + [0xff, 0xff, 0xff, 0xff, 0, 0, 0]
        let frame: [UInt8] = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]
        let error = try error(openingFileOf: header + frame, named: "huge.gif")
        #expect(error?.code == .limitExceeded)
    }

    @Test func `a file with subtitles only is not playable`() throws {
        let subtitles = Array("1\n00:00:01,000 --> 00:00:02,000\nHello.\n\n".utf8)
        #expect(try error(openingFileOf: subtitles, named: "a.srt")?.code == .noPlayableTracks)
    }

    @Test(arguments: ["a:b.wav", "http: not.wav", "Ünï cödé — 映画.wav", "50% #1?.wav", "-x.wav"])
    func anyNameOpens(_ name: String) throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try WaveFile(sampleRate: 8000, channels: [[0, 0.5, 0]]).write(to: file.path)
        let demuxer = try Opening.demuxer(file.path)
        #expect(demuxer.description.tracks.count == 1)
        let asset = URLAsset(
            location: .file(path: file.path), opener: FFmpegOpener(path: file.path))
        #expect(asset.displayName == name)
        #expect(try asset.openDemuxer(cancellation: Cancellation()).description.tracks.count == 1)
    }

    @Test func `a cancelled opening reports the cancellation`() throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.wav").path
        try WaveFile(sampleRate: 8000, channels: [[0, 0.5, 0]]).write(to: file)
        let cancellation = Cancellation()
        cancellation.cancel()
        let error = #expect(throws: MediaError.self) {
            try FFmpegOpener(path: file).openDemuxer(cancellation: cancellation)
        }
        #expect(error?.code == .cancelled)
    }

    /// A server that accepts connections and never answers.
    @Test func `a server that does not answer times out`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isListening)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/film.mp4"
        let opener = FFmpegOpener(
            AssetLocation(url),
            options: AssetOptions(openingTimeout: MediaTime(value: 1, timescale: 5)))
        let error = #expect(throws: MediaError.self) {
            try opener.openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.code == .timedOut)
        #expect(error?.subject == url)
    }
}
