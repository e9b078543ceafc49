// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadThreads

/// A resolver of host names that can be interrupted while it waits for a name server.
enum HostResolver {
    struct Address: Sendable, Hashable {
        /// The numeric address as in a URL; an IPv6 address is in brackets.
        let text: String
        let space: NetworkSpace

        var isIPv6: Bool { text.hasPrefix("[") }
    }

    private enum Outcome: Sendable {
        case addresses([Address])
        /// The lookup failed. The value is the resolver's message.
        case failed(String)
    }

    private static let pollNanoseconds: Int64 = 20_000_000

    /// Resolves a host name.
    ///
    /// - Throws: An error if the host does not exist or the interrupt ends the wait. The resolver
    ///   itself cannot be interrupted, so it continues on a thread of its own until its timeout.
    static func addresses(
        of host: String, subject: String, interrupt: Interrupt
    ) throws(MediaError) -> [Address] {
        let outcome = Monitor<Outcome?>(nil)
        _ = WorkerThread(name: "ph-resolve") {
            let found = resolve(host)
            outcome.change { $0 = found }
        }
        while !interrupt.isTriggered {
            switch outcome.wait(nanoseconds: pollNanoseconds, until: { $0 }) {
            case .addresses(let addresses): return addresses
            case .failed(let reason):
                throw MediaError(
                    .cannotOpen, subject: subject,
                    cause: "the host \(host) is not found (\(reason))",
                    remedy: "check the address and the network")
            case nil: continue
            }
        }
        throw FFmpegError.interrupted.whileReading(subject, interrupt: interrupt)
    }

    private static func resolve(_ host: String) -> Outcome {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else { return .failed(String(cString: gai_strerror(result))) }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr, let text = text(address, entry.ai_addrlen) else {
                continue
            }
            let found = Address(text: HTTPAddress.bracketed(text), space: NetworkSpace(address))
            if !addresses.contains(found) { addresses.append(found) }
        }
        return addresses.isEmpty ? .failed("it has no address") : .addresses(addresses)
    }

    private static func text(
        _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let result = getnameinfo(
                address, length, buffer.baseAddress, socklen_t(buffer.count), nil, 0,
                NI_NUMERICHOST)
            return result == 0 ? String(cString: buffer.baseAddress!) : nil
        }
    }
}
