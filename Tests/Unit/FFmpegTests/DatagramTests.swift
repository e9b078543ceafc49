// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

@Suite struct DatagramTests {
    // MARK: - Addresses

    @Test func `addresses are those that other players understand`() throws {
        let plain = try #require(DatagramAddress("udp://127.0.0.1:5000"))
        #expect(plain.host == "127.0.0.1" && plain.port == 5000 && !plain.isRTP)
        #expect(plain.sender == nil && plain.interface == nil)
        let every = try #require(DatagramAddress("rtp://@:5004"))
        #expect(every.host.isEmpty && every.isRTP)
        let group = try #require(
            DatagramAddress("UDP://10.0.0.7@232.1.2.3:1234?pkt_size=1316&localaddr=10.0.0.2"))
        #expect(group.host == "232.1.2.3" && group.sender == "10.0.0.7")
        #expect(group.interface == "10.0.0.2")
        let long = try #require(DatagramAddress("udp://[::1]:5000/"))
        #expect(long.host == "::1")
        #expect(DatagramAddress("udp://localhost:1")?.host == "127.0.0.1")
        for text in [
            "udp://", "udp://127.0.0.1", "udp://127.0.0.1:", "udp://@:0", "udp://@:70000",
            "http://127.0.0.1:5000", "udp:127.0.0.1:5000", "127.0.0.1:5000",
        ] {
            #expect(DatagramAddress(text) == nil, "\(text)")
        }
        #expect(AssetLocation("udp://@:5000") == .remote(url: "udp://@:5000"))
        #expect(AssetLocation("udp:5000") == .file(path: "udp:5000"))
    }

    // MARK: - Headers

    @Test func `RTP headers with sources, an extension and padding are read, others refused`() {
        var packet: [UInt8] = [0x80, 0xA1, 1, 2, 0, 0, 0, 9, 0, 0, 0, 7, 1, 2, 3]
        var header = RTPHeader(packet)
        #expect(header?.payloadType == 33 && header?.sequence == 0x102 && header?.source == 7)
        #expect(header?.payload == 12..<15)
        packet[0] = 0xB1
        packet.insert(contentsOf: [0, 0, 0, 1, 0xBE, 0xDE, 0, 1, 0, 0, 0, 0], at: 12)
        packet += [0, 2]
        header = RTPHeader(packet)
        #expect(header?.payload == 24..<27)
        for broken: [UInt8] in [
            [], Array(packet.prefix(11)), [0x40] + packet.dropFirst(), Array(packet.prefix(20)),
            packet.dropLast() + [200],
        ] {
            #expect(RTPHeader(broken) == nil)
        }
    }

    @Test(arguments: [1472, 1316, 500, 1000])
    func `packets that are cut between datagrams are joined, and noise is no packet`(size: Int) {
        let stream = (0..<100).flatMap { number in
            [0x47, 0x01, 0x00, 0x10 | UInt8(number % 16)] + [UInt8](repeating: 0x11, count: 184)
        }
        var packets = TransportPackets()
        var joined: [UInt8] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            let datagram = Array(stream[start..<min(start + size, stream.count)])
            guard let (complete, rest) = packets.completed(by: datagram) else { continue }
            packets.beginning = rest
            packets.count(complete)
            joined += complete
        }
        #expect(joined == stream && packets.lostCount == 0)
        let noise = [UInt8](repeating: 0x22, count: size)
        #expect(packets.completed(by: noise) == nil)
        packets.beginning = [0x47, 0x01]
        #expect(packets.completed(by: noise) == nil)
    }

    @Test func `datagrams are put into order, and a missing one is waited for`() {
        var order = DatagramOrder()
        let patience = DatagramOrder.patience
        func add(_ numbers: [UInt16], at time: Int64) {
            for number in numbers { order.add([UInt8(number & 0xFF)], sequence: number, at: time) }
        }
        func taken(at time: Int64) -> [UInt8] {
            var bytes: [UInt8] = []
            while let payload = order.next(at: time) { bytes += payload }
            return bytes
        }
        add([65534, 65535, 1, 0, 1, 65535], at: 0)
        #expect(taken(at: 0) == [254, 255, 0, 1])
        #expect(order.lateCount == 2 && order.lostCount == 0 && order.deadline == nil)
        add([3], at: 10)
        add([6], at: 20)
        #expect(taken(at: 30).isEmpty)
        #expect(order.deadline == 10 + patience)
        #expect(taken(at: 10 + patience) == [3])
        #expect(order.lostCount == 1)
        add([5], at: 30)
        #expect(taken(at: 19 + patience).isEmpty)
        #expect(taken(at: 20 + patience) == [5, 6])
        #expect(order.lostCount == 2)
        add([30000], at: 100)
        #expect(taken(at: 100) == [48], "a sender that has started again")
        #expect(order.lostCount == 2)
    }

    @Test func `missing transport packets are counted by stream`() {
        func packet(_ stream: UInt8, _ counter: UInt8, flags: UInt8 = 0x10) -> [UInt8] {
            [0x47, 0, stream, flags | counter] + [UInt8](repeating: 0, count: 184)
        }
        var packets = TransportPackets()
        packets.count(packet(1, 14) + packet(2, 3) + packet(1, 15) + packet(1, 0) + packet(1, 0))
        #expect(packets.lostCount == 0)
        packets.count(packet(1, 3) + packet(2, 4) + packet(1, 9, flags: 0x20))
        #expect(packets.lostCount == 2)
        #expect(TransportPackets.isValid(packet(1, 0) + packet(1, 1)))
        #expect(!TransportPackets.isValid([]) && !TransportPackets.isValid(packet(1, 0) + [0x47]))
        #expect(!TransportPackets.isValid([UInt8](repeating: 0x47, count: 187) + [0, 0x47]))
    }

    // MARK: - Sockets

    @Test func `only the address that is named is bound, and only by the caller`() throws {
        #expect {
            _ = try FFmpegOpener(AssetLocation("udp://192.0.2.1:5000"))
                .openDemuxer(cancellation: Cancellation())
        } throws: { error in
            let error = error as? MediaError
            return error?.code == .cannotOpen && error?.cause.contains("192.0.2.1") == true
        }
        let folder = TemporaryFolder()
        let list = folder.appending("list.m3u8")
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nudp://127.0.0.1:5000\n#EXT-X-ENDLIST\n"
        try text.write(to: list, atomically: true, encoding: .utf8)
        for rules in [AssetAccessRules(), AssetAccessRules(filesMayReachNetwork: true)] {
            var options = AssetOptions()
            options.rules = rules
            #expect(throws: MediaError.self) {
                try FFmpegOpener(path: list.path, options: options)
                    .openDemuxer(cancellation: Cancellation())
            }
        }
        var options = AssetOptions()
        options.rules.schemes = [.file]
        #expect {
            _ = try FFmpegOpener(AssetLocation("udp://127.0.0.1:5000"), options: options)
                .openDemuxer(cancellation: Cancellation())
        } throws: {
            ($0 as? MediaError)?.code == .notAllowed
        }
    }

    @Test func `silence and noise are a timeout that states the address`() throws {
        let port = try DatagramSender.freePort()
        let sender = try DatagramSender(port: port)
        let noise = WorkerThread(name: "test-noise") {
            for number in 0..<200 {
                sender.send([UInt8](repeating: UInt8(number & 0xFF), count: number * 7))
                usleep(5000)
            }
        }
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: 1, timescale: 2)
        #expect {
            _ = try FFmpegOpener(AssetLocation("udp://127.0.0.1:\(port)"), options: options)
                .openDemuxer(cancellation: Cancellation())
        } throws: { error in
            let error = error as? MediaError
            return error?.code == .timedOut && error?.cause.contains("port \(port)") == true
                && error?.cause.contains("127.0.0.1") == true
        }
        noise.join()
    }

    private static func source(_ url: String) throws -> DatagramSource {
        var options = AssetOptions()
        options.timeout = MediaTime(value: 10, timescale: 1)
        let interrupt = Interrupt(cancellation: Cancellation(), options: options)
        interrupt.begin()
        return try DatagramSource(
            try #require(DatagramAddress(url)), subject: url, interrupt: interrupt,
            transfer: TransferMonitor())
    }

    private static func packet(_ number: Int) -> [UInt8] {
        [0x47, 0x01, 0x00, 0x10 | UInt8(number % 16)]
            + [UInt8](repeating: UInt8(number & 0xFF), count: 184)
    }

    @Test func `a reader that was away for long reads on where it was`() throws {
        let port = try DatagramSender.freePort()
        let source = try Self.source("rtp://127.0.0.1:\(port)")
        let sender = try DatagramSender(port: port)
        for number in 0..<3000 {
            sender.send(DatagramSender.rtp(Self.packet(number), sequence: UInt16(number)))
        }
        // The kernel drops the last ones, if not all of them fit into its buffer.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100 * 188, alignment: 16)
        defer { room.deallocate() }
        let count = try source.read(into: room, at: 0, isCancelled: { false })
        #expect(count >= 188)
        let numbers = stride(from: 0, to: count, by: 188).map { room[$0 + 4] }
        #expect(numbers == (0..<count / 188).map { UInt8($0) })
    }

    @Test func `a flood of datagrams does not keep a read from returning`() throws {
        let port = try DatagramSender.freePort()
        let source = try Self.source("udp://127.0.0.1:\(port)")
        let hasReturned = Monitor(false)
        let datagram = (0..<7).flatMap { Self.packet($0) }
        let threads = try (0..<2).map { _ in
            let sender = try DatagramSender(port: port)
            return WorkerThread(name: "test-flood") {
                let end = HostClock.nanoseconds + 120_000_000_000
                while HostClock.nanoseconds < end, !hasReturned.withLock({ $0 }) {
                    for _ in 0..<100 { sender.send(datagram) }
                }
            }
        }
        let start = HostClock.nanoseconds
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1316, alignment: 16)
        defer { room.deallocate() }
        #expect(try source.read(into: room, at: 0, isCancelled: { false }) > 0)
        let elapsed = HostClock.nanoseconds - start
        hasReturned.change { $0 = true }
        for thread in threads { thread.join() }
        // The flood lasts for two minutes if the read does not return.
        #expect(elapsed < 100_000_000_000, "\(elapsed / 1_000_000) ms")
    }

    @Test func `a socket that cannot be bound closes no other descriptor`() throws {
        let port = try DatagramSender.freePort()
        let address = try #require(DatagramAddress("udp://127.0.0.1:\(port)"))
        let owner = try DatagramSocket(address, subject: "owner")
        defer { withExtendedLifetime(owner) {} }
        let isOver = Monitor(false)
        let closed = Monitor(0)
        let thread = WorkerThread(name: "test-files") {
            // A new file gets the smallest number that is free, such as that of a closed socket.
            while !isOver.withLock({ $0 }) {
                let files = (0..<100).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
                for file in files {
                    if fcntl(file, F_GETFD) < 0 { closed.change { $0 += 1 } } else { close(file) }
                }
            }
        }
        var count = 0
        for _ in 0..<2000 where (try? DatagramSocket(address, subject: "other")) != nil {
            count += 1
        }
        #expect(count == 0)
        isOver.change { $0 = true }
        thread.join()
        #expect(closed.withLock { $0 } == 0)
    }

    @Test(arguments: ["udp", "rtp"])
    func `a second of datagrams without a transport stream is refused`(scheme: String) throws {
        let port = try DatagramSender.freePort()
        let sender = try DatagramSender(port: port)
        let isOver = Monitor(false)
        let noise = WorkerThread(name: "test-noise") {
            sender.waitForReceiver()
            var number = 0
            while !isOver.withLock({ $0 }) {
                sender.send([UInt8](repeating: UInt8(number & 0x3F), count: 100 + number % 1300))
                number += 1
                usleep(20_000)
            }
        }
        defer {
            isOver.change { $0 = true }
            noise.join()
        }
        let start = HostClock.nanoseconds
        let error = #expect(throws: MediaError.self) {
            var options = AssetOptions()
            options.openingTimeout = MediaTime(value: 120, timescale: 1)
            _ = try FFmpegOpener(
                AssetLocation("\(scheme)://127.0.0.1:\(port)"), options: options
            ).openDemuxer(cancellation: Cancellation())
        }
        let seconds = Double(HostClock.nanoseconds - start) / 1e9
        #expect(error?.code == .unknownFormat)
        #expect(error?.cause.contains("port \(port)") == true)
        // A busy machine may delay it, but it does not wait for the timeout.
        #expect(seconds >= 1 && seconds < 100, "\(seconds)")
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a stream that begins late, after a few other datagrams, is opened`() throws {
        let port = try DatagramSender.freePort()
        let bytes = try Self.stream()
        let sender = try DatagramSender(port: port)
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "test-send") {
            sender.waitForReceiver()
            // Sparse datagrams, such as those of a sender that announces itself, are no stream.
            for _ in 0..<3 {
                sender.send(Array("hello".utf8))
                usleep(500_000)
            }
            for start in stride(from: 0, to: bytes.count, by: 1316) {
                if isOver.withLock({ $0 }) { return }
                sender.send(Array(bytes[start..<min(start + 1316, bytes.count)]))
                usleep(UInt32(5_000_000 / (bytes.count / 1316 + 1)))
            }
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        let demuxer = try FFmpegOpener(AssetLocation("udp://127.0.0.1:\(port)"))
            .openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.container == "mpegts")
    }

    /// A video of five seconds with 10 frames and a keyframe a second.
    private static func stream() throws -> [UInt8] {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 5, timescale: 1)))
        media.height = 240
        media.keyframeInterval = 10
        media.sounds = []
        return [UInt8](
            try Data(contentsOf: SyntheticClip(media, container: "ts").url()))
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [false, true])
    func `a stream plays through noise and strangers, in any order, and losses are recorded`(
        isRTP: Bool
    ) throws {
        let port = try DatagramSender.freePort()
        let bytes = try Self.stream()
        let parts = stride(from: 0, to: bytes.count, by: 1316).map {
            Array(bytes[$0..<min($0 + 1316, bytes.count)])
        }
        let (sender, stranger) = (
            try DatagramSender(port: port), try DatagramSender(port: port)
        )
        let lost = parts.count * 3 / 4
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "test-send") {
            var order = Array(parts.indices)
            // The network swaps some datagrams and loses one.
            if isRTP {
                for index in stride(from: 10, to: order.count - 1, by: 10) {
                    order.swapAt(index, index + 1)
                }
            }
            order.removeAll { $0 == lost }
            sender.waitForReceiver()
            for number in order {
                sender.send(
                    isRTP
                        ? DatagramSender.rtp(parts[number], sequence: UInt16(number))
                        : parts[number])
                stranger.send(
                    isRTP ? DatagramSender.rtp(parts[number], sequence: 7, source: 9) : parts[0])
                stranger.send(Array("noise".utf8))
                // The stream takes as long as it plays.
                usleep(UInt32(5_000_000 / parts.count))
                if isOver.withLock({ $0 }) { break }
            }
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        var options = AssetOptions()
        options.timeout = MediaTime(value: 3, timescale: 1)
        let scheme = isRTP ? "rtp" : "udp"
        let demuxer = try FFmpegOpener(
            AssetLocation("\(scheme)://127.0.0.1:\(port)"), options: options
        ).openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.container == "mpegts")
        #expect(demuxer.arrivalMonitor != nil)
        var times: [MediaTime] = []
        do {
            while let packet = try demuxer.readPacket() { times.append(packet.presentationTime) }
        } catch {
            #expect(error.code == .timedOut)
        }
        // The first half was read to open the stream.
        #expect(times.count >= 15, "\(times.count)")
        #expect(Set(times).count == times.count)
        let failures = try #require(demuxer.transfer?.log.failures)
        #expect(failures.contains { $0.error.cause.contains("lost") })
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `no frame is held back by the decoder`() throws {
        let port = try DatagramSender.freePort()
        let bytes = try Self.stream()
        let parts = stride(from: 0, to: bytes.count, by: 1316).map {
            Array(bytes[$0..<min($0 + 1316, bytes.count)])
        }
        let sender = try DatagramSender(port: port)
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "test-send") {
            sender.waitForReceiver()
            for part in parts where !isOver.withLock({ $0 }) {
                sender.send(part)
                usleep(UInt32(5_000_000 / parts.count))
            }
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        let demuxer = try FFmpegOpener(AssetLocation("udp://127.0.0.1:\(port)"))
            .openDemuxer(cancellation: Cancellation())
        let track = try #require(demuxer.description.preferredTrack(of: .video))
        demuxer.selectTracks([track.id])
        let decoder = try demuxer.makeVideoDecoder(for: track)
        for _ in 0..<10 {
            let packet = try #require(try demuxer.readPacket())
            try decoder.send(packet)
            let frame = try decoder.receive()
            #expect(frame?.presentationTime == packet.presentationTime)
        }
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `a seek during an outage moves to the present, on the timeline of arrival`() throws {
        let port = try DatagramSender.freePort()
        let bytes = try Self.stream()
        let parts = stride(from: 0, to: bytes.count, by: 1316).map {
            Array(bytes[$0..<min($0 + 1316, bytes.count)])
        }
        let sender = try DatagramSender(port: port)
        // The number of times that the stream may be sent, from its beginning.
        let permitted = Monitor(1)
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "test-send") {
            sender.waitForReceiver()
            for number in 1...2 {
                permitted.wait { $0 >= number ? true : nil }
                for part in parts {
                    if isOver.withLock({ $0 }) { return }
                    sender.send(part)
                    usleep(UInt32(5_000_000 / parts.count))
                }
            }
        }
        defer {
            isOver.change { $0 = true }
            permitted.change { $0 = 2 }
            thread.join()
        }
        var options = AssetOptions()
        options.timeout = MediaTime(value: 2, timescale: 1)
        let demuxer = try FFmpegOpener(
            AssetLocation("udp://127.0.0.1:\(port)"), options: options
        ).openDemuxer(cancellation: Cancellation())
        var last = MediaTime.invalid
        var failure: MediaError?
        while failure == nil {
            do throws(MediaError) {
                if let packet = try demuxer.readPacket() { last = packet.presentationTime }
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .timedOut)
        permitted.change { $0 = 2 }
        try demuxer.seek(to: .zero)
        let packet = try #require(try demuxer.readPacket())
        #expect(packet.isKeyframe && packet.presentationTime > last)
    }
}
