// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A socket that sends datagrams to a port of the loopback address, for tests.
///
/// - Concurrency: any thread.
/// - Ownership: the socket is closed on deallocation.
public final class DatagramSender: Sendable {
    private let descriptor: Int32

    public struct Failure: Error {}

    public init(port: Int) throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure() }
        var address = Self.loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Sends a datagram. Without a receiver at the port, nothing happens.
    public func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, 0) }

    /// Waits until a socket receives at the port.
    public func waitForReceiver() {
        while true {
            send([0])
            // Without a receiver, the kernel reports an error of the socket.
            usleep(2000)
            var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
            if error == 0 { return }
        }
    }

    /// Returns an RTP packet with a part of a transport stream.
    public static func rtp(_ payload: [UInt8], sequence: UInt16, source: UInt8 = 1) -> [UInt8] {
        [0x80, 33, UInt8(sequence >> 8), UInt8(sequence & 0xFF), 0, 0, 0, 0, 0, 0, 0, source]
            + payload
    }

    /// Returns a port that no socket uses.
    public static func freePort() throws(Failure) -> Int {
        let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(probe, $0, length) == 0 && getsockname(probe, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
