// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP connection, or the port that accepts connections, of a server for tests.
///
/// - Concurrency: any thread.
struct LoopbackSocket {
    let descriptor: Int32

    /// A request as HTTP and RTSP have it: a line, and header fields by name in lower case.
    struct Head {
        var method: String
        var target: String
        var fields: [String: String]
    }

    /// Begins to listen at a port of the loopback address, and returns the port.
    ///
    /// - Parameters:
    ///   - host: The IPv4 address.
    ///   - port: The port; 0 for any that is free.
    ///   - backlog: The number of connections that may wait to be accepted, less one.
    static func listen(
        _ family: LoopbackServer.Family, host: UInt32 = 0x7F00_0001, port: Int, backlog: Int32 = 64
    ) throws(LoopbackServer.Failure) -> (socket: LoopbackSocket, port: Int) {
        let descriptor = Glibc.socket(
            family == .ipv4 ? AF_INET : AF_INET6,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LoopbackServer.Failure(reason: "no socket: \(errno)") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound =
            family == .ipv4 ? bind4(descriptor, host, port) : bind6(descriptor, port)
        guard let bound, Glibc.listen(descriptor, backlog) == 0 else {
            let error = errno
            Glibc.close(descriptor)
            throw LoopbackServer.Failure(
                reason: "port \(port) on the loopback address is not available: \(error)")
        }
        return (LoopbackSocket(descriptor: descriptor), bound)
    }

    /// Waits for a connection. Returns nil once the port has been shut down.
    func accept() -> LoopbackSocket? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 { return LoopbackSocket(descriptor: connection) }
            if errno != EINTR { return nil }
        }
    }

    /// Ends all calls that wait for the other side.
    func shutdown() { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { Glibc.close(descriptor) }

    /// Reads a number of bytes. Returns nil if the connection ends before.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let part = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress! + received, count - received, 0)
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { return nil }
            received += part
        }
        return bytes
    }

    /// Reads the head of a request, of which the first bytes may have been read already.
    func readHead(after start: [UInt8] = []) -> Head? {
        var bytes = start
        let end = Array("\r\n\r\n".utf8)
        while bytes.suffix(4) != end[...] {
            guard let byte = read(1)?.first, bytes.count < 1 << 16 else { return nil }
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
        return Head(method: String(words[0]), target: String(words[1]), fields: fields)
    }

    /// Returns false if the client has disconnected.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
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

    private static func bind4(_ descriptor: Int32, _ host: UInt32, _ port: Int) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(host).bigEndian
        guard bind(descriptor, &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func bind6(_ descriptor: Int32, _ port: Int) -> Int? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        address.sin6_addr = in6addr_loopback
        guard bind(descriptor, &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    /// Binds a socket, and sets the address to the one that was assigned.
    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, length) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
    }
}
