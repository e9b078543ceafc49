// SPDX-License-Identifier: Apache-2.0

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
    private let listener: LoopbackSocket
    private let state = Monitor(State())

    private struct State {
        var isStopped = false
        /// The connections, and whether each one plays, by descriptor.
        var connections: [Int32: (socket: LoopbackSocket, plays: Bool)] = [:]
        var requests: [Request] = []
        var acceptedCount = 0
        var received: [(packet: [UInt8], channel: UInt8)] = []
        var threads: [WorkerThread] = []

        var hasPlayer: Bool { connections.values.contains(where: \.plays) }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any that is free.
    ///   - description: The description of the session (SDP).
    ///   - handler: Returns the response to a request; nil for the correct one.
    public init(
        port: Int = 0, description: String,
        handler: @escaping @Sendable (Request) -> Response? = { _ in nil }
    ) throws(LoopbackServer.Failure) {
        sessionDescription = description
        self.handler = handler
        let socket: LoopbackSocket
        (socket, self.port) = try LoopbackSocket.listen(.ipv4, port: port)
        listener = socket
        let thread = WorkerThread(name: "test-rtsp") { [weak self] in
            while let connection = socket.accept() {
                guard let self else { break }
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
        state.wait { $0.hasPlayer || $0.isStopped ? true : nil }
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
    public var hasPlayer: Bool { state.withLock { $0.hasPlayer } }

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
            for (socket, plays) in state.connections.values where plays { socket.send(bytes) }
        }
    }

    /// Closes the connections, and accepts others.
    public func closeConnections() {
        state.change { state in
            for (descriptor, connection) in state.connections {
                connection.socket.shutdown()
                state.connections[descriptor]?.plays = false
            }
        }
    }

    /// Closes all connections, and the port. Calling it again does nothing.
    public func stop() {
        let threads: [WorkerThread]? = state.change { state in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            for connection in state.connections.values { connection.socket.shutdown() }
            return state.threads
        }
        guard let threads else { return }
        listener.shutdown()
        for thread in threads where !thread.isCurrent { thread.join() }
        listener.close()
    }

    // MARK: - Connections

    private func serve(_ connection: LoopbackSocket) {
        state.change { state in
            guard !state.isStopped else {
                connection.close()
                return
            }
            state.acceptedCount += 1
            state.connections[connection.descriptor] = (connection, false)
            state.threads.append(
                WorkerThread(name: "test-rtsp") { [weak self] in
                    while let self, self.answer(on: connection) {}
                    self?.state.change { $0.connections[connection.descriptor] = nil }
                    connection.close()
                })
        }
    }

    /// Answers a request. Returns false at the end of the connection.
    private func answer(on connection: LoopbackSocket) -> Bool {
        guard let first = connection.read(1)?.first else { return false }
        if first == UInt8(ascii: "$") {
            guard let head = connection.read(3),
                let packet = connection.read(Int(head[1]) << 8 | Int(head[2]))
            else { return false }
            state.change { $0.received.append((packet, head[0])) }
            return true
        }
        guard let head = connection.readHead(after: [first]) else { return false }
        let request = Request(method: head.method, url: head.target, fields: head.fields)
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
                guard connection.send(Array(text.utf8)) else { return false }
                if request.method == "PLAY", status == 200 {
                    state.connections[connection.descriptor]?.plays = true
                }
                return true
            case .raw(let bytes): return connection.send(bytes)
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
}
