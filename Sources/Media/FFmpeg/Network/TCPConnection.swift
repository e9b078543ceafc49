// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets

/// A TCP connection to an RTSP server, with a read buffer. FFmpeg provides the socket and timeouts.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the connection is closed on deallocation.
final class TCPConnection {
    private var context: UnsafeMutablePointer<AVIOContext>?
    /// The IP address of the server.
    let serverAddress: String
    private let subject: String
    private let interrupt: Interrupt
    private let attempt: ConnectionAttempt
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    private static let readSize = 1 << 15

    /// Connects.
    ///
    /// - Parameters:
    ///   - serverAddress: The IP address; an IPv6 address is in brackets.
    ///   - attempt: An object that can end the attempt.
    init(
        to serverAddress: String, port: Int, subject: String, interrupt: Interrupt,
        attempt: ConnectionAttempt
    ) throws(MediaError) {
        self.attempt = attempt
        self.serverAddress = serverAddress
        self.subject = subject
        self.interrupt = interrupt
        var callback = attempt.callback
        var options = Options()
        options["protocol_whitelist"] = "tcp"
        let result = FFmpegError(
            avio_open2(
                &context, "tcp://\(serverAddress):\(port)", AVIO_FLAG_READ_WRITE, &callback,
                &options.pointer))
        guard result.rawValue >= 0, context != nil else {
            throw Self.failure(result, subject, interrupt)
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
                    .damaged, subject: subject, cause: "the server's response is not valid RTSP",
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

    /// Fills the buffer with available data, and waits for at least one byte. At the end, the
    /// buffer stays empty.
    private func fill() throws(MediaError) {
        bufferStart = 0
        buffer.removeAll(keepingCapacity: true)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { room.deallocate() }
        let count = avio_read_partial(
            context, room.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(clamping: room.count))
        let error = FFmpegError(count)
        if count == 0 || error == .endOfFile { return }
        guard count > 0 else { throw error.whileReading(subject, interrupt: interrupt) }
        buffer.append(contentsOf: room.prefix(Int(count)))
    }

    private static func failure(
        _ error: FFmpegError, _ subject: String, _ interrupt: Interrupt
    ) -> MediaError {
        guard !interrupt.isTriggered, error == FFmpegError(ph_AVERROR(ECONNREFUSED)) else {
            return error.whileReading(subject, interrupt: interrupt)
        }
        return .connectionRefused(subject)
    }
}
