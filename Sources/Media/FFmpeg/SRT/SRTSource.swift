// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// An MPEG transport stream that arrives by SRT (Secure Reliable Transport).
///
/// FFmpeg's `srt:` protocol, which uses libsrt, receives the stream. It may open nothing else: the
/// host is resolved here, and the URL has only numbers. libsrt requests lost packets again and
/// delivers the stream with a constant latency. It does not report the packets that it had to give
/// up, so these are counted by the headers of the transport stream.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Ownership: the connection is closed on deallocation.
/// - Corresponds to: FFmpeg's `srt:`.
final class SRTSource: MediaDataSource, ArrivingSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    private(set) var byteTotal: Int64 = 0
    private(set) var isConnected = true

    private var context: UnsafeMutablePointer<AVIOContext>?
    private let address: SRTAddress
    private let subject: String
    private let interrupt: Interrupt
    private var packets = TransportPackets()
    private var losses: LossLog
    private let message: UnsafeMutableRawBufferPointer
    private var ready: [UInt8] = []
    private var readCount = 0

    /// A size that no message exceeds (RFC 768).
    private static let messageSize = 1 << 16

    /// A Boolean value that indicates whether FFmpeg was built with SRT.
    static var isAvailable: Bool { avio_find_protocol_name("srt://") != nil }

    /// The level of critical errors, as in `syslog`.
    private static let criticalLevel: Int32 = 2

    /// Limits the messages that libsrt writes to the standard error of the process to those of
    /// critical errors, because the other errors are reported here.
    private static let isSilenced: Bool = {
        guard let symbol = dlsym(nil, "srt_setloglevel") else { return false }
        unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Void).self)(
            criticalLevel)
        return true
    }()

    /// Connects to the sender, or waits for it.
    init(
        _ address: SRTAddress, subject: String, interrupt: Interrupt, transfer: TransferMonitor
    ) throws(MediaError) {
        guard Self.isAvailable else {
            throw MediaError(
                .cannotOpen, subject: subject,
                cause: "FFmpeg \(String(cString: av_version_info())) was built without SRT",
                remedy: "install a build of FFmpeg with libsrt, such as Debian's libavformat")
        }
        _ = Self.isSilenced
        self.address = address
        self.subject = subject
        self.interrupt = interrupt
        losses = LossLog(subject, kind: "transport", transfer: transfer)
        let hosts =
            try address.host.isEmpty
            ? ["0.0.0.0"]
            : HostResolver.addresses(
                of: address.host, subject: subject, interrupt: interrupt
            ).map(\.text)
        message = .allocate(byteCount: Self.messageSize, alignment: 16)
        var result = FFmpegError.interrupted
        for host in hosts where context == nil && !interrupt.isTriggered {
            result = open(host)
        }
        guard context != nil else { throw failure(result) }
    }

    deinit {
        avio_closep(&context)
        message.deallocate()
    }

    private func open(_ host: String) -> FFmpegError {
        var callback = interrupt.callback
        var options = Options()
        for (name, value) in address.options { options[name] = value }
        options["protocol_whitelist"] = "srt"
        return FFmpegError(
            avio_open2(
                &context, "srt://\(host):\(address.port)", AVIO_FLAG_READ, &callback,
                &options.pointer))
    }

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }

    func disconnect() {
        avio_closep(&context)
        isConnected = false
    }

    func read(
        into target: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        if readCount == ready.count { try receive() }
        let part = ready[readCount...].prefix(target.count)
        target.copyBytes(from: part)
        readCount += part.count
        byteTotal += Int64(part.count)
        return part.count
    }

    /// Receives a message.
    private func receive() throws(MediaError) {
        guard let context, isConnected else { throw closed }
        // A deadline that ended an earlier read does not end this one.
        (context.pointee.eof_reached, context.pointee.error) = (0, 0)
        let count = avio_read_partial(
            context, message.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(message.count))
        guard count > 0 else {
            if interrupt.isTriggered {
                // libsrt counts a silent connection as lost after five seconds, and would only then
                // let a sender that has started again connect.
                isConnected = !interrupt.isOverdue
                throw interrupted
            }
            isConnected = false
            throw closed
        }
        ready = Array(message.prefix(Int(count)))
        readCount = 0
        if TransportPackets.isValid(ready) {
            packets.count(ready)
            losses.note(packets.lostCount)
        }
    }

    // MARK: - Errors

    private var closed: MediaError {
        MediaError(
            .cannotOpen, subject: subject, cause: "the sender has closed the SRT connection",
            remedy: "check that the sender still runs")
    }

    /// The error of a read that was cancelled or has taken too long.
    private var interrupted: MediaError {
        guard interrupt.isOverdue, !interrupt.isCancelled else {
            return MediaError(.cancelled, subject: subject, cause: "reading was cancelled")
        }
        return MediaError(
            .timedOut, subject: subject,
            cause: "nothing arrives over the SRT connection with \(address)",
            remedy: "check that the sender still sends")
    }

    private func failure(_ error: FFmpegError) -> MediaError {
        if interrupt.isCancelled || error == .outOfMemory {
            return error.whileReading(subject, interrupt: interrupt)
        }
        if interrupt.isTriggered {
            return MediaError(
                .timedOut, subject: subject,
                cause: address.mode == .listener
                    ? "no SRT sender connects to \(address)"
                    : "no SRT sender answers at \(address)",
                remedy: "check that the sender runs, its address, and the firewall")
        }
        if address.mode == .listener {
            return MediaError(
                .cannotOpen, subject: subject, cause: "no SRT sender can connect to \(address)",
                remedy: "check that the address is one of this machine, that no other program "
                    + "uses the port, and the sender's passphrase")
        }
        return MediaError(
            .cannotOpen, subject: subject, cause: "there is no SRT connection to \(address)",
            remedy: "check that the sender runs, its address, its passphrase, and the firewall")
    }
}
