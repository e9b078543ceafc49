// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A port of an address of the loopback network that does not answer, as in a network that drops
/// packets, for tests. Its queue of connections is full, so the kernel drops further attempts.
///
/// - Concurrency: any thread.
/// - Ownership: the port is closed on deallocation.
public final class SilentPort: Sendable {
    private let listener: LoopbackSocket
    private let waiting: Int32

    /// - Parameter host: The address, as a number; the default is 127.0.0.2.
    public init(host: UInt32 = 0x7F00_0002, port: Int) throws(LoopbackServer.Failure) {
        listener = try LoopbackSocket.listen(.ipv4, host: host, port: port, backlog: 0).socket
        waiting = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(host).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(waiting, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The connection is in the queue once the port can accept it.
        var request = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        guard connected == 0, poll(&request, 1, -1) == 1 else {
            throw LoopbackServer.Failure(reason: "port \(port) cannot be filled: \(errno)")
        }
    }

    deinit {
        close(waiting)
        listener.close()
    }
}
