// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadThreads

@testable import PlayheadDesktop

/// A program that is connected to a control socket.
final class ControlClient: Sendable {
    private let descriptor: Int32
    private let input = Monitor<[UInt8]>([])

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw ControlSocketError(path: path, code: errno) }
        // A failing test ends instead of waiting.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
            socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The number of bytes that have been sent and not read.
    var unreadCount: Int32 {
        var count: Int32 = 0
        _ = ioctl(descriptor, UInt(TIOCOUTQ), &count)
        return count
    }

    func send(_ text: String) { send(Array((text + "\n").utf8)) }

    /// Ends sending.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns the next line; nil at the end.
    func line() -> String? {
        while true {
            let line = input.withLock { input -> String? in
                guard let end = input.firstIndex(of: 10) else { return nil }
                defer { input.removeSubrange(...end) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            if let line { return line }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            input.withLock { $0 += bytes[..<count] }
        }
    }

    /// Returns the next answer, skipping events.
    func answer() -> String? {
        while let line = line() {
            if !line.contains("\"event\"") { return line }
        }
        return nil
    }
}
