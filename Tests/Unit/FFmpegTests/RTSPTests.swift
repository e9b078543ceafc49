// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct RTSPTests {
    // MARK: - Texts

    @Test func `addresses name a host, and neither requests nor messages have the password`() throws
    {
        let plain = try #require(RTSPAddress("rtsp://Camera.local/live?channel=1&subtype=0"))
        #expect(plain.host == "camera.local" && plain.port == 554 && plain.user == nil)
        #expect(plain.url == "rtsp://camera.local/live?channel=1&subtype=0")
        let secret = try #require(RTSPAddress("RTSP://me:p%40ss:word@[::1]:8554/a b"))
        #expect(secret.user == "me" && secret.password == "p@ss:word")
        #expect(secret.url == "rtsp://[::1]:8554/a%20b")
        for text in ["rtsp://", "rtsp:///live", "rtsp://a:b/c", "rtsp://a:70000/", "http://a/"] {
            #expect(RTSPAddress(text) == nil, "\(text)")
        }
        #expect(RTSPAddress("rtsp://a%0D%0Ab:c@host/") == nil)
        let location = AssetLocation("rtsp://me:secret@host:554/live?password=secret")
        #expect(location == .remote(url: "rtsp://me:secret@host:554/live?password=secret"))
        #expect(location.publicDescription == "rtsp://host:554/live")
        #expect(location.displayName == "live")
        #expect(AssetLocation("rtsp://me:secret@host").displayName == "host")
        for text in ["rtsp://me:se/cret@host/live", "rtsp://me:12/cret@host/live"] {
            #expect(AssetLocation(text).publicDescription == "rtsp://…@host/live", "\(text)")
        }
        let numeric = AssetLocation("rtsp://me:a@[::1]:8554/b")
        #expect(numeric.publicDescription == "rtsp://[::1]:8554/b")
        #expect(AssetLocation("rtsp://[::1]/b").publicDescription == "rtsp://[::1]/b")
        #expect(AssetSource.location(location).description == "rtsp://host:554/live")
        let base = "rtsp://host/live/"
        #expect(RTSPAddress.url(of: "*", base: base) == base)
        #expect(RTSPAddress.url(of: "track 1", base: base) == "rtsp://host/live/track%201")
        #expect(
            RTSPAddress.url(of: "track1", base: "rtsp://host/a?b=c") == "rtsp://host/a?b=c/track1")
        #expect(RTSPAddress.url(of: "rtsp://other/x", base: base) == "rtsp://other/x")
    }

    /// The example of RFC 2617, section 3.5, and one without a quality of protection, whose digest
    /// was computed with Python's hashlib.
    @Test func `a digest proves the password as in the standard`() throws {
        let challenge =
            "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", "
            + "nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", "
            + "opaque=\"5ccc069c403ebaf9f0171e9517f40e41\""
        var proof = try #require(
            RTSPAuthorization(
                challenges: ["Basic realm=\"x\"", challenge], user: "Mufasa",
                password: "Circle Of Life"))
        let value = proof.value(method: "GET", url: "/dir/index.html", clientNonce: "0a4f113b")
        #expect(value.contains("response=\"6629fae49393a05397450978507c4ef1\""))
        #expect(value.contains("nc=00000001") && value.contains("qop=auth,"))
        #expect(value.contains("opaque=\"5ccc069c403ebaf9f0171e9517f40e41\""))
        #expect(
            proof.value(method: "GET", url: "/", clientNonce: "0").contains("nc=00000002"))
        var old = try #require(
            RTSPAuthorization(
                challenges: ["Digest realm=\"cam\", nonce=\"abc\", stale=FALSE"], user: "admin",
                password: "12345"))
        let plain = old.value(method: "DESCRIBE", url: "rtsp://h/s", clientNonce: "0")
        #expect(plain.contains("response=\"beef267e8d56a9ad8e98ab149184da22\""))
        #expect(!plain.contains("qop"))
        var basic = try #require(
            RTSPAuthorization(challenges: ["Basic realm=\"x\""], user: "a", password: "b"))
        #expect(basic.value(method: "GET", url: "/", clientNonce: "0") == "Basic YTpi")
        for other in ["Digest realm=\"x\", nonce=\"y\", algorithm=SHA-256", "Bearer", "Digest "] {
            #expect(
                RTSPAuthorization(challenges: [other], user: "a", password: "b") == nil, "\(other)")
        }
    }

    @Test func `of a session's description, only what RTP needs is passed on`() {
        let text = """
            v=0\r
            o=- 1 1 IN IP4 10.0.0.1\r
            c=IN IP4 239.1.2.3/127\r
            a=control:rtsp://host/live/\r
            a=range:npt=0-60\r
            m=video 5000 RTP/AVP 96 97\r
            a=rtpmap:96 H264/90000\r
            a=rtpmap:97 H265/90000\r
            a=fmtp:96 packetization-mode=1\r
            a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc\r
            a=control:track1\r
            m=audio 5002 RTP/AVP 96\r
            a=control:track2\r
            m=audio 5002 RTP/AVP 0\r
            a=control:track3\r
            m=application 5004 RTP/AVP 107\r
            m=video 5006 RTP/SAVP 98\r
            m=video 5008 udp 33\r
            """
        let description = SessionDescription(Array(text.utf8))
        #expect(description.control == "rtsp://host/live/")
        #expect(description.media.map(\.payloadType) == [96, 0])
        #expect(description.media.map(\.control) == ["track1", "track3"])
        #expect(!description.isTransportStream && description.hasEnd)
        for range in ["npt=now-", "npt=0-", "npt=0.000- "] {
            #expect(!SessionDescription(Array("a=range:\(range)".utf8)).hasEnd)
        }
        let lines = description.text.split(separator: "\r\n")
        #expect(
            lines.dropFirst(4) == [
                "m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000",
                "a=fmtp:96 packetization-mode=1", "m=audio 0 RTP/AVP 0",
            ])
        for body in ["m=video 0 RTP/AVP 33", "m=video 0 RTP/AVP 98\na=rtpmap:98 mp2t/90000"] {
            #expect(
                SessionDescription(Array("m=audio 0 RTP/AVP 0\n\(body)".utf8)).isTransportStream)
        }
        for noise in ["", "m=", "m=video", "m=video 0 RTP/AVP 200", "a=control:x"] {
            #expect(SessionDescription(Array(noise.utf8)).media.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("npt=0-60", 0, 60), ("npt=0.000- 60.5", 0, 60.5), ("npt=12.25-", 12.25, nil),
            ("NPT=00:01:00.5-01:00:00", 60.5, 3600), ("npt=now-", nil, nil), ("npt=-30", nil, 30),
            ("npt=1-2;time=19970123T143720Z", 1, 2), ("npt=1:2-x", nil, nil),
            ("npt=-1e9", nil, nil),
            ("npt=", nil, nil), ("npt=1.2.3-99999999999", nil, nil),
        ] as [(String, Double?, Double?)])
    func `a range in a recording has a start and an end`(
        text: String, start: Double?, end: Double?
    ) throws {
        let range = try #require(NormalPlayTime(text))
        #expect(range.start?.seconds == start && range.end?.seconds == end)
    }

    @Test func `the end of a recording is that of its range`() {
        func end(_ range: String) -> Double? {
            SessionDescription(Array("a=range:\(range)".utf8)).end?.seconds
        }
        #expect(end("npt=0-60") == 60 && end("npt=0-") == nil && end("npt=now-") == nil)
        #expect(end("npt=0-0.000") == nil)
        #expect(NormalPlayTime("clock=19961108T142300Z-19961108T143520Z") == nil)
        #expect(end("clock=19961108T142300Z-19961108T143520Z") == nil)
        let time = MediaTime(value: 12_045_999, timescale: 1_000_000)
        #expect(NormalPlayTime.field(from: time) == "Range: npt=12.045-\r\n")
        #expect(NormalPlayTime.field(from: .zero) == "Range: npt=0.000-\r\n")
    }

    @Test func `the clock of a stream is that of its format`() {
        func rate(_ media: String) -> Int32? {
            SessionDescription(Array(media.utf8)).media.first?.clockRate
        }
        #expect(rate("m=video 0 RTP/AVP 26") == 90_000 && rate("m=audio 0 RTP/AVP 0") == 8000)
        #expect(rate("m=audio 0 RTP/AVP 14") == 90_000 && rate("m=audio 0 RTP/AVP 10") == 44_100)
        #expect(rate("m=audio 0 RTP/AVP 96\na=rtpmap:96 MPEG4-GENERIC/48000/2") == 48_000)
        #expect(rate("m=audio 0 RTP/AVP 96\na=rtpmap:96 opus/0") == 8000)
    }

    @Test func `a stream reaches its end with its last frame, in any order of frames`() {
        let second: UInt32 = 90_000
        var progress = StreamProgress(clockRate: 90_000)
        #expect(progress.duration == nil && !progress.reaches(.zero))
        // The timestamps wrap around.
        let start = UInt32.max - second
        for frame in [0, 3, 1, 2, 6, 4, 5] as [UInt32] {
            progress.note(start &+ frame * second / 2, isNewSource: false)
        }
        #expect(progress.duration == MediaTime(value: 3, timescale: 1))
        #expect(progress.reaches(MediaTime(value: 5, timescale: 1)))
        #expect(!progress.reaches(MediaTime(value: 6, timescale: 1)))
        // A sender that starts again has other timestamps.
        progress.note(7, isNewSource: true)
        progress.note(7 + second, isNewSource: false)
        #expect(progress.duration == MediaTime(value: 4, timescale: 1))
    }

    @Test func `messages and channels that are not valid are refused`() throws {
        #expect(RTSPMessage(firstLine: "RTSP/1.0 200 OK")?.status == 200)
        #expect(RTSPMessage(firstLine: "REDIRECT rtsp://a RTSP/1.0")?.method == "REDIRECT")
        for line in ["RTSP/1.0", "RTSP/1.0 20 OK", "RTSP/1.0 999 x", "HTTP/1.0 200 OK", "$", "x y"]
        {
            #expect(RTSPMessage(firstLine: line) == nil, "\(line)")
        }
        let transport = RTSPTransport("RTP/AVP/TCP;unicast;interleaved=4-5;ssrc=1", requested: 0)
        #expect(transport?.media == 4 && transport?.control == 5)
        let silent = RTSPTransport("RTP/AVP/TCP;unicast", requested: 2)
        #expect(silent?.media == 2 && silent?.control == 3)
        for text in ["RTP/AVP;unicast;client_port=1-2", "", "RTP/AVP/TCP;interleaved=300-301"] {
            #expect(RTSPTransport(text, requested: 0) == nil, "\(text)")
        }
    }

    // MARK: - Rules

    @Test(arguments: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"])
    func `a server that redirects is refused, and no other address is opened`(
        method: String
    ) throws {
        let other = try RTSPServer(description: RTPVideo.description)
        defer { other.stop() }
        for target in ["file:///etc/passwd", other.url(user: "a:secret@"), "rtsp://192.0.2.1/"] {
            let server = try RTSPServer(description: RTPVideo.description) { request in
                request.method == method ? .status(302, ["Location: \(target)"]) : nil
            }
            defer { server.stop() }
            let error = try #require(Opening.failure(server.url()))
            #expect(error.code == .notAllowed, "\(error)")
            #expect(error.cause.contains("redirects"))
            #expect(!error.description.contains("secret"))
        }
        #expect(other.connectionCount == 0)
    }

    @Test func `only the caller can name a stream`() throws {
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let folder = TemporaryFolder()
        let list =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(server.url())\n#EXT-X-ENDLIST\n"
        let session = RTPVideo.description.replacing(
            "track1", with: server.url())
        for (name, text) in [("list.m3u8", list), ("session.sdp", session)] {
            let file = folder.appending(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            for rules in [AssetAccessRules(), AssetAccessRules(filesMayReachNetwork: true)] {
                var options = AssetOptions()
                options.rules = rules
                #expect(throws: MediaError.self) {
                    try FFmpegOpener(path: file.path, options: options)
                        .openDemuxer(cancellation: Cancellation())
                }
            }
        }
        var options = AssetOptions()
        options.rules.schemes = [.file]
        #expect {
            _ = try FFmpegOpener(AssetLocation(server.url()), options: options)
                .openDemuxer(cancellation: Cancellation())
        } throws: {
            ($0 as? MediaError)?.code == .notAllowed
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `a password is proved, and is in no error`() throws {
        let server = try RTSPServer(description: RTPVideo.description) { request in
            guard let value = request.fields["authorization"], request.method != "OPTIONS" else {
                return request.method == "OPTIONS"
                    ? nil : .status(401, ["WWW-Authenticate: Digest realm=\"a\", nonce=\"b\""])
            }
            // This is the digest of the user `me` and the password `secret`.
            var proof = RTSPAuthorization(
                challenges: ["Digest realm=\"a\", nonce=\"b\""], user: "me", password: "secret")
            let expected = proof?.value(
                method: request.method, url: request.url, clientNonce: "")
            return value == expected ? nil : .status(401, ["WWW-Authenticate: Basic"])
        }
        defer { server.stop() }
        let refused = try #require(Opening.failure(server.url(user: "me:wrong-secret@")))
        #expect(refused.code == .cannotOpen && refused.cause.contains("401"), "\(refused)")
        #expect(!"\(refused)".contains("secret") && !"\(refused)".contains("me:"))
        let demanded = try #require(Opening.failure(server.url()))
        #expect(demanded.code == .cannotOpen && demanded.cause.contains("demands"))
        for seconds in [2.0, 60] {
            let silent = try #require(
                Opening.failure(server.url(user: "me:secret@"), seconds: seconds))
            #expect(silent.code == .timedOut, "\(silent)")
            // A slow machine may not get that far in two seconds.
            if server.requests.contains(where: { $0.method == "PLAY" }) { break }
        }
        #expect(server.requests.contains { $0.method == "PLAY" })
        #expect(server.requests.allSatisfy { !$0.url.contains("secret") })
    }

    @Test func `a password is proved again if the server replaces its nonce`() throws {
        let server = try RTSPServer(description: RTPVideo.description) { request in
            // Only the requests that keep the session are OPTIONS with a session.
            let keeps = request.method == "OPTIONS" && request.fields["session"] != nil
            let nonce = keeps ? "nonce=\"b\"" : "nonce=\"a\""
            guard request.fields["authorization"]?.contains(nonce) == true else {
                return .status(401, ["WWW-Authenticate: Digest realm=\"r\", \(nonce)"])
            }
            guard request.method == "SETUP" else { return nil }
            return .status(
                200,
                ["Session: 1;timeout=2", "Transport: \(request.fields["transport"] ?? "")"])
        }
        defer { server.stop() }
        let address = try #require(RTSPAddress(server.url(user: "me:secret@")))
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: 60, timescale: 1)
        let interrupt = Interrupt(cancellation: Cancellation(), options: options)
        interrupt.begin(opens: true)
        let session = try RTSPSession(
            address, subject: server.url(), interrupt: interrupt, transfer: TransferMonitor())
        server.waitForPlayer()
        var sequence: UInt16 = 0
        try eventually("the second proof") {
            server.send(
                RTPVideo.packet(
                    [7], type: 96, isLast: true, sequence: sequence, timestamp: 0,
                    source: RTPVideo.source), channel: 0)
            sequence &+= 1
            _ = try session.nextPacket()
            return server.requests.contains {
                $0.method == "OPTIONS"
                    && $0.fields["authorization"]?.contains("nonce=\"b\"") == true
            }
        }
    }

    @Test func `a server that demands another proof of the password is an error with it`() throws {
        let server = try RTSPServer(description: RTPVideo.description) { _ in
            .status(
                401, ["WWW-Authenticate: Digest realm=\"r\", nonce=\"a\", algorithm=SHA-256"])
        }
        defer { server.stop() }
        let error = try #require(Opening.failure(server.url(user: "me:secret@")))
        #expect(error.code == .cannotOpen && error.cause.contains("MD5"), "\(error)")
    }

    // MARK: - Bad servers

    @Test(arguments: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY", "nothing"])
    func `a server that stops answering is a timeout`(method: String) throws {
        let server = try RTSPServer(description: RTPVideo.description) { request in
            request.method == method ? .silence : nil
        }
        defer { server.stop() }
        let error = try #require(Opening.failure(server.url(), seconds: 0.5))
        #expect(error.code == .timedOut, "\(error)")
        #expect(error.subject == server.url())
    }

    @Test(arguments: [
        "noise", "RTSP/1.0 200 OK\r\n",
        "RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: 99\r\n\r\nv=",
        "RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n", "RTSP/1.0 200 OK\r\nnoise\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n", "RTSP/1.0 2000 OK\r\n\r\n", "$\u{0}", "\u{0}\u{1}\u{2}\r\n",
    ])
    func `half answers and noise are errors`(answer: String) throws {
        let server = try RTSPServer(description: RTPVideo.description) { request in
            switch request.method {
            case "DESCRIBE": .raw(Array(answer.utf8))
            case "TEARDOWN": .end
            default: nil
            }
        }
        defer { server.stop() }
        let isOver = Monitor(false)
        let closer = WorkerThread(name: "test-closer") {
            // Without the end of the connection, a half answer is a slow one.
            while !isOver.withLock({ $0 }) {
                if server.requests.contains(where: { $0.method == "DESCRIBE" }) {
                    server.closeConnections()
                }
                usleep(10_000)
            }
        }
        defer {
            isOver.change { $0 = true }
            closer.join()
        }
        let error = try #require(Opening.failure(server.url()))
        #expect([.damaged, .cannotOpen].contains(error.code), "\(error)")
    }

    @Test func `endless headers, and media instead of answers, are refused`() throws {
        let line = "Server: noise\r\n"
        let packet: [UInt8] =
            [UInt8(ascii: "$"), 0, 0xFF, 0xFF] + [UInt8](repeating: 0x80, count: 65535)
        for bytes in [
            Array(("RTSP/1.0 200 OK\r\n" + String(repeating: line, count: 1000)).utf8),
            Array(String(repeating: "x", count: 10_000).utf8),
            Array(repeatElement(packet, count: 100).joined()),
        ] {
            let server = try RTSPServer(description: RTPVideo.description) { request in
                request.method == "SETUP" ? .raw(bytes) : nil
            }
            defer { server.stop() }
            let error = try #require(Opening.failure(server.url(), seconds: 5))
            #expect([.damaged, .limitExceeded, .timedOut].contains(error.code), "\(error)")
        }
    }

    @Test func `refusals and sessions without media are errors with their reason`() throws {
        for (method, status, word) in [
            ("DESCRIBE", 404, "404"), ("SETUP", 461, "RTP over"), ("PLAY", 503, "PLAY (503)"),
        ] {
            let server = try RTSPServer(description: RTPVideo.description) { request in
                request.method == method ? .status(status) : nil
            }
            defer { server.stop() }
            let error = try #require(Opening.failure(server.url()))
            #expect(error.code == .cannotOpen && error.cause.contains(word), "\(error)")
        }
        let byDatagrams = try RTSPServer(description: RTPVideo.description) { request in
            request.method == "SETUP"
                ? .status(200, ["Session: 1", "Transport: RTP/AVP;unicast;client_port=1-2"]) : nil
        }
        defer { byDatagrams.stop() }
        #expect(Opening.failure(byDatagrams.url())?.cause.contains("RTP over") == true)
        let empty = try RTSPServer(description: "v=0\r\n")
        defer { empty.stop() }
        #expect(Opening.failure(empty.url())?.code == .noPlayableTracks)
        empty.stop()
        #expect(Opening.failure(empty.url())?.code == .cannotOpen)
    }
}
