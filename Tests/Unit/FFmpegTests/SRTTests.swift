// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct SRTTests {
    @Test func `addresses are those of FFmpeg, with the options of a receiver`() throws {
        func address(_ text: String) throws(MediaError) -> SRTAddress {
            try SRTAddress(text, subject: "s")
        }
        let plain = try address("srt://Host.example:9000")
        #expect(plain.host == "host.example" && plain.port == 9000 && plain.mode == .caller)
        #expect(plain.options == ["mode": "caller"])
        let waiting = try address("SRT://@:9000?latency=50000")
        #expect(waiting.host.isEmpty && waiting.mode == .listener)
        #expect(waiting.options == ["mode": "listener", "latency": "50000"])
        let bound = try address("srt://[::1]:9000/?mode=listener&transtype=file&listen_timeout=1")
        #expect(bound.host == "::1" && bound.options == ["mode": "listener"])
        let full = try address(
            "srt://a:1?passphrase=long%20secret&pbkeylen=32&streamid=#!::r=live/a,m=request")
        #expect(
            full.options == [
                "mode": "caller", "passphrase": "long secret", "pbkeylen": "32",
                "streamid": "#!::r=live/a,m=request",
            ])
        for text in [
            "srt://", "srt://a", "srt://a:0", "srt://a:70000", "srt://a b:1",
            "srt://:1?mode=caller",
            "srt://a:1?mode=rendezvous", "srt://a:1?latency=-1", "srt://a:1?latency=1s",
            "srt://a:1?latency=99999999", "srt://a:1?passphrase=short", "srt://a:1?pbkeylen=17",
            "srt://a:1?streamid=" + String(repeating: "x", count: 513),
        ] {
            #expect(throws: MediaError.self, "\(text)") { try address(text) }
        }
        let location = AssetLocation("srt://a:9000?passphrase=long-secret")
        #expect(location == .remote(url: "srt://a:9000?passphrase=long-secret"))
        #expect(location.publicDescription == "srt://a:9000")
        #expect(location.displayName == "a:9000")
        #expect(AssetLocation("srt:9000") == .file(path: "srt:9000"))
    }

    @Test(.enabled(if: SRTSource.isAvailable, "needs an FFmpeg with SRT"))
    func `without a sender, opening ends, and no password is in the error`() throws {
        let port = try DatagramSender.freePort()
        let secret = "passphrase=long-secret"
        let called = try #require(
            Opening.failure("srt://127.0.0.1:\(port)?\(secret)", seconds: 0.5))
        #expect(called.code == .timedOut, "\(called)")
        let refused = try #require(
            Opening.failure("srt://127.0.0.1:\(port)?\(secret)", seconds: 60))
        #expect(refused.code == .cannotOpen, "\(refused)")
        let waited = try #require(
            Opening.failure("srt://127.0.0.1:\(port)?mode=listener&\(secret)", seconds: 0.5))
        #expect(waited.code == .timedOut && waited.cause.contains("port \(port)"), "\(waited)")
        let foreign = try #require(
            Opening.failure("srt://192.0.2.1:\(port)?mode=listener", seconds: 60))
        #expect(foreign.code == .cannotOpen, "\(foreign)")
        for error in [called, refused, waited] {
            #expect(!"\(error)".contains("secret"))
            #expect(error.subject == "srt://127.0.0.1:\(port)")
        }
        let forbidden = Opening.failure("srt://127.0.0.1:\(port)", seconds: 60, schemes: [.file])
        #expect(forbidden?.code == .notAllowed)
    }

    @Test func `a playlist cannot name a stream`() throws {
        let folder = TemporaryFolder()
        let file = folder.appending("list.m3u8")
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nsrt://127.0.0.1:5000\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(throws: MediaError.self) {
            try FFmpegOpener(path: file.path).openDemuxer(cancellation: Cancellation())
        }
    }

    @Test(
        .enabled(
            if: SyntheticClip.isAvailable && SRTSource.isAvailable,
            "needs the ffmpeg command and an FFmpeg with SRT"),
        arguments: [true, false])
    func `a stream that another program sends is read, encrypted, by both sides' calls`(
        waits: Bool
    ) throws {
        let clip = SyntheticClip.stream(keyframeInterval: 25)
        let port = try DatagramSender.freePort()
        let options = "passphrase=long-secret&latency=50000"
        let sender = try ChildProcess([
            "ffmpeg", "-v", "error", "-nostdin", "-re", "-i", try clip.url().path, "-c", "copy",
            "-f", "mpegts",
            "srt://127.0.0.1:\(port)?mode=\(waits ? "caller" : "listener")"
                + "&connect_timeout=60000&\(options)",
        ])
        defer { sender.kill() }
        let url = "srt://127.0.0.1:\(port)?\(waits ? "mode=listener&" : "")\(options)"
        if !waits {
            // Another passphrase is refused. The sender may not listen yet.
            let wrong = try #require(
                Opening.failure(
                    "srt://127.0.0.1:\(port)?passphrase=other-secret", seconds: 60))
            #expect(wrong.code == .cannotOpen && !"\(wrong)".contains("secret"))
        }
        var opened: (any Demuxer)?
        try eventually("the stream") {
            opened = try? FFmpegOpener(AssetLocation(url)).openDemuxer(
                cancellation: Cancellation())
            return opened != nil || sender.hasEnded
        }
        let demuxer = try #require(opened, "\(sender.standardError)")
        #expect(demuxer.description.container == "mpegts")
        #expect(demuxer.arrivalMonitor != nil && !demuxer.description.duration.isNumeric)
        var times: [MediaTime] = []
        while times.count < 60, let packet = try demuxer.readPacket() {
            if packet.trackID == 0 { times.append(packet.decodeTime) }
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        sender.signal()
        let failure = demuxer.readToFailure()
        #expect(failure?.code == .cannotOpen || failure?.code == .timedOut)
        #expect(demuxer.canResume)
    }
}
