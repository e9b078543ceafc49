// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Opens HTTP addresses, as far as the rules let an asset reach them, one redirection at a time.
///
/// - Concurrency: one thread at a time, the one that reads the asset.
/// - Ownership: outlives the sources that it opens.
final class NetworkGate {
    private let rules: AssetAccessRules
    private let interrupt: Interrupt
    /// Where the asset itself was found: what its children are held against. Nil for one that does
    /// not come from the network.
    private var home: (origin: HTTPAddress.Origin, space: NetworkSpace)?

    init(rules: AssetAccessRules, interrupt: Interrupt) {
        self.rules = rules
        self.interrupt = interrupt
    }

    /// Opens the asset, which may be anywhere. Where it is sent on to, it is at home.
    func openAsset(_ address: HTTPAddress) throws(MediaError) -> HTTPDataSource {
        try open(address, from: 0, to: nil, isAsset: true)
    }

    /// Opens what the asset leads to.
    func openChild(
        _ address: HTTPAddress, from start: Int64, to end: Int64?
    ) throws(MediaError) -> HTTPDataSource {
        try open(address, from: start, to: end, isAsset: false)
    }

    private func open(
        _ address: HTTPAddress, from start: Int64, to end: Int64?, isAsset: Bool
    ) throws(MediaError) -> HTTPDataSource {
        try HTTPDataSource(
            address, from: start, to: end, subject: address.description,
            maximumRedirects: rules.maximumRedirects
        ) { [unowned self] (address, previous) throws(MediaError) in
            let (connection, space) = try self.connect(to: address, from: previous)
            if isAsset { home = (address.origin, min(home?.space ?? space, space)) }
            return connection
        }
    }

    private func connect(
        to address: HTTPAddress, from previous: HTTPAddress?
    ) throws(MediaError) -> (HTTPConnection, NetworkSpace) {
        let (origin, name) = (address.origin, address.description)
        try admit(address, from: previous)
        let addresses = try HostResolver.addresses(
            of: origin.host, subject: name, interrupt: interrupt)
        let allowed = addresses.filter { admits(origin, $0.space) }
        // Of several addresses TLS may take any, since it gets the name.
        guard !allowed.isEmpty, !address.isSecure || allowed.count == addresses.count else {
            throw MediaError(
                .notAllowed, subject: name,
                cause: home?.origin == origin || rules.networkReach == .noMorePrivate
                    ? "its address is more private than the one that leads there"
                    : "it is of another origin than the one that leads there")
        }
        var failure: MediaError?
        for found in allowed {
            // TLS needs the name, to tell the server and to check its certificate, which nobody at
            // a private address has for a public name.
            let url =
                address.isSecure
                ? "tls://\(HTTPAddress.bracketed(origin.host)):\(origin.port)"
                : "tcp://\(found.text):\(origin.port)"
            do throws(MediaError) {
                let connection = try HTTPConnection(
                    url: url, verifiesCertificate: rules.verifiesCertificates, subject: name,
                    interrupt: interrupt)
                return (connection, found.space)
            } catch {
                failure = error
                if interrupt.isTriggered || address.isSecure { break }
            }
        }
        throw failure ?? FFmpegError.interrupted.whileReading(name, interrupt: interrupt)
    }

    // MARK: - Rules

    /// What a URL itself tells, before its host is looked up.
    private func admit(
        _ address: HTTPAddress, from previous: HTTPAddress?
    ) throws(MediaError) {
        guard rules.schemes.contains(address.origin.scheme) else {
            throw MediaError(
                .notAllowed, subject: address.description,
                cause: "\(address.origin.scheme.rawValue) is not allowed",
                remedy: "allow the scheme")
        }
        let wasSecure = previous?.isSecure ?? (home?.origin.scheme == .https)
        if wasSecure, !address.isSecure, !rules.secureMayReachInsecure {
            throw MediaError(
                .notAllowed, subject: address.description, cause: "HTTPS may not lead to HTTP")
        }
    }

    private func admits(_ origin: HTTPAddress.Origin, _ space: NetworkSpace) -> Bool {
        guard let home, !rules.allowedHosts.contains(origin.host) else { return true }
        switch rules.networkReach {
        case .any: return true
        case .sameOrigin: return origin == home.origin && space <= home.space
        case .noMorePrivate: return space <= home.space
        }
    }
}
