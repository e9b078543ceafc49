// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets

/// A socket that receives datagrams at one address.
///
/// It is bound to the address that the caller has named, so it receives nothing that is sent to the
/// machine's other addresses. A multicast group is joined by one interface.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the socket is closed on deallocation.
final class DatagramSocket {
    /// An address and a port.
    struct Endpoint: Hashable {
        fileprivate let bytes: [UInt8]
        /// The address in numbers, for messages and comparisons.
        let host: String
    }

    private let descriptor: Int32

    /// The size of the kernel's buffer, in bytes. It holds what arrives while the reader is busy.
    private static let bufferSize: Int32 = 4 << 20

    init(_ address: DatagramAddress, subject: String) throws(MediaError) {
        var (storage, length) = try Self.resolve(
            address.host.isEmpty ? "0.0.0.0" : address.host, port: address.port, subject)
        let family = Int32(storage.ss_family)
        descriptor = socket(
            family,
            Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure(errno, address, subject) }
        var size = Self.bufferSize
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let isGroup = Self.isMulticast(storage)
        if isGroup {
            // Several programs may receive the same group.
            var yes: Int32 = 1
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        let bound = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        var isOpen = bound == 0
        if isOpen, isGroup { isOpen = try join(storage, address, subject) }
        guard isOpen else {
            // The socket is closed on deallocation.
            throw Self.failure(errno, address, subject)
        }
    }

    deinit { close(descriptor) }

    /// Receives a datagram that has arrived. Returns nil if none has.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, from: Endpoint)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, $0, &length)
            }
        }
        guard count >= 0 else { return nil }
        let bytes = withUnsafeBytes(of: storage) { Array($0.prefix(Int(length))) }
        return (count, Endpoint(bytes: bytes, host: Self.host(of: storage, length)))
    }

    /// Waits until a datagram arrives, but not longer than some milliseconds.
    func wait(milliseconds: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, milliseconds)
    }

    // MARK: - Addresses

    private static func resolve(
        _ host: String, port: UInt16, _ subject: String
    ) throws(MediaError) -> (sockaddr_storage, socklen_t) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw MediaError(
                .cannotOpen, subject: subject, cause: "'\(host)' is not a numeric address",
                remedy: "use an address such as 127.0.0.1 or 239.1.2.3")
        }
        defer { freeaddrinfo(found) }
        var storage = sockaddr_storage()
        let length = first.pointee.ai_addrlen
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(
                from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(length)))
        }
        return (storage, length)
    }

    private static func host(of storage: sockaddr_storage, _ length: socklen_t) -> String {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, length, &name, socklen_t(name.count), nil, 0, Int32(NI_NUMERICHOST))
            }
        }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return result == 0 ? String(decoding: bytes, as: UTF8.self) : ""
    }

    private static func isMulticast(_ storage: sockaddr_storage) -> Bool {
        switch Int32(storage.ss_family) {
        case AF_INET:
            ipv4(storage).s_addr & UInt32(0xF000_0000).bigEndian
                == UInt32(0xE000_0000).bigEndian
        case AF_INET6: withUnsafeBytes(of: ipv6(storage)) { $0[0] == 0xFF }
        default: false
        }
    }

    private static func ipv4(_ storage: sockaddr_storage) -> in_addr {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
        }
    }

    private static func ipv6(_ storage: sockaddr_storage) -> in6_addr {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_addr }
        }
    }

    private static func scope(_ storage: sockaddr_storage) -> UInt32 {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_scope_id }
        }
    }

    /// Joins a multicast group. Returns false, with `errno`, if that is not possible.
    private func join(
        _ group: sockaddr_storage, _ address: DatagramAddress, _ subject: String
    ) throws(MediaError) -> Bool {
        func set(_ level: Int, _ option: Int32, _ value: some Any) -> Bool {
            withUnsafeBytes(of: value) {
                setsockopt(
                    descriptor, Int32(level), option, $0.baseAddress, socklen_t($0.count)) == 0
            }
        }
        guard Int32(group.ss_family) == AF_INET else {
            let request = ipv6_mreq(
                ipv6mr_multiaddr: Self.ipv6(group), ipv6mr_interface: Self.scope(group))
            return set(Int(IPPROTO_IPV6), Int32(IPV6_JOIN_GROUP), request)
        }
        let level = Int(IPPROTO_IP)
        var interface = in_addr()
        if let name = address.interface {
            interface = Self.ipv4(try Self.resolve(name, port: 0, subject).0)
        }
        if let sender = address.sender {
            let request = ip_mreq_source(
                imr_multiaddr: Self.ipv4(group), imr_interface: interface,
                imr_sourceaddr: Self.ipv4(try Self.resolve(sender, port: 0, subject).0))
            return set(level, Int32(IP_ADD_SOURCE_MEMBERSHIP), request)
        }
        let request = ip_mreq(imr_multiaddr: Self.ipv4(group), imr_interface: interface)
        return set(level, Int32(IP_ADD_MEMBERSHIP), request)
    }

    private static func failure(
        _ code: Int32, _ address: DatagramAddress, _ subject: String
    ) -> MediaError {
        switch code {
        case EADDRNOTAVAIL:
            MediaError(
                .cannotOpen, subject: subject,
                cause: "\(address.host) is not an address of this machine",
                remedy: "name one of its addresses, or none to receive at all of them: "
                    + "\(address.isRTP ? "rtp" : "udp")://@:\(address.port)")
        case EADDRINUSE:
            MediaError(
                .cannotOpen, subject: subject,
                cause: "another program receives at port \(address.port)",
                remedy: "end it, or use another port")
        case EMFILE, ENFILE:
            MediaError.tooManyOpenFiles(subject)
        default:
            MediaError(
                .cannotOpen, subject: subject,
                cause: "nothing can be received there (\(String(cString: strerror(code))))",
                remedy: "check the address and the network")
        }
    }
}
