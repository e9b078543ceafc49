// SPDX-License-Identifier: Apache-2.0

/// The rules that decide which files and addresses are opened because an asset, such as an HLS
/// playlist or an MPD, refers to them. The rules do not apply to the asset itself, which the caller
/// names.
///
/// The defaults are those of a browser. Media from the internet may refer to the internet, but
/// neither to the machine that plays it nor to the local network of that machine. Media from HTTPS
/// may not refer to HTTP. A file may refer to files in its own folder and below, and not to a
/// network. Other files and addresses are not opened. If the asset cannot play without them,
/// opening fails with `MediaError.Code.notAllowed`.
///
///     var options = AssetOptions()
///     options.rules.filesMayReachNetwork = true
///     let asset = URLAsset(url: playlist, options: options)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVURLAssetReferenceRestrictionsKey`; FFmpeg's `protocol_whitelist`, which HLS
///   child playlists evade, and `format_whitelist`.
public struct AssetAccessRules: Sendable, Hashable {
    /// A protocol that may be used for reading. Only these protocols are implemented, so `schemes`
    /// cannot contain any others. FFmpeg's other protocols (`pipe:`, `concat:`, `subfile:`,
    /// `data:`, `tcp:` …) are never used.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Local files.
        case file
        /// HTTP without encryption. UDP, RTP, SRT and RTSP, which only the caller can name, are
        /// allowed together with it.
        case http
        /// HTTP over TLS.
        case https
    }

    /// The hosts to which media from the network may refer, classified by their addresses.
    ///
    /// - Corresponds to: the *Private Network Access* draft of the W3C's web incubator group.
    public enum NetworkReach: Sendable, Hashable {
        /// Hosts with the scheme, host name and port of the media itself.
        case sameOrigin
        /// Hosts whose address is not more private than the address of the media. Media from the
        /// internet reaches neither private nor loopback addresses. Media from a private address
        /// reaches no loopback addresses. Media from this machine reaches all addresses.
        case noMorePrivate
        /// All hosts.
        case any
    }

    /// The protocols that may be used.
    public var schemes: Set<Scheme>
    /// The hosts that may be accessed.
    public var networkReach: NetworkReach
    /// The hosts that may be accessed regardless of `networkReach`, by name and without port.
    public var allowedHosts: Set<String>
    /// A Boolean value that indicates whether a file may refer to HTTP addresses.
    public var filesMayReachNetwork: Bool
    /// A Boolean value that indicates whether media from HTTPS may refer to HTTP addresses.
    public var secureMayReachInsecure: Bool
    /// A Boolean value that indicates whether the certificates of HTTPS servers are verified
    /// against the certificates that the system trusts.
    public var verifiesCertificates: Bool
    /// The folder to which references between files are limited: a file may refer only to files in
    /// this folder or its subfolders. Symbolic links are resolved before this is checked. Nil means
    /// the folder of the referring file.
    public var folder: String?
    /// The maximum nesting depth of documents: the asset is at depth 0, the playlists that it names
    /// at 1, and so on down to the media. RFC 8216 needs 2.
    public var maximumDepth: Int
    /// The maximum number of files and addresses that may be opened on behalf of the asset within
    /// one call: opening it, reading a packet, seeking.
    public var maximumOpens: Int
    /// The maximum number of times in a row that a server may redirect a request.
    public var maximumRedirects: Int
    /// The maximum size of a playlist, in bytes.
    package var playlistBytes: Int
    /// The names of the FFmpeg demuxers that may be used.
    public var demuxers: Set<String>

    /// Creates rules from the values of their properties.
    public init(
        schemes: Set<Scheme> = Set(Scheme.allCases), networkReach: NetworkReach = .noMorePrivate,
        allowedHosts: Set<String> = [], filesMayReachNetwork: Bool = false,
        secureMayReachInsecure: Bool = false, verifiesCertificates: Bool = true,
        folder: String? = nil, maximumDepth: Int = 3, maximumOpens: Int = 64,
        maximumRedirects: Int = 8, playlistBytes: Int = 8 << 20,
        demuxers: Set<String> = AssetAccessRules.standardDemuxers
    ) {
        self.schemes = schemes
        self.networkReach = networkReach
        self.allowedHosts = allowedHosts
        self.filesMayReachNetwork = filesMayReachNetwork
        self.secureMayReachInsecure = secureMayReachInsecure
        self.verifiesCertificates = verifiesCertificates
        self.folder = folder
        self.maximumDepth = maximumDepth
        self.maximumOpens = maximumOpens
        self.maximumRedirects = maximumRedirects
        self.playlistBytes = playlistBytes
        self.demuxers = demuxers
    }
}
