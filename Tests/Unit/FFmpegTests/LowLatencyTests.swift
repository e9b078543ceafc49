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

        init(_ server: LowLatencyServer) throws {
            let opener = FFmpegOpener(AssetLocation(server.url))
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
    private static func publishing<Result>(
        _ server: LowLatencyServer, _ parts: ClosedRange<Int>, _ body: () throws -> Result
    ) rethrows -> Result {
        let publisher = WorkerThread(name: "test-publish") {
            for part in parts {
                server.waitForBlockedRequest(ofPart: part)
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
