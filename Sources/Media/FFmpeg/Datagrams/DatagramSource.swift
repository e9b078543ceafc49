// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// An MPEG transport stream that arrives in datagrams.
///
/// Only complete packets of a transport stream are taken. Without RTP, packets that a sender cuts
/// between datagrams are joined. The first sender of packets is the only one that is accepted until
/// it has been silent for a second: datagrams of others, and noise, are dropped. With RTP,
/// datagrams are put into order, and a missing one is waited for `DatagramOrder.patience`. Losses
/// are recorded in the log of the transfer, at most once a second. If only noise arrives for a
/// second at first, the address is refused.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Corresponds to: FFmpeg's `udp:` and `rtp:`.
final class DatagramSource: MediaDataSource, ArrivingSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    /// The numbers of transport packets or RTP packets that were lost, and of datagrams that were
    /// dropped because they were noise or came from strangers.
    private(set) var lostCount = 0
    private(set) var refusedCount = 0
    /// The number of bytes that have been read.
    private(set) var byteTotal: Int64 = 0

    private let address: DatagramAddress
    private let subject: String
    private let socket: DatagramSocket
    private let interrupt: Interrupt
    private let buffer: UnsafeMutableRawBufferPointer

    private var sender: Sender?
    private var order = DatagramOrder()
    private var packets = TransportPackets()
    private var ready: [UInt8] = []
    private var readCount = 0
    private var losses: LossLog
    /// The datagrams before the first transport stream; nil after its beginning.
    private var noise: Noise? = Noise()

    private struct Noise {
        var count = 0
        var firstTime: Int64 = 0
        var lastTime: Int64 = 0

        mutating func add(at time: Int64) {
            if count == 0 { firstTime = time }
            lastTime = time
            count += 1
        }
    }

    private struct Sender {
        var endpoint: DatagramSocket.Endpoint
        /// The identifier of an RTP source.
        var source: UInt32?
        var lastTime: Int64
    }

    /// The time after which another sender may follow a silent one, in nanoseconds.
    private static let silence: Int64 = 1_000_000_000
    /// The number of datagrams, and the time between the first and the last one, in nanoseconds,
    /// after which an address at which only noise arrives is refused.
    private static let (noiseCount, noiseTime) = (16, Int64(1_000_000_000))
    /// The interval between checks for cancellation, in milliseconds.
    private static let pollMilliseconds: Int64 = 100
    /// The numbers of datagrams and of bytes that are taken at once.
    private static let (largestCount, largestSize) = (1 << 13, 4 << 20)
    /// The payload types that can be a transport stream: its own and the dynamic ones (RFC 3551,
    /// section 6).
    private static let payloadTypes: [ClosedRange<UInt8>] = [33...33, 96...127]

    /// Begins to receive.
    init(
        _ address: DatagramAddress, subject: String, interrupt: Interrupt,
        transfer: TransferMonitor
    ) throws(MediaError) {
        self.address = address
        self.subject = subject
        self.interrupt = interrupt
        losses = LossLog(
            subject, kind: address.isRTP ? "RTP" : "transport", transfer: transfer)
        socket = try DatagramSocket(address, subject: subject)
        buffer = .allocate(byteCount: 1 << 16, alignment: 16)
    }

    deinit { buffer.deallocate() }

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }
    /// Another sender may send to the address at any time.
    var isConnected: Bool { true }
    func disconnect() {}

    func read(
        into target: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        while readCount == ready.count {
            (ready, readCount) = ([], 0)
            receive()
            let now = HostClock.nanoseconds
            while let payload = order.next(at: now) { ready += payload }
            noteLosses(at: now)
            guard ready.isEmpty else { break }
            if let refusal { throw refusal }
            if isCancelled() { throw interrupted }
            let left = order.deadline.map { max(($0 - now) / 1_000_000, 0) + 1 }
            socket.wait(
                milliseconds: Int32(min(left ?? Self.pollMilliseconds, Self.pollMilliseconds)))
        }
        let part = ready[readCount...].prefix(target.count)
        target.copyBytes(from: part)
        readCount += part.count
        byteTotal += Int64(part.count)
        return part.count
    }

    /// Takes what has arrived, so that the kernel's buffer does not overflow, but no more than fits
    /// into that buffer: a sender may be faster than this function.
    private func receive() {
        var count = 0
        while count < Self.largestCount, ready.count < Self.largestSize,
            let (size, endpoint) = socket.receive(into: buffer)
        {
            take(UnsafeRawBufferPointer(rebasing: buffer.prefix(size)), from: endpoint)
            while let payload = order.nextInOrder() { ready += payload }
            count += 1
        }
    }

    private func take(_ datagram: UnsafeRawBufferPointer, from endpoint: DatagramSocket.Endpoint) {
        var payload = datagram[...]
        var header: RTPHeader?
        if address.isRTP {
            guard let found = RTPHeader(datagram),
                Self.payloadTypes.contains(where: { $0.contains(found.payloadType) })
            else { return refuseNoise() }
            payload = datagram[found.payload]
            header = found
        }
        let bytes = Array(payload)
        guard let header else {
            guard let (complete, rest) = packets.completed(by: bytes) else { return refuseNoise() }
            noise = nil
            guard accepts(endpoint, nil) else { return refuse() }
            packets.beginning = rest
            packets.count(complete)
            ready += complete
            return
        }
        guard TransportPackets.isValid(bytes) else { return refuseNoise() }
        noise = nil
        guard accepts(endpoint, header.source) else { return refuse() }
        order.add(bytes, sequence: header.sequence, at: HostClock.nanoseconds)
    }

    private func refuse() { refusedCount += 1 }

    private func refuseNoise() {
        noise?.add(at: HostClock.nanoseconds)
        refuse()
    }

    /// The error if nothing but noise has arrived for long enough.
    private var refusal: MediaError? {
        guard let noise, noise.count >= Self.noiseCount,
            noise.lastTime - noise.firstTime >= Self.noiseTime
        else { return nil }
        let kind = address.isRTP ? "RTP with a transport stream" : "a transport stream"
        return MediaError(
            .unknownFormat, subject: subject,
            cause: "none of \(noise.count) datagrams that arrived at \(address) is \(kind)",
            remedy: "check what the sender sends to this address")
    }

    private func accepts(_ endpoint: DatagramSocket.Endpoint, _ source: UInt32?) -> Bool {
        if let named = address.sender, named != endpoint.host { return false }
        let now = HostClock.nanoseconds
        if let sender, sender.endpoint != endpoint || sender.source != source {
            guard now - sender.lastTime >= Self.silence else { return false }
            order.restart()
            packets.restart()
        }
        sender = Sender(endpoint: endpoint, source: source, lastTime: now)
        return true
    }

    private func noteLosses(at now: Int64) {
        lostCount = order.lostCount + packets.lostCount
        losses.note(lostCount, at: now)
    }

    /// The error of a read that was cancelled or has taken too long.
    private var interrupted: MediaError {
        guard interrupt.isOverdue, !interrupt.isCancelled else {
            return MediaError(.cancelled, subject: subject, cause: "reading was cancelled")
        }
        let noise =
            refusedCount > 0 ? "; \(refusedCount) other datagrams were not from its sender" : ""
        return MediaError(
            .timedOut, subject: subject,
            cause: "no transport stream arrives at \(address)\(noise)",
            remedy: "check the firewall, and that the sender sends to this address")
    }
}
