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
    }

    public let port: Int
    private let handler: @Sendable (Request) -> Response
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var connections: Set<Int32> = []
        var requests: [Request] = []
        var acceptedCount = 0
        var threads: [WorkerThread] = []
        var paces: [Pace] = []
    }

    public enum Family: Sendable { case ipv4, ipv6 }

    /// Starts a server.
    ///
    /// - Parameter port: The port; 0 for any that is free.
    /// - Throws: An error if the address does not exist on this machine or the port is in use.
    public init(
        _ family: Family = .ipv4, port: Int = 0, handler: @escaping @Sendable (Request) -> Response
    ) throws(Failure) {
        self.handler = handler
        let socket = Glibc.socket(
            family == .ipv4 ? AF_INET : AF_INET6,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(reason: "no socket: \(errno)") }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = family == .ipv4 ? Self.bind4(socket, port) : Self.bind6(socket, port)
        guard let bound, listen(socket, 64) == 0 else {
            let error = errno
            close(socket)
            throw Failure(reason: "port \(port) on the loopback address is not available: \(error)")
        }
        listener = socket
        self.port = bound
        let thread = WorkerThread(name: "test-http") { [weak self] in
            while let connection = LoopbackServer.accept(socket) {
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

    /// Closes all connections. Calling it again does nothing.
    public func stop() {
        let threads: [WorkerThread]? = state.withLock {
            guard !$0.isStopped else { return nil }
            $0.isStopped = true
            for connection in $0.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            for pace in $0.paces { pace.stop() }
            return $0.threads
        }
        guard let threads else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for thread in threads where !thread.isCurrent { thread.join() }
        close(listener)
    }

    // MARK: - Connections

    private static func accept(_ listener: Int32) -> Int32? {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            if connection >= 0 { return connection }
            if errno != EINTR { return nil }
        }
    }

    private func serve(_ connection: Int32) {
        state.withLock { state in
            guard !state.isStopped else {
                close(connection)
                return
            }
            state.acceptedCount += 1
            state.connections.insert(connection)
            state.threads.append(
                WorkerThread(name: "test-http") { [weak self] in
                    if let self, let request = LoopbackServer.request(from: connection) {
                        self.state.withLock { $0.requests.append(request) }
                        let response = self.handler(request)
                        if case .paced(_, let pace) = response {
                            self.state.withLock { $0.paces.append(pace) }
                        }
                        LoopbackServer.answer(response, to: request, on: connection)
                    }
                    self?.forget(connection)
                    close(connection)
                })
        }
    }

    private func forget(_ connection: Int32) {
        _ = state.withLock { $0.connections.remove(connection) }
    }

    private static func request(from connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while bytes.suffix(4) != end[...] {
            var byte: UInt8 = 0
            guard recv(connection, &byte, 1, 0) == 1, bytes.count < 1 << 16 else { return nil }
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
        return Request(method: String(words[0]), path: String(words[1]), fields: fields)
    }

    // MARK: - Responses

    private static func answer(_ response: Response, to request: Request, on connection: Int32) {
        switch response {
        case .bytes(let file): sendFile(file, request, connection, limit: nil)
        case .broken(let file, let limit): sendFile(file, request, connection, limit: limit)
        case .paced(let file, let pace):
            // A larger kernel buffer would accept data faster than the pace.
            var size = Int32(1 << 14)
            setsockopt(
                connection, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            sendFile(file, request, connection, limit: nil, pace: pace)
        case .whole(let file):
            send(head(200, ["Content-Length: \(file.count)"]) + file, connection)
        case .chunked(let file, let size):
            send(head(200, ["Transfer-Encoding: chunked"]), connection)
            for start in stride(from: 0, to: file.count, by: size) {
                let part = file[start..<min(start + size, file.count)]
                let line = String(part.count, radix: 16) + ";name=value\r\n"
                guard send(Array(line.utf8) + part + Array("\r\n".utf8), connection) else { return }
            }
            send(Array("0\r\n\r\n".utf8), connection)
        case .redirect(let target, let status):
            send(head(status, ["Location: \(target)", "Content-Length: 0"]), connection)
        case .status(let status): send(head(status, ["Content-Length: 0"]), connection)
        case .raw(let bytes): send(bytes, connection)
        case .endless(let bytes):
            guard send(head(200, []), connection) else { return }
            while send(bytes, connection) {}
        case .stream(let start, let next):
            guard send(start, connection) else { return }
            while let part = next() { guard send(part, connection) else { return } }
        case .silence:
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        }
    }

    private static func sendFile(
        _ file: [UInt8], _ request: Request, _ connection: Int32, limit: Int?, pace: Pace? = nil
    ) {
        guard let range = request.range else {
            let start = head(200, ["Accept-Ranges: bytes", "Content-Length: \(file.count)"])
            send(start, file.prefix(limit ?? file.count), connection, pace)
            return
        }
        guard range.first < file.count else {
            send(head(416, ["Content-Range: bytes */\(file.count)"]), connection)
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

    private static func send(
        _ head: [UInt8], _ body: ArraySlice<UInt8>, _ connection: Int32, _ pace: Pace?
    ) {
        guard let pace else {
            send(head + body, connection)
            return
        }
        guard send(head, connection) else { return }
        var rest = body
        while !rest.isEmpty {
            let count = pace.next(at: rest.startIndex, of: rest.count)
            guard count > 0, send(Array(rest.prefix(count)), connection) else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func head(_ status: Int, _ fields: [String]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Test"] + fields + ["Connection: close"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Returns false if the client has disconnected.
    @discardableResult
    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    connection, $0.baseAddress! + sent, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    // MARK: - Addresses

    private static func bind4(_ socket: Int32, _ port: Int) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        guard bind(socket, &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func bind6(_ socket: Int32, _ port: Int) -> Int? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        address.sin6_addr = in6addr_loopback
        guard bind(socket, &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// Binds a socket, and sets the address to the one that was assigned.
    private static func bind<Address>(_ socket: Int32, _ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
    }
}
