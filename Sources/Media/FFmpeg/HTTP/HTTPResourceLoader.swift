// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A loader that opens HTTP addresses if the rules allow it, and follows redirections one at a
/// time.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Ownership: the loader must outlive the sources that it opens.
final class HTTPResourceLoader {
    /// A function that returns the addresses of a host.
    typealias Resolve =
        (_ host: String, _ subject: String, _ interrupt: Interrupt) throws(MediaError) ->
        [HostResolver.Address]

    private let options: AssetOptions
    private let interrupt: Interrupt
    private let transfer: TransferMonitor?
    private let decodedLimit: Int
    private let resolve: Resolve
    private var connections: HTTPConnections?
    /// The origin and network of the asset, with which its children are compared; nil for an asset
    /// that does not come from a network.
    private var home: (origin: HTTPAddress.Origin, space: NetworkSpace)?
    /// The origin of the asset before redirections. Only this origin receives the header fields and
    /// cookies of the options.
    private var namedOrigin: HTTPAddress.Origin?
    private var hasSetCookies = false
    /// The most private address of a connection, by origin. Connections may be used again.
    private var spaces: [HTTPAddress.Origin: NetworkSpace] = [:]
    /// The addresses of hosts, and the host time at which they were resolved, in nanoseconds.
    private var hosts: [String: (addresses: [HostResolver.Address], time: Int64)] = [:]
    /// The origins that want passwords without encoding.
    private var plainOrigins: Set<HTTPAddress.Origin> = []

    /// The time for which the addresses of a host are kept, in nanoseconds. It is that of libcurl.
    private static let hostLifetime: Int64 = 60_000_000_000
    /// The time that the response to an early request may take once the file exists, in
    /// nanoseconds.
    private static let earlyWait: Int64 = 1_000_000_000
    private static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    private var rules: AssetAccessRules { options.rules }

    /// - Parameters:
    ///   - transfer: The monitor that logs requests and bytes; nil for none.
    ///   - decodedLimit: The maximum size of a compressed file after decompression, in bytes; nil
    ///     for that of a playlist.
    init(
        options: AssetOptions, interrupt: Interrupt, transfer: TransferMonitor? = nil,
        decodedLimit: Int? = nil, resolve: @escaping Resolve = HostResolver.addresses
    ) {
        self.transfer = transfer
        self.options = options
        self.interrupt = interrupt
        self.decodedLimit = decodedLimit ?? options.rules.playlistBytes
        self.resolve = resolve
    }

    /// Opens the asset, which may be at any address. The address after redirections becomes the
    /// origin.
    func openAsset(_ address: HTTPAddress) throws(MediaError) -> HTTPDataSource {
        namedOrigin = address.origin
        return try open(address, from: 0, to: nil, isAsset: true)
    }

    /// Opens an address to which the asset refers.
    ///
    /// - Parameter early: A request for the same range that was sent before; nil for none.
    func openChild(
        _ address: HTTPAddress, from start: Int64, to end: Int64?, early: HTTPExchange? = nil
    ) throws(MediaError) -> HTTPDataSource {
        try open(address, from: start, to: end, isAsset: false, early: early)
    }

    /// Sends a request for an address to which the asset refers, if the rules allow it, and does
    /// not wait for the response.
    func requestChild(
        _ address: HTTPAddress, from start: Int64, to end: Int64?
    ) throws(MediaError) -> HTTPExchange {
        let request = HTTPRequest(for: address, from: start, to: end)
        return try begin(request, to: address, from: nil).exchange
    }

    /// Ends an exchange that is not needed. What the server has sent so far counts.
    func discard(_ exchange: HTTPExchange, with address: HTTPAddress) {
        guard exchange.hasHead else { return }
        note(exchange, with: address)
        transfer?.noteBytes(Int(clamping: exchange.arrivedByteCount))
    }

    private func open(
        _ address: HTTPAddress, from start: Int64, to end: Int64?, isAsset: Bool,
        early: HTTPExchange? = nil
    ) throws(MediaError) -> HTTPDataSource {
        var early = early
        return try HTTPDataSource(
            address, from: start, to: end, subject: address.publicDescription,
            maximumRedirects: rules.maximumRedirects, asksForTitles: isAsset,
            decodedLimit: decodedLimit, transfer: transfer
        ) { [unowned self] (request, address, previous) throws(MediaError) in
            let exchange = early
            early = nil
            if let exchange, try self.isUsable(exchange, with: address) { return exchange }
            return try self.send(request, to: address, from: previous, isAsset: isAsset)
        }
    }

    /// Waits for the response to a request that was sent before. Returns false if the request has
    /// to be sent again: the server may have answered before it had the file, or not at all.
    private func isUsable(
        _ exchange: HTTPExchange, with address: HTTPAddress
    ) throws(MediaError) -> Bool {
        do throws(MediaError) {
            try interrupt.limit(until: HostClock.nanoseconds + Self.earlyWait) {
                () throws(MediaError) in try exchange.waitForHead()
            }
        } catch {
            // The next request resolves the host again.
            hosts[address.origin.host] = nil
            if interrupt.isTriggered { throw error }
            return false
        }
        note(exchange, with: address)
        return exchange.response.isRedirection || (200..<300).contains(exchange.response.status)
    }

    /// Records the responses of an exchange. Returns the address of the server.
    @discardableResult
    private func note(_ exchange: HTTPExchange, with address: HTTPAddress) -> String? {
        let peer = options.httpProxy == nil ? exchange.peerAddress : nil
        for _ in 0..<exchange.response.count {
            transfer?.noteRequest(address.description, serverAddress: peer)
        }
        prefer(peer, of: address.origin.host)
        if exchange.demandsPlainPassword { plainOrigins.insert(address.origin) }
        return peer
    }

    /// Sends a request, if the rules allow it, and waits for the head of the response.
    private func send(
        _ request: HTTPRequest, to address: HTTPAddress, from previous: HTTPAddress?, isAsset: Bool
    ) throws(MediaError) -> HTTPExchange {
        let (exchange, space) = try begin(request, to: address, from: previous)
        do throws(MediaError) {
            try exchange.waitForHead()
            let peer = note(exchange, with: address)
            if isAsset {
                let real = peer.flatMap { NetworkSpace(numericAddress: $0) } ?? space
                home = (address.origin, min(home?.space ?? real, real))
            }
            return exchange
        } catch {
            hosts[address.origin.host] = nil
            throw error
        }
    }

    /// Begins to send a request, if the rules allow it.
    ///
    /// - Returns: The exchange, and the network of the host as far as it is known.
    private func begin(
        _ request: HTTPRequest, to address: HTTPAddress, from previous: HTTPAddress?
    ) throws(MediaError) -> (exchange: HTTPExchange, space: NetworkSpace) {
        let (origin, name) = (address.origin, address.publicDescription)
        try admit(address, from: previous)
        var request = request
        var space = NetworkSpace.public
        if let proxy = options.httpProxy {
            request.proxy = try Self.validProxy(proxy, subject: name)
            space = try spaceBehindProxy(address)
        } else {
            let allowed = try allowedAddresses(of: address)
            space = allowed[0].space
            // An address in a URL leads nowhere else.
            if NetworkSpace(numericAddress: origin.host) == nil {
                let list = allowed.map(\.text).joined(separator: ",")
                request.resolution = "+\(origin.host):\(origin.port):\(list)"
            }
            request.needsNewConnection = spaces[origin].map { !admits(origin, $0) } ?? false
        }
        try complete(&request, for: address)
        let exchange = try HTTPExchange(
            request, subject: name, connections: try openConnections(name)
        ) { [unowned self] space in self.refusal(of: address, at: space) }
        return (exchange, space)
    }

    private func openConnections(_ subject: String) throws(MediaError) -> HTTPConnections {
        if let connections { return connections }
        let connections = try HTTPConnections(interrupt: interrupt, subject: subject)
        self.connections = connections
        return connections
    }

    /// Adds what the options ask for and what all requests have.
    private func complete(
        _ request: inout HTTPRequest, for address: HTTPAddress
    ) throws(MediaError) {
        request.url = address.description
        request.verifiesCertificate = rules.verifiesCertificates
        if let agent = options.httpUserAgent { request.userAgent = agent }
        if let user = address.userInformation {
            var credentials = HTTPRequest.Credentials(user)
            credentials.isSentAtOnce = plainOrigins.contains(address.origin)
            request.credentials = credentials
        }
        guard address.origin == namedOrigin else { return }
        request.fields.merge(options.httpHeaderFields) { _, own in own }
        guard !hasSetCookies else { return }
        hasSetCookies = true
        let isSecure = address.isSecure ? "TRUE" : "FALSE"
        for (name, value) in options.httpCookies {
            guard HTTPRequest.isName(name), HTTPRequest.isValue(value) else {
                throw MediaError(
                    .cannotOpen, subject: address.publicDescription,
                    cause: "the cookie '\(name.printableAddress)' is not valid",
                    remedy: "state a name and a value without spaces and line breaks")
            }
            let fields = [address.origin.host, "FALSE", "/", isSecure, "0", name, value]
            request.cookies.append(fields.joined(separator: "\t"))
        }
    }

    // MARK: - Addresses

    /// Returns the addresses of a host that may be used; at least one.
    private func allowedAddresses(
        of address: HTTPAddress
    ) throws(MediaError) -> [HostResolver.Address] {
        let allowed = try addresses(of: address).filter { admits(address.origin, $0.space) }
        guard !allowed.isEmpty else { throw refusal(of: address) }
        return allowed
    }

    private func addresses(of address: HTTPAddress) throws(MediaError) -> [HostResolver.Address] {
        let host = address.origin.host
        let now = HostClock.nanoseconds
        if let known = hosts[host], now - known.time < Self.hostLifetime { return known.addresses }
        let found = try resolve(host, address.publicDescription, interrupt)
        hosts[host] = (found, now)
        return found
    }

    /// Makes later connections to a host begin with an address that has worked. libcurl tries the
    /// addresses of one family one after the other, and gives each a share of the timeout.
    private func prefer(_ peer: String?, of host: String) {
        guard var known = hosts[host],
            let index = known.addresses.firstIndex(where: { $0.text == peer }), index > 0
        else { return }
        known.addresses.insert(known.addresses.remove(at: index), at: 0)
        hosts[host] = known
    }

    /// Returns the network of a host to which a proxy connects. The proxy may find other addresses
    /// than this machine. A host of which this machine finds none counts as most private for the
    /// rules, and as public for what it refers to.
    private func spaceBehindProxy(_ address: HTTPAddress) throws(MediaError) -> NetworkSpace {
        do throws(MediaError) {
            let all = try addresses(of: address)
            guard all.allSatisfy({ admits(address.origin, $0.space) }) else {
                throw refusal(of: address)
            }
            return all.map(\.space).min() ?? .public
        } catch {
            guard error.code == .cannotOpen, !interrupt.isTriggered else { throw error }
            guard admits(address.origin, .loopback) else { throw refusal(of: address) }
            return .public
        }
    }

    private static func validProxy(
        _ proxy: String, subject: String
    ) throws(MediaError) -> String {
        let scheme = proxy.firstRange(ofText: "://").map { proxy[..<$0.lowerBound].lowercased() }
        guard scheme.map({ proxySchemes.contains($0) }) ?? true, !proxy.isEmpty,
            HTTPRequest.isValue(proxy)
        else {
            throw MediaError(
                .cannotOpen, subject: subject, cause: "the address of the proxy is not valid",
                remedy: "state an address such as http://127.0.0.1:8888")
        }
        return proxy
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

    /// Returns the error for a connection to an address; nil if it may be made. The address of a
    /// proxy is the caller's choice.
    private func refusal(of address: HTTPAddress, at space: NetworkSpace) -> MediaError? {
        guard options.httpProxy == nil else { return nil }
        guard admits(address.origin, space) else { return refusal(of: address) }
        spaces[address.origin] = max(spaces[address.origin] ?? space, space)
        return nil
    }

    private func refusal(of address: HTTPAddress) -> MediaError {
        MediaError(
            .notAllowed, subject: address.publicDescription,
            cause: home?.origin == address.origin || rules.networkReach == .noMorePrivate
                ? "its address is on a more private network than the media"
                : "its origin differs from that of the media",
            remedy: "add its host to the allowed hosts of the access rules if you trust it")
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
