// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address space of a network address. The cases are in the order of increasing privacy.
///
/// - Corresponds to: *IP address spaces* of the Private Network Access draft, section 2.1.
enum NetworkSpace: Int, Comparable {
    case `public`, `private`, loopback

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Creates the space of a socket address. An address of an unknown family counts as most
    /// private.
    init(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Self(ipv4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Self(ipv6: Array($0)) }
            }
        default: self = .loopback
        }
    }

    /// Creates the space of a numeric address; an IPv6 address may be in brackets. Fails for names.
    init?(numericAddress text: String) {
        var (ipv4, ipv6) = (in_addr(), in6_addr())
        let bare = text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
        if inet_pton(AF_INET, bare, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr))
        } else if inet_pton(AF_INET6, bare, &ipv6) == 1 {
            self.init(ipv6: withUnsafeBytes(of: ipv6) { Array($0) })
        } else {
            return nil
        }
    }

    /// The address blocks that are not globally reachable according to the registry of
    /// special-purpose addresses in RFC 6890.
    private static let privateBlocks: [(prefix: UInt32, bits: UInt32)] = [
        (0x0a00_0000, 8), (0x6440_0000, 10), (0xa9fe_0000, 16), (0xac10_0000, 12),
        (0xc000_0000, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        // Multicast, reserved, broadcast.
        (0xe000_0000, 3),
    ]

    init(ipv4 address: UInt32) {
        // 127/8, and 0/8, which Linux treats as this host.
        if address >> 24 == 127 || address >> 24 == 0 {
            self = .loopback
        } else {
            let isPrivate = Self.privateBlocks.contains {
                (address ^ $0.prefix) >> (32 - $0.bits) == 0
            }
            self = isPrivate ? .private : .public
        }
    }

    init(ipv6 address: [UInt8]) {
        func ipv4(at index: Int) -> Self {
            Self(ipv4: address[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        let zeros = address.prefix { $0 == 0 }.count
        if zeros == 16 || (zeros == 15 && address[15] == 1) {
            self = .loopback
        } else if zeros >= 10, address[10] == 0xff, address[11] == 0xff {
            self = ipv4(at: 12)  // ::ffff:0:0/96, an IPv4-mapped address
        } else if zeros >= 12 {
            self = ipv4(at: 12)  // ::/96, deprecated IPv4-compatible addresses
        } else if address.starts(with: [0, 0x64, 0xff, 0x9b]) {
            self = ipv4(at: 12)  // 64:ff9b::/96, NAT64
        } else if address.starts(with: [0x20, 0x02]) {
            self = ipv4(at: 2)  // 2002::/16, 6to4
        } else {
            // Only 2000::/3 is global unicast.
            self = address[0] & 0xe0 == 0x20 ? .public : .private
        }
    }
}
