// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A connection to an RTSP server, over which messages and interleaved packets are exchanged (RFC
/// 2326, section 10.12).
///
/// - Concurrency: one thread at a time.
/// - Ownership: the connection is closed on deallocation.
final class RTSPConnection {
    /// Something that a server sends.
    enum Item {
        case message(RTSPMessage)
        case packet([UInt8], channel: UInt8)
    }

    private let connection: TCPConnection
    private let subject: String

    private static let dollar = UInt8(ascii: "$")
    private static let longestLine = 4096
    private static let maximumFields = 64
    private static let largestBody = 1 << 16

    /// Connects to one of the addresses of a host.
    init(
        to address: RTSPAddress, subject: String, interrupt: Interrupt
    ) throws(MediaError) {
        let hosts = try HostResolver.addresses(
            of: address.host, subject: subject, interrupt: interrupt)
        let race = ConnectionRace(port: address.port, subject: subject, interrupt: interrupt)
        connection = try race.connect(to: hosts).connection
        self.subject = subject
    }

    func send(_ text: String) throws(MediaError) { try connection.send(text) }

    /// Sends a packet over a channel.
    func send(_ packet: [UInt8], channel: UInt8) throws(MediaError) {
        let count = UInt16(clamping: packet.count)
        try connection.send(
            [Self.dollar, channel, UInt8(count >> 8), UInt8(count & 0xFF)] + packet)
    }

    /// Returns the next message or packet; nil if the server has closed the connection.
    func next() throws(MediaError) -> Item? {
        guard let first = try connection.peek() else { return nil }
        guard first == Self.dollar else { return try message().map { .message($0) } }
        guard let head = try connection.readBytes(4),
            let packet = try connection.readBytes(Int(head[2]) << 8 | Int(head[3]))
        else { return nil }
        return .packet(packet, channel: head[1])
    }

    private func message() throws(MediaError) -> RTSPMessage? {
        var line = ""
        // Some servers send line ends after a body.
        repeat {
            guard try connection.peek() != nil else { return nil }
            line = try connection.readLine(limit: Self.longestLine)
        } while line.isEmpty
        guard var message = RTSPMessage(firstLine: line) else { throw invalid }
        while true {
            line = try connection.readLine(limit: Self.longestLine)
            if line.isEmpty { break }
            guard message.fields.count < Self.maximumFields, message.add(line: line) else {
                throw invalid
            }
        }
        guard let length = message["content-length"] else { return message }
        guard let count = Int(length), (0...Self.largestBody).contains(count) else {
            throw invalid
        }
        guard let body = try connection.readBytes(count) else { return nil }
        message.body = body
        return message
    }

    private var invalid: MediaError {
        MediaError(
            .damaged, subject: subject, cause: "the server's response is not valid RTSP",
            remedy: "check the address")
    }
}
