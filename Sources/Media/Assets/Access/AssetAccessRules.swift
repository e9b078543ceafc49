// SPDX-License-Identifier: Apache-2.0

/// The rules for which files and addresses are opened on behalf of an asset that names others, such
/// as an HLS playlist. The asset itself is whatever the caller names.
///
/// The defaults are a browser's: media from the network reaches the network, but not the machine or
/// the local network that plays it, and does not go from HTTPS back to HTTP; a file reaches the
/// files beside and below it, and no network at all. Anything else that it names is not opened. If
/// the asset cannot play without it, opening ends with `MediaError.Code.notAllowed`.
///
///     var options = AssetOptions()
///     options.rules.filesMayReachNetwork = true
///     let asset = URLAsset(url: playlist, options: options)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVURLAssetReferenceRestrictionsKey`; FFmpeg's `protocol_whitelist` and
///   `format_whitelist`, the first of which HLS child playlists get past.
public struct AssetAccessRules: Sendable, Hashable {
    /// A protocol that may be used for reading. Nothing else is implemented, so the set can only be
    /// narrowed: FFmpeg's other protocols (`pipe:`, `concat:`, `subfile:`, `data:`, `tcp:` …) are
    /// never used.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Local files.
        case file
        /// HTTP without encryption.
        case http
        /// HTTP over TLS.
        case https
    }

    /// The hosts to which media from the network may refer, by their addresses.
    ///
    /// - Corresponds to: the *Private Network Access* draft of the W3C's web incubator group.
    public enum NetworkReach: Sendable, Hashable {
        /// Hosts with the scheme, host name and port of the media itself.
        case sameOrigin
        /// Hosts whose address is no more private than that of the media: media from the internet
        /// reaches no private and no loopback addresses, media from a private address no loopback
        /// addresses, and media from this machine all addresses.
        case noMorePrivate
        /// All.
        case any
    }

    /// The kinds of addresses that may be opened.
    public var schemes: Set<Scheme>
    /// The hosts that may be accessed.
    public var networkReach: NetworkReach
    /// Hosts, by name and without port, that `networkReach` does not keep out.
    public var allowedHosts: Set<String>
    /// A Boolean value that indicates whether a file may refer to HTTP addresses.
    public var filesMayReachNetwork: Bool
    /// A Boolean value that indicates whether media from HTTPS may refer to HTTP addresses.
    public var secureMayReachInsecure: Bool
    /// A Boolean value that indicates whether the certificates of HTTPS servers are verified
    /// against those that the system trusts.
    public var verifiesCertificates: Bool
    /// The folder that has to contain the files to which a file refers, directly or in a subfolder,
    /// with all symbolic links resolved; nil for the folder of the file itself.
    public var folder: String?
    /// The maximum nesting depth of documents: the asset is at depth 0, the playlists that it names
    /// at 1, and so on down to the media. RFC 8216 needs 2.
    public var maximumDepth: Int
    /// The maximum number of files and addresses that may be opened on behalf of the asset within
    /// one call: opening it, reading a packet, seeking.
    public var maximumOpens: Int
    /// The maximum number of times in a row that a server may redirect a request.
    public var maximumRedirects: Int
    /// Bytes of a playlist.
    package var playlistBytes: Int
    /// Names of FFmpeg's demuxers that may be used.
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
