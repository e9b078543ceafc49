// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads
import Synchronization

/// A web server on the loopback address, for tests. It sends configured responses, including
/// invalid ones, and records requests.
///
///     let server = try LoopbackServer { request in
///         request.path == "/film.mp4" ? .bytes(film) : .status(404)
///     }
///     let asset = URLAsset(url: URL(string: server.url("/film.mp4"))!)
///
/// - Concurrency: any thread; the handler is called on threads of the server, several at once.
/// - Ownership: stops and joins its threads when released or by `stop`.
public final class LoopbackServer: Sendable {
    public struct Request: Sendable {
        public let method: String
        /// Includes the query.
        public let path: String
        /// The header fields, by name in lower case.
        public let fields: [String: String]

        /// The requested range of bytes, or nil for all.
        public var range: (first: Int, last: Int?)? {
            guard let text = fields["range"], text.hasPrefix("bytes=") else { return nil }
            let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Int(ends[0]) else { return nil }
            return (first, Int(ends[1]))
        }
    }

    public enum Response: Sendable {
        /// A file, with range requests.
        case bytes([UInt8])
        /// A file from a server without range requests.
        case whole([UInt8])
        /// A file, with range requests, at a limited pace.
        case paced([UInt8], Pace)
        /// A file in chunks of a size, without a length.
        case chunked([UInt8], size: Int)
        /// A file of which every response is cut off after a number of bytes.
        case broken([UInt8], after: Int)
        case redirect(String, status: Int = 302)
        case status(Int)
        /// These bytes, head and all, then the end of the connection.
        case raw([UInt8])
        /// The bytes repeated endlessly.
        case endless([UInt8])
        /// These bytes, head and all, then what the function returns, which may wait, until it
        /// returns nil.
        case stream([UInt8], next: @Sendable () -> [UInt8]?)
        /// No response until the client gives up.
        case silence

        /// A Boolean value that indicates whether the client knows the end of the response without
        /// the end of the connection.
        fileprivate var hasEnd: Bool {
            switch self {
            case .bytes, .whole, .paced, .chunked, .redirect, .status: true
            case .broken, .raw, .endless, .stream, .silence: false
            }
        }
    }

    public let port: Int
    private let keepsConnections: Bool
    private let handler: @Sendable (Request) -> Response
    private let listener: LoopbackSocket
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var connections: [Int32: LoopbackSocket] = [:]
        var requests: [Request] = []
        var acceptedCount = 0
        var sentByteCount = 0
        var threads: [WorkerThread] = []
        var paces: [Pace] = []
    }

    public enum Family: Sendable { case ipv4, ipv6 }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any that is free.
    ///   - keepsConnections: A Boolean value that indicates whether a connection may carry several
    ///     requests.
    /// - Throws: An error if the address does not exist on this machine or the port is in use.
    public init(
        _ family: Family = .ipv4, port: Int = 0, keepsConnections: Bool = false,
        handler: @escaping @Sendable (Request) -> Response
    ) throws(Failure) {
        self.handler = handler
        self.keepsConnections = keepsConnections
        let socket: LoopbackSocket
        (socket, self.port) = try LoopbackSocket.listen(family, port: port)
        listener = socket
        let thread = WorkerThread(name: "test-http") { [weak self] in
            while let connection = socket.accept() {
                guard let self else { break }
                self.serve(connection)
            }
        }
        state.withLock { $0.threads.append(thread) }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let reason: String
        public var description: String { reason }
    }

    deinit { stop() }

    /// The address of a path on this server.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests so far.
    public var requests: [Request] { state.withLock { $0.requests } }
    /// The number of connections so far, with a request or without.
    public var connectionCount: Int { state.withLock { $0.acceptedCount } }

    /// The number of connections that are open.
    public var openConnectionCount: Int { state.withLock { $0.connections.count } }

    /// The number of bytes sent so far in bodies that have an end, without the heads of responses and
    /// of chunks. A part is counted before it is sent, so that no client is ahead of the number.
    public var sentByteCount: Int { state.withLock { $0.sentByteCount } }

    /// Closes all connections. Calling it again does nothing.
    public func stop() {
        let threads: [WorkerThread]? = state.withLock {
            guard !$0.isStopped else { return nil }
            $0.isStopped = true
            for connection in $0.connections.values { connection.shutdown() }
            for pace in $0.paces { pace.stop() }
            return $0.threads
        }
        guard let threads else { return }
        listener.shutdown()
        for thread in threads where !thread.isCurrent { thread.join() }
        listener.close()
    }

    // MARK: - Connections

    private func serve(_ connection: LoopbackSocket) {
        state.withLock { state in
            guard !state.isStopped else {
                connection.close()
                return
            }
            state.acceptedCount += 1
            state.connections[connection.descriptor] = connection
            state.threads.append(
                WorkerThread(name: "test-http") { [weak self] in
                    while let request = LoopbackServer.request(from: connection),
                        self?.answer(request, on: connection) == true
                    {}
                    self?.forget(connection)
                    connection.close()
                })
        }
    }

    /// Answers a request. Returns whether the connection may carry another one.
    private func answer(_ request: Request, on connection: LoopbackSocket) -> Bool {
        state.withLock { $0.requests.append(request) }
        let response = handler(request)
        if case .paced(_, let pace) = response { state.withLock { $0.paces.append(pace) } }
        let isKept = keepsConnections && response.hasEnd
        answer(response, to: request, on: connection, isKept: isKept)
        return isKept
    }

    private func forget(_ connection: LoopbackSocket) {
        state.withLock { $0.connections[connection.descriptor] = nil }
    }

    private static func request(from connection: LoopbackSocket) -> Request? {
        connection.readHead().map { Request(method: $0.method, path: $0.target, fields: $0.fields) }
    }

    // MARK: - Responses

    /// Sends the head of a response and a part of its body.
    @discardableResult
    private func send(
        _ head: [UInt8], _ body: some Collection<UInt8>, _ connection: LoopbackSocket
    ) -> Bool {
        state.withLock { $0.sentByteCount += body.count }
        return connection.send(head + body)
    }

    private func answer(
        _ response: Response, to request: Request, on connection: LoopbackSocket, isKept: Bool
    ) {
        func head(_ status: Int, _ fields: [String]) -> [UInt8] {
            Self.head(status, fields, isKept: isKept)
        }
        switch response {
        case .bytes(let file): sendFile(file, request, connection, isKept: isKept)
        case .broken(let file, let limit):
            sendFile(file, request, connection, isKept: false, limit: limit)
        case .paced(let file, let pace):
            // A larger kernel buffer would accept data faster than the pace.
            var size = Int32(1 << 14)
            setsockopt(
                connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size,
                socklen_t(MemoryLayout<Int32>.size))
            sendFile(file, request, connection, isKept: isKept, pace: pace)
        case .whole(let file):
            send(head(200, ["Content-Length: \(file.count)"]), file, connection)
        case .chunked(let file, let size):
            connection.send(head(200, ["Transfer-Encoding: chunked"]))
            for start in stride(from: 0, to: file.count, by: size) {
                let part = file[start..<min(start + size, file.count)]
                let line = String(part.count, radix: 16) + ";name=value\r\n"
                guard send(Array(line.utf8), part, connection) else { return }
                connection.send(Array("\r\n".utf8))
            }
            connection.send(Array("0\r\n\r\n".utf8))
        case .redirect(let target, let status):
            connection.send(head(status, ["Location: \(target)", "Content-Length: 0"]))
        case .status(let status): connection.send(head(status, ["Content-Length: 0"]))
        case .raw(let bytes):
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.endIndex
            send(Array(bytes[..<end]), bytes[end...], connection)
        case .endless(let bytes):
            guard connection.send(head(200, [])) else { return }
            while connection.send(bytes) {}
        case .stream(let start, let next):
            guard connection.send(start) else { return }
            while let part = next() { guard connection.send(part) else { return } }
        case .silence:
            var byte: UInt8 = 0
            while recv(connection.descriptor, &byte, 1, 0) > 0 {}
        }
    }

    private func sendFile(
        _ file: [UInt8], _ request: Request, _ connection: LoopbackSocket, isKept: Bool,
        limit: Int? = nil, pace: Pace? = nil
    ) {
        func head(_ status: Int, _ fields: [String]) -> [UInt8] {
            Self.head(status, fields, isKept: isKept)
        }
        guard let range = request.range else {
            let start = head(200, ["Accept-Ranges: bytes", "Content-Length: \(file.count)"])
            send(start, file.prefix(limit ?? file.count), connection, pace)
            return
        }
        guard range.first < file.count else {
            connection.send(
                head(416, ["Content-Range: bytes */\(file.count)", "Content-Length: 0"]))
            return
        }
        let last = min(range.last ?? file.count - 1, file.count - 1)
        let part = file[range.first...last]
        let start = head(
            206,
            [
                "Content-Range: bytes \(range.first)-\(last)/\(file.count)",
                "Content-Length: \(part.count)",
            ])
        send(start, part.prefix(limit ?? part.count), connection, pace)
    }

    private func send(
        _ head: [UInt8], _ body: ArraySlice<UInt8>, _ connection: LoopbackSocket, _ pace: Pace?
    ) {
        guard let pace else {
            send(head, body, connection)
            return
        }
        guard connection.send(head) else { return }
        var rest = body
        while !rest.isEmpty {
            let count = pace.next(at: rest.startIndex, of: rest.count)
            guard count > 0, send([], rest.prefix(count), connection) else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func head(_ status: Int, _ fields: [String], isKept: Bool) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Test"] + fields + (isKept ? [] : ["Connection: close"])
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
