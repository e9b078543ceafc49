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

/// Media that an RTSP session carries.
@Suite struct RTSPMediaTests {
    private static let videos = Result {
        try RTPVideo(framesPerSecond: 25, seconds: 60, keyframeInterval: 10)
    }

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
        let demuxer = try Opening.stream(server.url())
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
        let demuxer = try Opening.stream(server.url())
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
        let demuxer = try Opening.stream(server.url())
        #expect(demuxer.description.container == "mpegts")
        var times: [MediaTime] = []
        while times.count < 40, let packet = try demuxer.readPacket() {
            times.append(packet.presentationTime)
        }
        #expect(times.count == 40 && Set(times).count == 40)
        #expect(demuxer.transfer?.log.failures.isEmpty == true)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [true, false])
    func `a session that the server ends is over only if it is a recording`(
        isRecording: Bool
    ) throws {
        let video = try Self.videos.get()
        let range = isRecording ? "a=range:npt=0-60\r\n" : ""
        let server = try RTSPServer(description: RTPVideo.description + range)
        defer { server.stop() }
        let feed = RTSPFeed(video, to: server)
        defer { feed.stop() }
        let demuxer = try Opening.stream(server.url())
        _ = try demuxer.readPacket()
        // A report without contents, and the end (RFC 3550, sections 6.4.2 and 6.6).
        let source = (0..<4).map { UInt8(truncatingIfNeeded: RTPVideo.source >> (24 - 8 * $0)) }
        let (report, end): ([UInt8], [UInt8]) = ([0x80, 201, 0, 1], [0x81, 203, 0, 1])
        server.send(report + source + end + source, channel: 1)
        let failure = demuxer.readToFailure()
        let expected: MediaError.Code? = isRecording ? nil : .cannotOpen
        #expect(failure?.code == expected)
        guard !isRecording else { return }
        try demuxer.resume()
        #expect(try demuxer.readPacket()?.isKeyframe == true)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [true, false])
    func `a connection that is closed ends a recording only at its end`(isAtEnd: Bool) throws {
        let video = try Self.videos.get()
        let server = try RTSPServer(
            description: RTPVideo.description + "a=range:npt=0-\(isAtEnd ? 4 : 20)\r\n")
        defer { server.stop() }
        // The video has 25 frames a second.
        let feed = RTSPFeed(0..<101, framesPerSecond: 50, to: server) { number in
            if number < 100 { return video.packets(of: number).map { ($0, 0) } }
            server.closeConnections()
            return []
        }
        defer { feed.stop() }
        let demuxer = try Opening.stream(server.url())
        let failure = demuxer.readToFailure()
        #expect(failure?.code == (isAtEnd ? nil : .cannotOpen))
        if isAtEnd { #expect(try demuxer.readPacket() == nil) }
    }

    enum Ending: CaseIterable, Sendable {
        case closing, request, silence
    }

    @Test(arguments: Ending.allCases, [true, false])
    func `a recording that stops is over only at its end, however the server stops`(
        ending: Ending, isAtEnd: Bool
    ) throws {
        let server = try RTSPServer(
            description: "v=0\r\na=range:npt=0-\(isAtEnd ? 1 : 2)\r\n"
                + "m=audio 0 RTP/AVP 0\r\na=control:track1\r\n")
        defer { server.stop() }
        let address = try #require(RTSPAddress(server.url()))
        var options = AssetOptions()
        options.timeout = MediaTime(value: ending == .silence ? 2 : 60, timescale: 1)
        let interrupt = Interrupt(cancellation: Cancellation(), options: options)
        interrupt.begin(opens: true)
        let session = try RTSPSession(
            address, subject: server.url(), interrupt: interrupt, transfer: TransferMonitor())
        server.waitForPlayer()
        for number in 0..<50 {
            server.send(
                RTPVideo.packet(
                    [UInt8](repeating: 7, count: 160), type: 0, isLast: false,
                    sequence: UInt16(number), timestamp: UInt32(number) * 160, source: 99),
                channel: 0)
        }
        switch ending {
        case .closing: server.closeConnections()
        case .request:
            server.send(Array("TEARDOWN \(server.url()) RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8))
        case .silence: break
        }
        var count = 0
        func readAll() throws(MediaError) {
            interrupt.begin()
            while try session.nextPacket() != nil {
                count += 1
                interrupt.begin()
            }
        }
        if isAtEnd {
            try readAll()
            #expect(try session.nextPacket() == nil)
        } else {
            #expect(throws: MediaError.self) { try readAll() }
            #expect(session.position == MediaTime(value: 49 * 160, timescale: 8000))
        }
        #expect(count == 50)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a recording continues where its connection was lost`() throws {
        let video = try Self.videos.get()
        let server = try RTSPServer(
            description: RTPVideo.description + "a=range:npt=0-20\r\n")
        defer { server.stop() }
        let feed = RTSPFeed(video, to: server)
        defer { feed.stop() }
        let demuxer = try Opening.stream(server.url())
        for _ in 0..<20 { _ = try demuxer.readPacket() }
        server.closeConnections()
        #expect(demuxer.readToFailure()?.code == .cannotOpen)
        let latest = try #require(feed.last)
        try demuxer.resume()
        #expect(try demuxer.readPacket()?.isKeyframe == true)
        let ranges = server.requests.filter { $0.method == "PLAY" }.map { $0.fields["range"] }
        try #require(ranges.count == 2)
        #expect(ranges[0] == "npt=0.000-")
        let start = ranges[1].flatMap { Double($0.dropFirst("npt=".count).dropLast()) }
        let frame = try #require(start) * Double(video.framesPerSecond)
        // At least the frames that were read had arrived.
        #expect(frame >= 19 && frame <= Double(latest) + 1, "\(frame) of \(latest)")
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
        let demuxer = try Opening.stream(server.url())
        isBack.change { $0 = true }
        server.closeConnections()
        let failure = demuxer.readToFailure()
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
        let demuxer = try Opening.stream(server.url())
        func read(_ count: Int) throws -> [MediaPacket] {
            try (0..<count).compactMap { _ in try demuxer.readPacket() }
        }
        var last = MediaTime.zero
        for _ in 0..<2 {
            let before = try read(20)
            let monitor = try #require(demuxer.arrivalMonitor)
            let offset = try #require(monitor.time(atHostTime: .zero))
            server.closeConnections()
            let failure = demuxer.readToFailure()
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
