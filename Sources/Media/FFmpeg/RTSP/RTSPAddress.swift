// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The address of an RTSP stream: `rtsp://user:password@host:554/path?query`.
struct RTSPAddress: Hashable {
    let host: String
    let port: Int
    /// The user and the password; nil if the URL names none.
    let user: String?
    let password: String
    /// The URL without user and password, as it is sent to the server.
    let url: String

    private static let defaultPort = 554

    /// Returns whether a URL has the scheme.
    static func hasScheme(_ text: String) -> Bool { text.prefix(7).lowercased() == "rtsp://" }

    /// Parses a URL. Fails if it names no host.
    init?(_ text: String) {
        guard Self.hasScheme(text) else { return nil }
        let rest = text.dropFirst("rtsp://".count).prefix { $0 != "#" }
        var authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...]
        var (user, password) = (String?.none, "")
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = Self.decoded(parts[0])
            if parts.count == 2 { password = Self.decoded(parts[1]) }
            authority = authority[authority.index(after: at)...]
        }
        // The user becomes a part of a line.
        guard (user ?? "").utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") }),
            let (host, port) = HTTPAddress.hostAndPort(
                authority, defaultPort: Self.defaultPort)
        else { return nil }
        (self.host, self.port, self.user, self.password) = (host, port, user, password)
        let suffix = port == Self.defaultPort ? "" : ":\(port)"
        url =
            "rtsp://\(HTTPAddress.bracketed(host))\(suffix)" + HTTPAddress.encoded(String(target))
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
    }

    /// Returns the URL of a part of a session (RFC 2326, appendix C.1.1). It is only a name in
    /// requests to the server that is already connected, whatever host it contains.
    ///
    /// - Parameters:
    ///   - control: The URL in the description of the session, which may be relative.
    ///   - base: The URL of the session.
    static func url(of control: String, base: String) -> String {
        if control.isEmpty || control == "*" { return base }
        let text = HTTPAddress.encoded(control)
        if hasScheme(control) { return text }
        return base.hasSuffix("/") ? base + text : "\(base)/\(text)"
    }
}
