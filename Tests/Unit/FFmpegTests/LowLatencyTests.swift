// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Low-latency HLS, read from a server whose parts are published by hand.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LowLatencyTests {
    /// A demuxer with a video decoder.
    private struct Reader: @unchecked Sendable {
        // Unchecked: one thread at a time uses it.

        let demuxer: any Demuxer
        let decoder: any VideoDecoder

        init(_ server: LowLatencyServer, options: AssetOptions = AssetOptions()) throws {
            let opener = FFmpegOpener(AssetLocation(server.url), options: options)
            demuxer = try opener.openDemuxer(cancellation: Cancellation())
            let track = try #require(demuxer.description.preferredTrack(of: .video))
            demuxer.selectTracks([track.id])
            decoder = try demuxer.makeVideoDecoder(for: track)
        }

        var window: LiveWindow { get throws { try #require(demuxer.liveMonitor?.window) } }

        /// Reads packets until their frames begin at or after a number.
        func packets(before end: Int) throws -> [Int] {
            var numbers: [Int] = []
            while (numbers.last ?? -1) < end - 1, let packet = try demuxer.readPacket() {
                numbers.append(Int((packet.presentationTime.seconds * 30).rounded()))
            }
            return numbers
        }

        /// Returns the number in the pixels of the next frame, and its time.
        func frame() throws -> (number: Int?, time: MediaTime) {
            while true {
                if let frame = try decoder.receive() {
                    return (
                        FrameNumberStrip.read(from: frame.pixelBuffer), frame.presentationTime
                    )
                }
                let packet = try #require(try demuxer.readPacket())
                try decoder.send(packet)
            }
        }

        func seek(to seconds: Double) throws {
            decoder.flush()
            try demuxer.seek(to: MediaTime(value: Int64(seconds * 1000), timescale: 1000))
        }
    }

    /// Publishes a part each time that the reader waits for it.
    ///
    /// - Parameter awaitsHints: A Boolean value that indicates whether the reader must have
    ///   requested the part, too.
    private static func publishing<Result>(
        _ server: LowLatencyServer, _ parts: ClosedRange<Int>, awaitsHints: Bool = false,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let publisher = WorkerThread(name: "test-publish") {
            for part in parts {
                server.waitForBlockedRequest(ofPart: part)
                if awaitsHints { server.waitForEarlyRequest(ofPart: part) }
                server.publish(part + 1)
            }
        }
        defer {
            // If reading has failed, the publisher would wait for ever.
            server.stop()
            publisher.join()
        }
        return try body()
    }

    @Test(arguments: [false, true])
    func `reading begins at a keyframe before the recommended distance, and goes on in parts`(
        usesRanges: Bool
    ) throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1, usesRanges: usesRanges)
        server.publish(16)
        let reader = try Reader(server)
        let window = try reader.window
        #expect(abs(window.range.end.seconds - 16.0 / 3) < 0.001)
        #expect(abs(window.recommendedOffset.seconds - 1) < 0.001)
        #expect(abs(try #require(window.partTarget).seconds - 0.33334) < 0.001)
        // The distance is a second, so that reading begins with the part at 4.333 s.
        let numbers = try Self.publishing(server, 16...19) { try reader.packets(before: 200) }
        #expect(numbers == Array(130..<200))
        #expect(abs(try reader.window.range.end.seconds - 20.0 / 3) < 0.001)
        let media = server.requests.filter { !$0.hasPrefix("/live") }
        #expect(Set(media).count == media.count || usesRanges, "nothing is requested twice")
        #expect(media.count { $0.hasPrefix("/header") } == 1)
    }

    @Test func `segments with one keyframe are read from it, and complete ones in one piece`()
        throws
    {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 16...18) { try reader.packets(before: 190) }
        #expect(numbers == Array(120..<190))
        #expect(
            server.requests.filter { !$0.hasPrefix("/live") } == [
                "/header.mp4", "/segment4.mp4", "/part15.mp4", "/part16.mp4", "/part17.mp4",
                "/part18.mp4",
            ])
    }

    @Test func `a lost part is left out`() throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(15)
        server.lose(16)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 15...18) { try reader.packets(before: 190) }
        #expect(numbers == Array(120..<160) + Array(170..<190))
    }

    @Test func `after a part that is listed as missing, the server is asked for the next one`()
        throws
    {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(15)
        server.leaveOut(16)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 15...18) { try reader.packets(before: 190) }
        #expect(numbers == Array(120..<160) + Array(170..<190))
    }

    @Test func `a part that is listed a moment before it exists is read`() throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        server.delay(17)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 16...18) { try reader.packets(before: 190) }
        #expect(numbers == Array(120..<190))
        #expect(server.requests.count { $0 == "/part17.mp4" } == 2)
    }

    @Test func `a seek goes to any frame of the window, and times stay the same`() throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(25)
        let reader = try Reader(server)
        _ = try reader.frame()
        for (target, number) in [(0.5, 0), (5.4, 150), (7.2, 210), (3.0, 90)] {
            try reader.seek(to: target)
            let frame = try reader.frame()
            #expect(frame.number == number, "\(target)")
            #expect(abs(frame.time.seconds - Double(number) / 30) < 0.001, "\(target)")
        }
    }

    @Test func `the first seek to the edge does not open the stream again`() throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        let reader = try Reader(server)
        let loads = server.requests.count { $0 == "/live.m3u8" }
        try reader.seek(to: 4.333)
        #expect(try reader.frame().number == 120)
        #expect(server.requests.count { $0 == "/live.m3u8" } == loads)
    }

    @Test(arguments: [LowLatencyServer.Blocking.ignored, .notStated, .endless])
    func `a server that does not hold back its answers is asked again`(
        blocking: LowLatencyServer.Blocking
    ) throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        server.setBlocking(blocking)
        let reader = try Reader(server)
        _ = try reader.packets(before: 160)
        let loads = server.requests.count
        let publisher = WorkerThread(name: "test-publish") {
            // Nothing new so far.
            if blocking != .endless { server.waitForRequests { $0.count >= loads + 3 } }
            server.publish(18)
        }
        defer {
            server.stop()
            publisher.join()
        }
        #expect(try reader.packets(before: 180) == Array(160..<180))
        let isAsked = server.requests.contains { $0.contains("_HLS_") }
        #expect(isAsked == (blocking != .notStated))
    }

    @Test func `a request that waits for a part ends when a seek is due`() throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        let reader = try Reader(server)
        let monitor = try #require(reader.demuxer.liveMonitor)
        let hasFailed = Monitor<Bool?>(nil)
        let thread = WorkerThread(name: "test-read") {
            do {
                _ = try reader.packets(before: 1000)
                hasFailed.change { $0 = false }
            } catch {
                hasFailed.change { $0 = true }
            }
        }
        let query = LowLatencyServer.query(ofPart: 16)
        server.waitForRequests { requests in
            hasFailed.withLock { $0 != nil } || requests.contains { $0.hasSuffix(query) }
        }
        monitor.interruptReading()
        #expect(hasFailed.wait { $0 })
        thread.join()
        monitor.resumeReading()
        try reader.seek(to: 1)
        #expect(try reader.frame().number == 30)
    }

    @Test func `a stream that ends is read to its last frame`() throws {
        let server = try LowLatencyServer(seconds: 8)
        server.publish(22)
        let reader = try Reader(server)
        let publisher = WorkerThread(name: "test-publish") {
            server.waitForBlockedRequest(ofPart: 22)
            server.publish(24)
            server.end()
        }
        defer {
            server.stop()
            publisher.join()
        }
        let numbers = try reader.packets(before: 1000)
        #expect(numbers == Array(180..<240))
        #expect(try reader.window.hasEnded)
    }

    // MARK: - Announced parts

    @Test(arguments: [false, true])
    func `each part that is announced is requested once, before it exists`(
        usesRanges: Bool
    ) throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1, usesRanges: usesRanges)
        server.publish(16)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 16...20, awaitsHints: true) {
            try reader.packets(before: 210)
        }
        #expect(numbers == Array(130..<210))
        #expect(server.earlyParts == Array(16...20))
        let media = server.requests.filter { !$0.hasPrefix("/live") }
        // The header, three parts that existed, and five that did not.
        #expect(media.count == 9)
    }

    @Test func `a request for a part that is announced no longer is cancelled`() throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(16)
        server.setHint(.address("silent.mp4"))
        let reader = try Reader(server)
        let publisher = WorkerThread(name: "test-publish") {
            server.waitForRequests { $0.contains("/silent.mp4") }
            server.setHint(.nothing)
            server.publish(18)
        }
        defer {
            server.stop()
            publisher.join()
        }
        #expect(try reader.packets(before: 180) == Array(130..<180))
        // The reader waits for the next part.
        let thread = WorkerThread(name: "test-read") { _ = try? reader.packets(before: 190) }
        server.waitForBlockedRequest(ofPart: 18)
        server.waitForConnections(1)
        server.publish(19)
        thread.join()
        #expect(server.requests.count { $0 == "/silent.mp4" } == 1)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/p", "rtmp://127.0.0.1/p", "other"])
    func `an announced part that the rules do not allow is not requested`(address: String) throws {
        let other = try LoopbackServer { _ in .bytes([1]) }
        defer { other.stop() }
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(16)
        let hint = address == "other" ? other.url("/part.mp4") : address
        server.setHint(.address(hint))
        let log = AccessLog()
        let rules = AssetAccessRules(networkReach: .sameOrigin)
        let reader = try Reader(server, options: log.options(AssetOptions(rules: rules)))
        let numbers = try Self.publishing(server, 16...19) { try reader.packets(before: 200) }
        #expect(numbers == Array(130..<200))
        #expect(other.connectionCount == 0)
        let refused = log.children.filter { $0.error != nil }
        #expect(refused.map(\.subject) == [hint])
        #expect(refused.map(\.error?.code) == [.notAllowed])
    }

    @Test(arguments: ["endless.mp4", "silent.mp4", "missing.mp4"])
    func `an announced part without an end, or without any bytes, does no harm`(
        address: String
    ) throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(16)
        server.setHint(.address(address))
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 16...19) { try reader.packets(before: 200) }
        #expect(numbers == Array(130..<200))
        #expect(server.requests.count { $0 == "/" + address } == 1)
    }

    @Test func `a part is requested again if the first request is never answered`() throws {
        let server = try LowLatencyServer(seconds: 12, keyframeParts: 1)
        server.publish(16)
        server.setHint(.unanswered)
        let reader = try Reader(server)
        let numbers = try Self.publishing(server, 16...16, awaitsHints: true) {
            try reader.packets(before: 170)
        }
        #expect(numbers == Array(130..<170))
        #expect(server.requests.count { $0 == "/part16.mp4" } == 2)
    }

    // MARK: - Delta updates

    @Test func `older segments are left out of later playlists, and stay in the window`() throws {
        let server = try LowLatencyServer(seconds: 20, keyframeParts: 1, windowSegments: 8)
        server.setDeltaUpdates(DeltaUpdate(keptCount: 4))
        // The window begins with the third segment.
        server.publish(31)
        let reader = try Reader(server)
        try Self.publishing(server, 31...36) {
            let numbers = try reader.packets(before: 310)
            #expect(numbers == Array(220..<310))
            let range = try reader.window.range
            #expect(abs(range.start.seconds - 2) < 0.001)
            #expect(abs(range.end.seconds - 31.0 / 3) < 0.001)
            let waits = server.requests.filter { $0.contains("_HLS_msn") }
            #expect(!waits.isEmpty && waits.allSatisfy { $0.hasSuffix("&_HLS_skip=YES") })
            try reader.seek(to: 2.5)
            #expect(try reader.frame().number == 120)
        }
    }

    @Test func `an update that leaves out too much is replaced by the whole playlist, once`() throws
    {
        let server = try LowLatencyServer(seconds: 20, keyframeParts: 1, windowSegments: 8)
        server.setDeltaUpdates(DeltaUpdate(keptCount: 4, statedCount: 1000))
        server.publish(31)
        let reader = try Reader(server)
        let loads = server.requests.count { $0 == "/live.m3u8" }
        let numbers = try Self.publishing(server, 31...36) { try reader.packets(before: 310) }
        #expect(numbers == Array(220..<310))
        #expect(server.requests.count { $0.contains("_HLS_skip") } == 1)
        #expect(server.requests.count { $0 == "/live.m3u8" } == loads + 1)
    }

    @Test func `a server that leaves out segments of the whole playlist too is refused`() throws {
        let server = try LowLatencyServer(seconds: 20, keyframeParts: 1, windowSegments: 8)
        server.publish(31)
        let reader = try Reader(server)
        var deltas = DeltaUpdate(keptCount: 4, statedCount: 1000)
        deltas.isUnasked = true
        server.setDeltaUpdates(deltas)
        do {
            _ = try Self.publishing(server, 31...36) { try reader.packets(before: 400) }
            Issue.record("the stream was read")
        } catch let error as MediaError {
            #expect(error.cause.contains("EXT-X-SKIP"))
        }
    }

    @Test func `segments that are left out without a request are refused`() throws {
        let server = try LowLatencyServer(seconds: 12)
        server.publish(16)
        server.setTags(["#EXT-X-SKIP:SKIPPED-SEGMENTS=3"])
        do {
            _ = try Reader(server)
            Issue.record("the stream was opened")
        } catch let error as MediaError {
            #expect(error.code == .damaged)
            #expect(error.cause.contains("EXT-X-SKIP"))
        }
    }
}
