// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct RTSPTests {
    private static func open(
        _ url: String, seconds: Double = 60
    ) throws(MediaError) -> any Demuxer {
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: Int64(seconds * 1000), timescale: 1000)
        return try FFmpegOpener(AssetLocation(url), options: options)
            .openDemuxer(cancellation: Cancellation())
    }

    private static func failure(_ url: String, seconds: Double = 60) -> MediaError? {
        do throws(MediaError) {
            _ = try open(url, seconds: seconds)
            return nil
        } catch {
            return error
        }
    }

    private static let videos = Result {
        try RTPVideo(framesPerSecond: 25, seconds: 20, keyframeInterval: 10)
    }

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
        for text in ["rtsp://me:se/cret@host/live", "rtsp://me:se?cret@host/live"] {
            #expect(AssetLocation(text).publicDescription == "rtsp://…", "\(text)")
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
        #expect(!description.isTransportStream)
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
            let error = try #require(Self.failure(server.url()))
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
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(server.url())\n"
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
        let refused = try #require(Self.failure(server.url(user: "me:wrong-secret@")))
        #expect(refused.code == .cannotOpen && refused.cause.contains("401"), "\(refused)")
        #expect(!"\(refused)".contains("secret") && !"\(refused)".contains("me:"))
        let demanded = try #require(Self.failure(server.url()))
        #expect(demanded.code == .cannotOpen && demanded.cause.contains("demands"))
        let silent = try #require(Self.failure(server.url(user: "me:secret@"), seconds: 2))
        #expect(silent.code == .timedOut, "\(silent)")
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
        let error = try #require(Self.failure(server.url(user: "me:secret@")))
        #expect(error.code == .cannotOpen && error.cause.contains("MD5"), "\(error)")
    }

    // MARK: - Bad servers

    @Test(arguments: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY", "nothing"])
    func `a server that stops answering is a timeout`(method: String) throws {
        let server = try RTSPServer(description: RTPVideo.description) { request in
            request.method == method ? .silence : nil
        }
        defer { server.stop() }
        let error = try #require(Self.failure(server.url(), seconds: 0.5))
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
        let error = try #require(Self.failure(server.url()))
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
            let error = try #require(Self.failure(server.url(), seconds: 5))
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
            let error = try #require(Self.failure(server.url()))
            #expect(error.code == .cannotOpen && error.cause.contains(word), "\(error)")
        }
        let byDatagrams = try RTSPServer(description: RTPVideo.description) { request in
            request.method == "SETUP"
                ? .status(200, ["Session: 1", "Transport: RTP/AVP;unicast;client_port=1-2"]) : nil
        }
        defer { byDatagrams.stop() }
        #expect(Self.failure(byDatagrams.url())?.cause.contains("RTP over") == true)
        let empty = try RTSPServer(description: "v=0\r\n")
        defer { empty.stop() }
        #expect(Self.failure(empty.url())?.code == .noPlayableTracks)
        empty.stop()
        #expect(Self.failure(empty.url())?.code == .cannotOpen)
    }

    // MARK: - Media

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a video plays as it arrives, and losses are recorded`() throws {
        let video = try Self.videos.get()
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let feed = RTSPFeed(
            0..<video.frameCount, framesPerSecond: video.framesPerSecond, to: server
        ) { number in
            var packets: [RTSPFeed.Packet] = video.packets(of: number).map { ($0, 0) }
            // Every 40th frame lacks its last packet.
            if number % 40 == 39 { packets.removeLast() }
            if number % 25 == 0 {
                packets.append(
                    (
                        RTPVideo.report(
                            seconds: UInt32(number / 25), timestamp: video.timestamp(of: number),
                            source: RTPVideo.source), 1
                    ))
            }
            // Packets of other streams, and noise in packets, are dropped.
            let noise: [RTSPFeed.Packet] = [
                ([1, 2, 3], 0), ([0x80, 200], 1), ([0x80, 96, 0, 1], 7),
            ]
            return packets + noise
        }
        defer { feed.stop() }
        let demuxer = try Self.open(server.url())
        #expect(demuxer.description.container == "rtsp")
        #expect(!demuxer.description.duration.isNumeric)
        let track = try #require(demuxer.description.tracks.first)
        #expect(demuxer.description.tracks.count == 1 && track.mediaType == .video)
        #expect(track.formatDescription.video?.height == 240)
        #expect(demuxer.arrivalMonitor != nil)
        var times: [MediaTime] = []
        while times.count < 150, let packet = try demuxer.readPacket() {
            if packet.presentationTime.isNumeric { times.append(packet.presentationTime) }
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(demuxer.arrivalMonitor?.time(atHostTime: HostClock.shared.time) != nil)
        let failures = try #require(demuxer.transfer?.log.failures)
        #expect(failures.contains { $0.error.cause.contains("lost") })
    }

    @Test func `reports are sent over the channel of their stream`() throws {
        let server = try RTSPServer(
            description: RTPVideo.description + "m=audio 0 RTP/AVP 0\r\na=control:track2\r\n")
        defer { server.stop() }
        let address = try #require(RTSPAddress(server.url()))
        let interrupt = Interrupt(cancellation: Cancellation(), options: AssetOptions())
        interrupt.begin(opens: true)
        let session = try RTSPSession(
            address, subject: server.url(), interrupt: interrupt, transfer: TransferMonitor())
        server.waitForPlayer()
        // FFmpeg assigns reports to the streams whose packets it has seen.
        let early = RTPVideo.report(seconds: 1, timestamp: 0, source: 99)
        let packet = RTPVideo.packet(
            [7], type: 0, isLast: true, sequence: 1, timestamp: 0, source: 99)
        server.send(early, channel: 3)
        server.send(packet, channel: 2)
        #expect(try session.nextPacket() == packet)
        #expect(try session.nextPacket() == early)
        let report: [UInt8] = [0x81, 201, 0, 7, 0, 0, 0, 1, 0, 0, 0, 99] + Array(1...20)
        session.send(report: report)
        server.waitForReports(1)
        #expect(server.received == [report])
        #expect(server.receivedChannels == [3])
        session.disconnect()
        server.waitForRequest("TEARDOWN")
    }

    /// Audio of G.711, 20 ms in a packet, whose samples are the number of the packet, and video
    /// begin with unrelated timestamps, and audio is sent 100 ms late. Reports relate both to the
    /// time of the sender. Keyframes are 400 ms apart, and the numbers of audio begin again after
    /// twelve times as long, so both are compared within 400 ms.
    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `audio and video are in sync by the reports of the sender`() throws {
        let video = try Self.videos.get()
        let description =
            RTPVideo.description + "m=audio 0 RTP/AVP 0\r\na=control:track2\r\n"
        let server = try RTSPServer(description: description)
        defer { server.stop() }
        let (videoStart, audioStart) = (UInt32(4_000_000_000), UInt32(77_000))
        let audioSource: UInt32 = 99
        let feed = RTSPFeed(
            0..<video.frameCount, framesPerSecond: video.framesPerSecond, to: server
        ) { number in
            var packets: [RTSPFeed.Packet] = []
            if number % 25 == 0 {
                let seconds = UInt32(1000 + number / 25)
                packets += [
                    (
                        RTPVideo.report(
                            seconds: seconds,
                            timestamp: videoStart &+ video.timestamp(of: number),
                            source: RTPVideo.source), 1
                    ),
                    (
                        RTPVideo.report(
                            seconds: seconds, timestamp: audioStart + UInt32(number) * 320,
                            source: audioSource), 3
                    ),
                ]
            }
            packets += video.packets(of: number, start: videoStart).map { ($0, 0) }
            for index in [2 * number - 5, 2 * number - 4] where index >= 0 {
                packets.append(
                    (
                        RTPVideo.packet(
                            [UInt8](repeating: UInt8(index % 240), count: 160), type: 0,
                            isLast: false, sequence: UInt16(index),
                            timestamp: audioStart + UInt32(index) * 160, source: audioSource), 2
                    ))
            }
            return packets
        }
        defer { feed.stop() }
        let demuxer = try Self.open(server.url())
        #expect(demuxer.description.tracks.map(\.mediaType) == [.video, .audio])
        var (videoTime, audioTime) = (MediaTime.invalid, MediaTime.invalid)
        var keyframes = 0
        while keyframes < 6, let packet = try demuxer.readPacket() {
            guard packet.presentationTime.isNumeric,
                let box = packet.payload as? PacketBox, let data = box.pointer.pointee.data
            else { continue }
            if packet.trackID == 1 {
                audioTime =
                    packet.presentationTime - MediaTime(value: Int64(data[0]), timescale: 50)
            } else if packet.isKeyframe {
                keyframes += 1
                videoTime = packet.presentationTime
            }
        }
        let difference = (videoTime - audioTime).seconds
        let rest = difference - (difference / 0.4).rounded() * 0.4
        #expect(abs(rest) < 0.005, "\(rest)")
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a session that carries a transport stream plays like the stream`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 10, timescale: 1)))
        media.height = 240
        media.keyframeInterval = 10
        media.sounds = []
        let bytes = [UInt8](try Data(contentsOf: SyntheticClip(media, container: "ts").url()))
        let parts = stride(from: 0, to: bytes.count, by: 1316).map {
            Array(bytes[$0..<min($0 + 1316, bytes.count)])
        }
        let server = try RTSPServer(
            description: "v=0\r\nm=video 0 RTP/AVP 33\r\na=control:track1\r\n")
        defer { server.stop() }
        let feed = RTSPFeed(
            0..<parts.count, framesPerSecond: parts.count / 10, to: server
        ) { number in
            let packet = DatagramSender.rtp(parts[number], sequence: UInt16(number))
            let sent: [RTSPFeed.Packet] = [(packet, 0)]
            return sent
        }
        defer { feed.stop() }
        let demuxer = try Self.open(server.url())
        #expect(demuxer.description.container == "mpegts")
        var times: [MediaTime] = []
        while times.count < 40, let packet = try demuxer.readPacket() {
            times.append(packet.presentationTime)
        }
        #expect(times.count == 40 && Set(times).count == 40)
        #expect(demuxer.transfer?.log.failures.isEmpty == true)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a stream that comes back with another codec is an error`() throws {
        let video = try Self.videos.get()
        let isBack = Monitor(false)
        let server = try RTSPServer(description: RTPVideo.description) { request in
            guard request.method == "DESCRIBE", isBack.withLock({ $0 }) else { return nil }
            return .status(
                200, ["Content-Base: \(request.url)/"],
                body: "v=0\r\nm=audio 0 RTP/AVP 0\r\na=control:track1\r\n")
        }
        defer { server.stop() }
        // A session receives only the packets of its own type.
        let feed = RTSPFeed(
            0..<video.frameCount, framesPerSecond: video.framesPerSecond, to: server
        ) { number in
            let audio = RTPVideo.packet(
                [UInt8](repeating: 7, count: 320), type: 0, isLast: false,
                sequence: UInt16(number), timestamp: UInt32(number) * 320, source: 99)
            var packets: [RTSPFeed.Packet] = video.packets(of: number).map { ($0, 0) }
            packets.append((audio, 0))
            return packets
        }
        defer { feed.stop() }
        let demuxer = try Self.open(server.url())
        isBack.change { $0 = true }
        server.closeConnections()
        var failure: MediaError?
        while failure == nil {
            do throws(MediaError) {
                _ = try demuxer.readPacket()
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .cannotOpen)
        #expect {
            try demuxer.resume()
        } throws: {
            ($0 as? MediaError)?.cause.contains("tracks have changed") == true
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a stream continues after the connection was lost, on the timeline of arrival`() throws {
        let video = try Self.videos.get()
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let feed = RTSPFeed(video, to: server)
        defer { feed.stop() }
        let demuxer = try Self.open(server.url())
        func read(_ count: Int) throws -> [MediaPacket] {
            try (0..<count).compactMap { _ in try demuxer.readPacket() }
        }
        var last = MediaTime.zero
        for _ in 0..<2 {
            let before = try read(20)
            let monitor = try #require(demuxer.arrivalMonitor)
            let offset = try #require(monitor.time(atHostTime: .zero))
            server.closeConnections()
            var failure: MediaError?
            while failure == nil {
                do throws(MediaError) {
                    _ = try demuxer.readPacket()
                } catch {
                    failure = error
                }
            }
            #expect(failure?.code == .cannotOpen && demuxer.canResume)
            try demuxer.resume()
            let after = try read(20)
            #expect(after.first?.isKeyframe == true)
            let times = after.map(\.presentationTime)
            let end = try #require(before.last?.presentationTime)
            #expect(times.allSatisfy { $0 > end && $0 > last })
            last = try #require(times.last)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            // The relation between the timeline and the host time is as before, although the
            // timestamps of the new session begin again.
            let change = try #require(monitor.time(atHostTime: .zero)) - offset
            #expect(abs(change.seconds) < 1, "\(change)")
        }
    }
}
