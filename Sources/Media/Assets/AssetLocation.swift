// SPDX-License-Identifier: Apache-2.0

/// The location of an asset's data: a file, an HTTP address, or the address of a live stream.
///
/// A location can be created from user input. Only `http://`, `https://`, `udp://`, `rtp://`,
/// `srt://`, `rtsp://` and `file://` begin a URL. All other text is a path, so a file may be called
/// `a:b.mp4` or `50% done.mp4`.
///
///     AssetLocation("Holiday film.mp4")        // a file
///     AssetLocation("https://example.org/a")   // not a file
public enum AssetLocation: Sendable, Hashable, CustomStringConvertible {
    /// A path as given, absolute or relative to the working directory.
    case file(path: String)
    /// An `http` or `https` URL, or the URL of a live stream: `udp://127.0.0.1:5000`,
    /// `udp://@:5000` for every IPv4 address of the machine, `rtp://@239.1.2.3:5000` for a
    /// multicast group, `srt://192.168.1.20:9000`, `srt://@:9000?mode=listener`, or
    /// `rtsp://user:password@192.168.1.30/stream`, which is received over TCP. Playlists cannot
    /// refer to live streams.
    case remote(url: String)

    /// Creates a location from a path or a URL.
    public init(_ text: String) {
        let start = text.prefix(8).lowercased()
        if ["http://", "https://"].contains(where: start.hasPrefix) || Self.isReceived(text) {
            self = .remote(url: text)
        } else if start.hasPrefix("file://") {
            self = .file(path: Self.path(ofFileURL: text))
        } else {
            self = .file(path: text)
        }
    }

    /// Returns whether a URL is that of a live stream that is received, and not requested by HTTP.
    package static func isReceived(_ url: String) -> Bool {
        let start = url.prefix(7).lowercased()
        return ["udp://", "rtp://", "srt://", "rtsp://"].contains(where: start.hasPrefix)
    }

    /// Returns the path that a `file://` URL names, with percent-encoded bytes decoded. The URL's
    /// host is ignored.
    private static func path(ofFileURL text: String) -> String {
        let path = text.dropFirst("file://".count).drop { $0 != "/" }
            .prefix { $0 != "?" && $0 != "#" }
        return String(decoding: PercentEncoding.decoded(path), as: UTF8.self)
    }

    /// The path or the URL, as it was given.
    public var description: String {
        switch self {
        case .file(let path): path
        case .remote(let url): url
        }
    }

    /// The path or the URL for messages: without user and password and, for an SRT or RTSP stream,
    /// without the query, which may contain a passphrase. A part of the URL that may belong to a
    /// password with characters that are not percent-encoded is left out.
    package var publicDescription: String {
        guard case .remote(let url) = self, let start = url.firstRange(ofText: "://")?.upperBound
        else { return description }
        let (scheme, text) = (String(url[..<start]), url[start...])
        let isStream = ["srt://", "rtsp://"].contains(scheme.lowercased())
        guard isStream || !Self.isReceived(url) else { return description }
        let end = text.firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        var (shown, omission) = (text, "")
        if let last = text.lastIndex(of: "@"), last >= end, text[..<last].contains(":") {
            // What precedes the last @ may be a user and a password, although what precedes the
            // path looks like a host with a port.
            guard !text[..<last].contains("?") else { return scheme + "…" }
            (shown, omission) = (text[text.index(after: last)...], "…@")
        } else if let at = text[..<end].lastIndex(of: "@") {
            shown = text[text.index(after: at)...]
        }
        guard Self.hasNumericPort(shown.prefix { !"/?#\\".contains($0) }) else {
            return scheme + "…"
        }
        return scheme + omission + (isStream ? shown.prefix { $0 != "?" } : shown)
    }

    /// Returns a path or `file://` URL as it is, and another URL in its form for messages.
    package static func publicDescription(of text: String) -> String {
        guard case .remote = AssetLocation(text) else { return text }
        return AssetLocation(text).publicDescription
    }

    /// Returns whether a host has no port, or one that is a number. Otherwise the port may be a
    /// part of a password with `/` or `?` that are not percent-encoded.
    private static func hasNumericPort(_ host: Substring) -> Bool {
        let end = host.lastIndex(of: "]") ?? host.startIndex
        guard let colon = host[end...].lastIndex(of: ":") else { return true }
        return host[host.index(after: colon)...].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The last part of the path or URL, which is the name of the file, for titles.
    package var displayName: String {
        let description = publicDescription
        guard case .remote = self else {
            return description.split(separator: "/").last.map(String.init) ?? description
        }
        let path = description.prefix { $0 != "?" && $0 != "#" }
        guard let name = path.split(separator: "/").last else { return description }
        // If the decoded name is not UTF-8, it is shown as it is written in the URL.
        return String(validating: PercentEncoding.decoded(name), as: UTF8.self) ?? String(name)
    }
}
