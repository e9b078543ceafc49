// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The components of an HTTP or HTTPS URL: RFC 3986.
struct HTTPAddress: Hashable, CustomStringConvertible {
    /// The origin of an address: RFC 6454.
    struct Origin: Hashable {
        let scheme: AssetAccessRules.Scheme
        /// The host in lower case. An IPv6 address has no brackets.
        let host: String
        let port: Int
    }

    let origin: Origin
    /// The part `user:password`, percent-encoded as in the URL; nil if the URL has no such part.
    let userInformation: String?
    /// The path and query as they are sent. The text is never empty, and contains no characters
    /// that could end a line.
    let target: String

    /// Parses a URL. Fails for other schemes and for text that is not a URL.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"),
            let scheme = AssetAccessRules.Scheme(rawValue: text[..<colon].lowercased()),
            scheme != .file, text[colon...].hasPrefix("://")
        else { return nil }
        var rest = text[text.index(colon, offsetBy: 3)...]
        rest = rest.prefix { $0 != "#" }
        var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "\\" }
        let path = rest[authority.endIndex...]
        userInformation = authority.lastIndex(of: "@").map { String(authority[..<$0]) }
        if let at = authority.lastIndex(of: "@") {
            authority = authority[authority.index(after: at)...]
        }
        guard
            let (host, port) = Self.hostAndPort(
                authority, defaultPort: Self.defaultPort(scheme))
        else { return nil }
        origin = Origin(scheme: scheme, host: host, port: port)
        target = Self.encoded(path.hasPrefix("/") ? String(path) : "/" + path)
    }

    /// The scheme, host, port, path and query, without the user and password.
    var description: String {
        Self.prefix(origin) + target
    }

    /// The description for messages; see `AssetLocation.publicDescription`.
    var publicDescription: String { AssetLocation.remote(url: description).publicDescription }

    /// The value of the `Host` header.
    var hostHeader: String {
        let isDefault = origin.port == Self.defaultPort(origin.scheme)
        return Self.bracketed(origin.host) + (isDefault ? "" : ":\(origin.port)")
    }

    var isSecure: Bool { origin.scheme == .https }

    /// Resolves a reference in a document with this address (RFC 3986, section 5.2). The result may
    /// have any scheme.
    func resolving(_ reference: String) -> String {
        if Self.hasScheme(reference) { return reference }
        if reference.hasPrefix("//") { return "\(origin.scheme.rawValue):\(reference)" }
        let prefix = Self.prefix(origin, userInformation: userInformation)
        if reference.hasPrefix("/") { return prefix + Self.withoutDots(reference) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty || reference.hasPrefix("#") { return prefix + target }
        if reference.hasPrefix("?") { return prefix + path + reference }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return prefix + Self.withoutDots(folder + reference)
    }

    /// Returns whether a reference begins with a scheme.
    static func hasScheme(_ reference: String) -> Bool {
        guard let colon = reference.firstIndex(of: ":"), let first = reference.utf8.first,
            isLetter(first)
        else { return false }
        return reference[..<colon].utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
        }
    }

    // MARK: - Parts

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func defaultPort(_ scheme: AssetAccessRules.Scheme) -> Int {
        scheme == .https ? 443 : 80
    }

    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    private static func prefix(_ origin: Origin, userInformation: String? = nil) -> String {
        let port = origin.port == defaultPort(origin.scheme) ? "" : ":\(origin.port)"
        let user = userInformation.map { $0 + "@" } ?? ""
        return "\(origin.scheme.rawValue)://\(user)\(bracketed(origin.host))\(port)"
    }

    /// Parses a host with an optional port. Returns nil if the text is neither a name nor an
    /// address.
    static func hostAndPort(
        _ authority: Substring, defaultPort: Int?
    ) -> (host: String, port: Int)? {
        var host = authority
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            portText = rest.dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
            else { return nil }
        } else {
            if let colon = authority.lastIndex(of: ":") {
                host = authority[..<colon]
                portText = authority[authority.index(after: colon)...]
            }
            // These are the characters of host names and IPv4 addresses, and the underscore, which
            // occurs in some host names.
            guard !host.isEmpty,
                host.utf8.allSatisfy({
                    isLetter($0) || (0x30...0x39).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
                })
            else { return nil }
        }
        guard let portText, !portText.isEmpty else {
            return defaultPort.map { (host.lowercased(), $0) }
        }
        guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(portText),
            (1...65535).contains(port)
        else { return nil }
        return (host.lowercased(), port)
    }

    /// Returns a text in which the characters that a request line must not contain are
    /// percent-encoded.
    static func encoded(_ text: String) -> String {
        let forbidden = Set("\"<>\\^`{|}".utf8)
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if byte <= 0x20 || byte >= 0x7f || forbidden.contains(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a path without `.` and `..`, with its query unchanged (RFC 3986, section 5.2.4).
    private static func withoutDots(_ text: some StringProtocol) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        var parts: [Substring] = []
        let all = Substring(path).split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst()
        for (index, part) in all.enumerated() {
            let isLast = index == all.count - 1
            switch part {
            case ".": if isLast { parts.append("") }
            case "..":
                if !parts.isEmpty { parts.removeLast() }
                if isLast { parts.append("") }
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/") + text[path.endIndex...]
    }
}
