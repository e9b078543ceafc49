// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads
import Synchronization

/// A Unix socket for programs of the same user. Each line is a message.
///
/// - Concurrency: any thread. The handler runs on the socket's thread, one call at a time.
/// - Lifetime: until `close()`, which removes the socket.
/// - Errors: `ControlSocketError`.
final class ControlSocket: Sendable {
    typealias ClientID = Int

    /// An event of a client.
    enum Event: Sendable {
        case connected(ClientID)
        /// A line without its terminator.
        case line([UInt8], ClientID)
        /// The client has closed its sending side, but may still read. Call `end` after the last
        /// reply.
        case ended(ClientID)
        case disconnected(ClientID)
    }

    /// The state of a client.
    private struct Client {
        let descriptor: Int32
        var input: [UInt8] = []
        var output: [UInt8] = []
        /// A Boolean value that indicates whether the client has closed its sending side.
        var hasEnded = false
        /// A Boolean value that indicates whether the client is disconnected once its output has
        /// been sent.
        var isEnding = false
    }

    private struct State {
        var clients: [ClientID: Client] = [:]
        var lastClient = 0
        var isClosed = false
    }

    /// The maximum length of a line, in bytes. A client that sends a longer line is disconnected.
    static let maximumLine = 1 << 16
    /// The maximum size of pending output, in bytes. A client that exceeds it, because it does not
    /// read, is disconnected.
    static let maximumOutput = 1 << 20
    static let maximumClients = 16
    /// The maximum number of bytes that are read at once, so that one client does not block the
    /// others.
    private static let portion = 1 << 14

    let path: String
    private let listener: Int32
    private let wake: (read: Int32, write: Int32)
    private let state = Mutex(State())
    private let handler: @Sendable (Event) -> Void
    private let thread = Mutex<WorkerThread?>(nil)

    /// Creates a socket at a path. A stale socket is replaced.
    init(
        path: String, handler: @escaping @Sendable (Event) -> Void
    ) throws(ControlSocketError) {
        self.path = path
        self.handler = handler
        listener = try Self.listen(at: path)
        var pipe: [Int32] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else {
            Glibc.close(listener)
            throw ControlSocketError(path: path, code: errno)
        }
        for end in pipe { Self.prepare(end) }
        wake = (pipe[0], pipe[1])
        thread.withLock { $0 = WorkerThread(name: "ph-ipc") { [self] in run() } }
    }

    deinit {
        Glibc.close(wake.read)
        Glibc.close(wake.write)
    }

    /// Sends the pending output and closes all connections. Blocks until they are closed.
    func close() {
        state.withLock { $0.isClosed = true }
        awake()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    /// Sends a line to a client. Does nothing if the client has disconnected.
    func send(_ line: [UInt8], to client: ClientID) {
        let isThere = state.withLock { state in
            guard let known = state.clients[client], !known.isEnding else { return false }
            guard known.output.count + line.count < Self.maximumOutput else {
                state.clients[client]?.output = []
                state.clients[client]?.isEnding = true
                return true
            }
            state.clients[client]?.output += line + [UInt8(ascii: "\n")]
            return true
        }
        if isThere { awake() }
    }

    /// Disconnects a client after its pending output is sent.
    func end(_ client: ClientID) {
        state.withLock { $0.clients[client]?.isEnding = true }
        awake()
    }

    private func awake() {
        var byte: UInt8 = 0
        _ = write(wake.write, &byte, 1)
    }

    // MARK: The socket

    private static func listen(at path: String) throws(ControlSocketError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count, !path.isEmpty, !path.utf8.contains(0) else {
                return false
            }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw ControlSocketError(path: path, code: ENAMETOOLONG) }
        try removeStale(path, address)
        let descriptor = makeSocket()
        guard descriptor >= 0 else { throw ControlSocketError(path: path, code: errno) }
        // On Linux, the socket file is created with this mode, so other users never have access.
        fchmod(descriptor, 0o600)
        let status = withAddress(address) { Glibc.bind(descriptor, $0, $1) }
        guard status == 0, Glibc.listen(descriptor, 8) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw ControlSocketError(path: path, code: code)
        }
        return descriptor
    }

    private static func withAddress<Result>(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func makeSocket() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if descriptor >= 0 { prepare(descriptor) }
        return descriptor
    }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Removes a stale socket whose program has ended. Other files are not removed.
    private static func removeStale(
        _ path: String, _ address: sockaddr_un
    ) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlSocketError(path: path, code: EEXIST)
        }
        let probe = makeSocket()
        guard probe >= 0 else { throw ControlSocketError(path: path, code: errno) }
        defer { Glibc.close(probe) }
        let answer = withAddress(address) { connect(probe, $0, $1) }
        guard answer != 0, errno == ECONNREFUSED else {
            throw ControlSocketError(path: path, code: EADDRINUSE)
        }
        unlink(path)
    }

    // MARK: The thread

    private func run() {
        while !state.withLock({ $0.isClosed }) {
            var (descriptors, clients) = state.withLock { state in
                var descriptors = [
                    pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                ]
                let clients = state.clients.keys.sorted()
                for client in clients.compactMap({ state.clients[$0] }) {
                    let wanted =
                        (client.output.isEmpty ? 0 : POLLOUT)
                        | (client.isEnding || client.hasEnded ? 0 : POLLIN)
                    descriptors.append(
                        pollfd(
                            fd: client.descriptor, events: Int16(wanted), revents: 0))
                }
                return (descriptors, clients)
            }
            _ = poll(&descriptors, nfds_t(descriptors.count), -1)
            if descriptors[0].revents != 0 { drain() }
            if descriptors[1].revents != 0 { accept() }
            for (client, descriptor) in zip(clients, descriptors.dropFirst(2)) {
                serve(client, descriptor.revents)
            }
        }
        finish()
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wake.read, &bytes, bytes.count) > 0 {}
    }

    private func accept() {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        // A refused client is disconnected at once, so that it does not stay in the queue of
        // connections.
        guard state.withLock({ $0.clients.count }) < Self.maximumClients else {
            Glibc.close(descriptor)
            return
        }
        Self.prepare(descriptor)
        let client = state.withLock { state in
            state.lastClient += 1
            state.clients[state.lastClient] = Client(descriptor: descriptor)
            return state.lastClient
        }
        handler(.connected(client))
    }

    private func serve(_ client: ClientID, _ events: Int16) {
        flush(client)
        let isClosed = Int32(events) & (POLLHUP | POLLERR) != 0
        var isOver = false
        if isClosed || Int32(events) & POLLIN != 0 {
            switch receive(client) {
            case .more: break
            case .end where !isClosed:
                state.withLock { $0.clients[client]?.hasEnded = true }
                handler(.ended(client))
            case .end, .nonsense: isOver = true
            }
        }
        let isEnding = state.withLock { state in
            guard let known = state.clients[client] else { return false }
            return known.isEnding && known.output.isEmpty
        }
        if isOver || isEnding { drop(client) }
    }

    private func flush(_ client: ClientID) {
        state.withLock { state in
            guard let known = state.clients[client], !known.output.isEmpty else { return }
            let count = known.output.withUnsafeBytes {
                Glibc.send(known.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                state.clients[client]?.output.removeFirst(count)
            } else if errno != EAGAIN, errno != EINTR {
                state.clients[client]?.output = []
                state.clients[client]?.isEnding = true
            }
        }
    }

    /// The result of reading from a client.
    private enum Reception {
        case more
        case end
        /// Invalid data. The client is disconnected.
        case nonsense
    }

    /// Reads from a client and reports its lines.
    private func receive(_ client: ClientID) -> Reception {
        guard let known = state.withLock({ $0.clients[client] }), !known.isEnding else {
            return .nonsense
        }
        var bytes = [UInt8](repeating: 0, count: Self.portion)
        let count = recv(known.descriptor, &bytes, bytes.count, 0)
        guard count > 0 else {
            return count < 0 && (errno == EAGAIN || errno == EINTR) ? .more : .end
        }
        var input = known.input + bytes[..<count]
        var lines: [[UInt8]] = []
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Array(input[..<end]))
            input.removeSubrange(...end)
        }
        guard input.count <= Self.maximumLine else { return .nonsense }
        state.withLock { $0.clients[client]?.input = input }
        for line in lines where !line.isEmpty {
            if state.withLock({ $0.isClosed }) { return .end }
            handler(.line(line, client))
        }
        return .more
    }

    private func drop(_ client: ClientID) {
        let known = state.withLock { $0.clients.removeValue(forKey: client) }
        guard let known else { return }
        Glibc.close(known.descriptor)
        handler(.disconnected(client))
    }

    private func finish() {
        let clients = state.withLock { $0.clients.keys.sorted() }
        for client in clients {
            flush(client)
            drop(client)
        }
        Glibc.close(listener)
        unlink(path)
    }
}
