// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads

/// An RTSP server on the loopback address, for tests. It answers requests, correctly or as a test
/// wants, records them, and sends the packets that a test gives it over the connections.
///
///     let server = try RTSPServer(description: RTPVideo.description)
///     server.waitForPlayer()
///     server.send(packet, channel: 0)
///
/// - Concurrency: any thread; the handler is called on threads of the server, several at once.
/// - Ownership: stops and joins its threads when released or by `stop`.
public final class RTSPServer: Sendable {
    public struct Request: Sendable {
        public let method: String
        public let url: String
        /// The header fields, by name in lower case.
        public let fields: [String: String]
    }

    public enum Response: Sendable {
        case status(Int, [String] = [], body: String = "")
        /// These bytes.
        case raw([UInt8])
        /// No response until the client gives up.
        case silence
        /// The end of the connection.
        case end
    }

    public let port: Int
    private let sessionDescription: String
    private let handler: @Sendable (Request) -> Response?
    private let listener: Int32
    private let state = Monitor(State())

    private struct State {
        var isStopped = false
        var connections: [Int32: Bool] = [:]
        var requests: [Request] = []
        var acceptedCount = 0
        var received: [(packet: [UInt8], channel: UInt8)] = []
        var threads: [WorkerThread] = []
    }

    public struct Failure: Error {}

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any that is free.
    ///   - description: The description of the session (SDP).
    ///   - handler: Returns the response to a request; nil for the correct one.
    public init(
        port: Int = 0, description: String,
        handler: @escaping @Sendable (Request) -> Response? = { _ in nil }
    ) throws(Failure) {
        sessionDescription = description
        self.handler = handler
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure() }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound, listen(socket, 16) == 0 else {
            close(socket)
            throw Failure()
        }
        listener = socket
        self.port = Int(UInt16(bigEndian: address.sin_port))
        let thread = WorkerThread(name: "test-rtsp") { [weak self] in
            while true {
                let connection = accept(socket, nil, nil)
                if connection < 0, errno == EINTR { continue }
                guard connection >= 0, let self else { break }
                self.serve(connection)
            }
        }
        state.change { $0.threads.append(thread) }
    }

    deinit { stop() }

    /// The address of a path on this server.
    ///
    /// - Parameter user: The user and the password, with `@`.
    public func url(_ path: String = "/live", user: String = "") -> String {
        "rtsp://\(user)127.0.0.1:\(port)\(path)"
    }

    /// The requests so far.
    public var requests: [Request] { state.withLock { $0.requests } }
    /// The number of connections so far, with a request or without.
    public var connectionCount: Int { state.withLock { $0.acceptedCount } }
    /// The packets that players have sent.
    public var received: [[UInt8]] { state.withLock { $0.received.map(\.packet) } }
    /// The channels of these packets.
    public var receivedChannels: [UInt8] { state.withLock { $0.received.map(\.channel) } }

    /// Waits until a session plays.
    public func waitForPlayer() {
        state.wait { $0.connections.values.contains(true) || $0.isStopped ? true : nil }
    }

    /// Waits until a player has sent a number of packets.
    public func waitForReports(_ count: Int) {
        state.wait { $0.received.count >= count || $0.isStopped ? true : nil }
    }

    /// Waits until a player has sent a request.
    public func waitForRequest(_ method: String) {
        state.wait { state in
            state.requests.contains { $0.method == method } || state.isStopped ? true : nil
        }
    }

    /// A Boolean value that indicates whether a session plays.
    public var hasPlayer: Bool { state.withLock { $0.connections.values.contains(true) } }

    /// Sends a packet to all sessions that play.
    public func send(_ packet: [UInt8], channel: UInt8) {
        let head: [UInt8] = [
            UInt8(ascii: "$"), channel, UInt8(packet.count >> 8), UInt8(packet.count & 0xFF),
        ]
        send(head + packet)
    }

    /// Sends bytes to all sessions that play.
    public func send(_ bytes: [UInt8]) {
        // Under the lock, so that no response comes in between.
        state.change { state in
            for (connection, plays) in state.connections where plays {
                Self.send(bytes, connection)
            }
        }
    }

    /// Closes the connections, and accepts others.
    public func closeConnections() {
        state.change { state in
            for connection in state.connections.keys { shutdown(connection, Int32(SHUT_RDWR)) }
            for connection in state.connections.keys { state.connections[connection] = false }
        }
    }

    /// Closes all connections, and the port. Calling it again does nothing.
    public func stop() {
        let threads: [WorkerThread]? = state.change { state in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            for connection in state.connections.keys { shutdown(connection, Int32(SHUT_RDWR)) }
            return state.threads
        }
        guard let threads else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for thread in threads where !thread.isCurrent { thread.join() }
        close(listener)
    }

    // MARK: - Connections

    private func serve(_ connection: Int32) {
        state.change { state in
            guard !state.isStopped else {
                close(connection)
                return
            }
            state.acceptedCount += 1
            state.connections[connection] = false
            state.threads.append(
                WorkerThread(name: "test-rtsp") { [weak self] in
                    while let self, self.answer(on: connection) {}
                    _ = self?.state.change { $0.connections.removeValue(forKey: connection) }
                    close(connection)
                })
        }
    }

    /// Answers a request. Returns false at the end of the connection.
    private func answer(on connection: Int32) -> Bool {
        guard let first = Self.read(1, connection)?.first else { return false }
        if first == UInt8(ascii: "$") {
            guard let head = Self.read(3, connection),
                let packet = Self.read(Int(head[1]) << 8 | Int(head[2]), connection)
            else { return false }
            state.change { $0.received.append((packet, head[0])) }
            return true
        }
        guard let request = Self.request(startingWith: first, from: connection) else {
            return false
        }
        let response = handler(request) ?? correctResponse(to: request)
        return state.change { state in
            state.requests.append(request)
            switch response {
            case .status(let status, let fields, let body):
                var lines = [
                    "RTSP/1.0 \(status) Test", "CSeq: \(request.fields["cseq"] ?? "")",
                ]
                lines += fields
                if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
                let text = lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
                guard Self.send(Array(text.utf8), connection) else { return false }
                if request.method == "PLAY", status == 200 { state.connections[connection] = true }
                return true
            case .raw(let bytes): return Self.send(bytes, connection)
            case .silence: return true
            case .end: return false
            }
        }
    }

    private func correctResponse(to request: Request) -> Response {
        switch request.method {
        case "OPTIONS": .status(200, ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"])
        case "DESCRIBE":
            .status(
                200, ["Content-Type: application/sdp", "Content-Base: \(request.url)/"],
                body: sessionDescription)
        case "SETUP":
            .status(
                200,
                ["Session: 12345678;timeout=60", "Transport: \(request.fields["transport"] ?? "")"])
        default: .status(200, ["Session: 12345678"])
        }
    }

    private static func request(startingWith first: UInt8, from connection: Int32) -> Request? {
        var bytes = [first]
        let end = Array("\r\n\r\n".utf8)
        while bytes.suffix(4) != end[...] {
            guard let byte = read(1, connection)?.first, bytes.count < 1 << 16 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = String(
                line[line.index(after: colon)...].drop { $0 == " " })
        }
        return Request(method: String(words[0]), url: String(words[1]), fields: fields)
    }

    private static func read(_ count: Int, _ connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let part = bytes.withUnsafeMutableBytes {
                recv(connection, $0.baseAddress! + received, count - received, 0)
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { return nil }
            received += part
        }
        return bytes
    }

    /// Returns false if the client has disconnected.
    @discardableResult
    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
