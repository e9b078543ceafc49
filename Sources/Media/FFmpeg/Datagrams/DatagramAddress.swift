// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address at which datagrams of an MPEG transport stream are received: `udp://` or `rtp://`,
/// as FFmpeg, VLC and mpv write it.
///
///     udp://127.0.0.1:5000             at this address of the machine
///     udp://@:5000                     at every IPv4 address of the machine
///     rtp://@239.1.2.3:5000            a multicast group
///     rtp://10.0.0.7@232.1.2.3:5000    only what 10.0.0.7 sends to the group
///     udp://@239.1.2.3:5000?localaddr=10.0.0.2    by the interface with this address
///
/// Addresses are numeric. Other options after `?` are ignored.
struct DatagramAddress: Hashable, CustomStringConvertible {
    /// A Boolean value that indicates whether datagrams have an RTP header (RFC 3550).
    let isRTP: Bool
    /// The address to bind, or the multicast group; empty for every IPv4 address of the machine.
    let host: String
    let port: UInt16
    /// The address of the only sender that is accepted; nil for any sender.
    let sender: String?
    /// The address of the interface that receives a multicast group; nil if the system chooses it.
    let interface: String?

    /// Returns whether a URL has one of the schemes.
    static func hasScheme(_ text: String) -> Bool {
        ["udp://", "rtp://"].contains { text.prefix($0.count).lowercased() == $0 }
    }

    /// Parses a URL. Fails for other schemes, and if the URL names no port.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            return nil
        }
        switch text[..<colon].lowercased() {
        case "udp": isRTP = false
        case "rtp": isRTP = true
        default: return nil
        }
        let rest = text[text.index(colon, offsetBy: 3)...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        var address = authority
        var sender = Substring()
        if let at = authority.lastIndex(of: "@") {
            sender = authority[..<at]
            address = authority[authority.index(after: at)...]
        }
        guard let end = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: end)...]), port > 0
        else { return nil }
        var host = address[..<end]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.host = host.lowercased() == "localhost" ? "127.0.0.1" : String(host)
        self.port = port
        self.sender = sender.isEmpty ? nil : String(sender)
        let query = rest[authority.endIndex...].drop { $0 != "?" }.dropFirst()
        interface =
            query.split(separator: "&").lazy.compactMap { entry in
                entry.hasPrefix("localaddr=") ? String(entry.dropFirst("localaddr=".count)) : nil
            }.first
    }

    /// The address and port, for messages.
    var description: String {
        let host = self.host.isEmpty ? "every IPv4 address" : self.host
        return "\(host), port \(port)"
    }
}
