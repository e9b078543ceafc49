// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A loader that opens HTTP addresses if the rules allow it, and follows redirections one at a
/// time.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Ownership: the loader must outlive the sources that it opens.
final class HTTPResourceLoader {
    private let rules: AssetAccessRules
    private let interrupt: Interrupt
    private let transfer: TransferMonitor?
    /// The origin and network of the asset, with which its children are compared; nil for an asset
    /// that does not come from a network.
    private var home: (origin: HTTPAddress.Origin, space: NetworkSpace)?

    /// - Parameter transfer: The monitor that logs requests and bytes; nil for none.
    init(
        rules: AssetAccessRules, interrupt: Interrupt, transfer: TransferMonitor? = nil
    ) {
        self.transfer = transfer
        self.rules = rules
        self.interrupt = interrupt
    }

    /// Opens the asset, which may be at any address. The address after redirections becomes the
    /// origin.
    func openAsset(_ address: HTTPAddress) throws(MediaError) -> HTTPDataSource {
        try open(address, from: 0, to: nil, isAsset: true)
    }

    /// Opens an address to which the asset refers.
    func openChild(
        _ address: HTTPAddress, from start: Int64, to end: Int64?
    ) throws(MediaError) -> HTTPDataSource {
        try open(address, from: start, to: end, isAsset: false)
    }

    private func open(
        _ address: HTTPAddress, from start: Int64, to end: Int64?, isAsset: Bool
    ) throws(MediaError) -> HTTPDataSource {
        try HTTPDataSource(
            address, from: start, to: end, subject: address.publicDescription,
            maximumRedirects: rules.maximumRedirects, asksForTitles: isAsset, transfer: transfer
        ) { [unowned self] (address, previous) throws(MediaError) in
            let (connection, space) = try self.connect(to: address, from: previous)
            if isAsset { home = (address.origin, min(home?.space ?? space, space)) }
            return connection
        }
    }

    private func connect(
        to address: HTTPAddress, from previous: HTTPAddress?
    ) throws(MediaError) -> (HTTPConnection, NetworkSpace) {
        let (origin, name) = (address.origin, address.publicDescription)
        try admit(address, from: previous)
        let addresses = try HostResolver.addresses(
            of: origin.host, subject: name, interrupt: interrupt)
        let allowed = addresses.filter { admits(origin, $0.space) }
        // TLS receives the name and may connect to any of several addresses, so all of them must be
        // allowed.
        guard !allowed.isEmpty, !address.isSecure || allowed.count == addresses.count else {
            throw MediaError(
                .notAllowed, subject: name,
                cause: home?.origin == origin || rules.networkReach == .noMorePrivate
                    ? "its address is on a more private network than the media"
                    : "its origin differs from that of the media",
                remedy: "add its host to the allowed hosts of the access rules if you trust it")
        }
        guard address.isSecure else {
            let race = ConnectionRace(
                port: origin.port, subject: name, protocolName: "HTTP", interrupt: interrupt)
            let (connection, found) = try race.connect(to: allowed)
            return (connection, found.space)
        }
        // TLS needs the name, which it sends to the server and uses to verify the certificate. It
        // chooses among several addresses itself. A server at a private address has no certificate
        // for a public name.
        let connection = try HTTPConnection(
            url: "tls://\(HTTPAddress.bracketed(origin.host)):\(origin.port)",
            serverAddress: allowed.count > 1 ? nil : allowed[0].text,
            verifiesCertificate: rules.verifiesCertificates, subject: name, interrupt: interrupt)
        return (connection, allowed[0].space)
    }

    // MARK: - Rules

    /// Checks a URL before its host is resolved.
    private func admit(
        _ address: HTTPAddress, from previous: HTTPAddress?
    ) throws(MediaError) {
        guard rules.schemes.contains(address.origin.scheme) else {
            throw MediaError(
                .notAllowed, subject: address.publicDescription,
                cause: "\(address.origin.scheme.rawValue) is not allowed",
                remedy: "add it to the schemes of the access rules if you trust the address")
        }
        let wasSecure = previous?.isSecure ?? (home?.origin.scheme == .https)
        if wasSecure, !address.isSecure, !rules.secureMayReachInsecure {
            throw MediaError(
                .notAllowed, subject: address.publicDescription,
                cause: "media from HTTPS may not refer to HTTP")
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
