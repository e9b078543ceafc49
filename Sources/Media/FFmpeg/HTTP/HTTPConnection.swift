// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// A TCP or TLS connection to an HTTP or RTSP server, with a read buffer.
///
/// FFmpeg provides sockets, timeouts and TLS. HTTP is implemented here, because FFmpeg's own HTTP
/// follows redirections without giving the library an opportunity to check them.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the connection is closed on deallocation.
final class HTTPConnection {
    private var context: UnsafeMutablePointer<AVIOContext>?
    /// The IP address of the server; nil if it is not known.
    let serverAddress: String?
    private let subject: String
    private let protocolName: String
    private let interrupt: Interrupt
    private let attempt: ConnectionAttempt
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    private static let readSize = 1 << 15

    /// Connects.
    ///
    /// - Parameters:
    ///   - url: A URL of FFmpeg's `tcp:` or `tls:` protocol.
    ///   - verifiesCertificate: A Boolean value that indicates whether TLS verifies the
    ///     certificate.
    ///   - protocolName: The name of the protocol that the server speaks, for messages.
    ///   - attempt: An object that can end the attempt; nil for none.
    init(
        url: String, serverAddress: String?, verifiesCertificate: Bool, subject: String,
        protocolName: String = "HTTP", interrupt: Interrupt, attempt: ConnectionAttempt? = nil
    ) throws(MediaError) {
        let attempt = attempt ?? ConnectionAttempt(interrupt)
        self.attempt = attempt
        self.protocolName = protocolName
        self.serverAddress = serverAddress
        self.subject = subject
        self.interrupt = interrupt
        var callback = attempt.callback
        var options = Options()
        // The `tls` protocol uses `httpproxy` for a proxy that is set in the environment.
        options["protocol_whitelist"] = "tcp,tls,httpproxy"
        options["tls_verify"] = verifiesCertificate ? "1" : "0"
        let result = FFmpegError(
            avio_open2(&context, url, AVIO_FLAG_READ_WRITE, &callback, &options.pointer))
        guard result.rawValue >= 0, context != nil else {
            throw Self.failure(result, url, subject, interrupt)
        }
    }

    deinit { avio_closep(&context) }

    func send(_ text: String) throws(MediaError) { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws(MediaError) {
        avio_write(context, bytes, Int32(clamping: bytes.count))
        avio_flush(context)
        if let error = context?.pointee.error, error < 0 {
            throw FFmpegError(error).whileReading(subject, interrupt: interrupt)
        }
    }

    /// Reads a line, and returns it without its line ending.
    ///
    /// - Throws: `damaged` if the line is longer than `limit` or has no end.
    func readLine(limit: Int) throws(MediaError) -> String {
        var line: [UInt8] = []
        while true {
            if bufferStart == buffer.count { try fill() }
            guard bufferStart < buffer.count, line.count < limit else {
                throw MediaError(
                    .damaged, subject: subject,
                    cause: "the server's response is not valid \(protocolName)",
                    remedy: "check the address")
            }
            let byte = buffer[bufferStart]
            bufferStart += 1
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    /// Returns the next byte, which stays the next one; nil at the end.
    func peek() throws(MediaError) -> UInt8? {
        if bufferStart == buffer.count { try fill() }
        return bufferStart < buffer.count ? buffer[bufferStart] : nil
    }

    /// Reads a number of bytes. Returns nil if the data ends before.
    func readBytes(_ count: Int) throws(MediaError) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            guard try peek() != nil else { return nil }
            let part = buffer[bufferStart...].prefix(count - bytes.count)
            bytes += part
            bufferStart += part.count
        }
        return bytes
    }

    /// Reads available data, and waits for at least one byte. Returns 0 at the end.
    func read(into target: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        if bufferStart < buffer.count {
            let part = buffer[bufferStart...].prefix(target.count)
            target.copyBytes(from: part)
            bufferStart += part.count
            return part.count
        }
        let count = avio_read_partial(
            context, target.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(clamping: target.count))
        let error = FFmpegError(count)
        if count == 0 || error == .endOfFile { return 0 }
        guard count > 0 else { throw error.whileReading(subject, interrupt: interrupt) }
        return Int(count)
    }

    private func fill() throws(MediaError) {
        bufferStart = 0
        buffer.removeAll(keepingCapacity: true)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { room.deallocate() }
        let count = try read(into: room)
        buffer.append(contentsOf: room.prefix(count))
    }

    private static func failure(
        _ error: FFmpegError, _ url: String, _ subject: String, _ interrupt: Interrupt
    ) -> MediaError {
        if interrupt.isTriggered || error == .outOfMemory || error == .protocolNotFound {
            return error.whileReading(subject, interrupt: interrupt)
        }
        switch error {
        case FFmpegError(ph_AVERROR(ECONNREFUSED)):
            return MediaError(
                .cannotOpen, subject: subject, cause: "the server does not accept connections",
                remedy: "check the address, and that the server is running")
        case FFmpegError(ph_AVERROR(EIO)) where url.hasPrefix("tls:"):
            return MediaError(
                .cannotOpen, subject: subject,
                cause: "the server accepts no secure connection, or its certificate is not valid",
                remedy: "check the address, the network, and this machine's clock")
        default:
            return error.whileReading(subject, interrupt: interrupt)
        }
    }
}
