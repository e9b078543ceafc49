// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where an asset's data lies: in a file, or behind an HTTP address.
///
/// Made from what people type. Only `http://`, `https://` and `file://` make a URL; everything else
/// is a path, so a file may be called `a:b.mp4` or `50% done.mp4`.
///
///     AssetLocation("Holiday film.mp4")        // a file
///     AssetLocation("https://example.org/a")   // not a file
public enum AssetLocation: Sendable, Hashable, CustomStringConvertible {
    /// A path as given, absolute or relative to the working directory.
    case file(path: String)
    /// An `http` or `https` URL.
    case remote(url: String)

    /// Reads a path or a URL.
    public init(_ text: String) {
        let start = text.prefix(8).lowercased()
        if start.hasPrefix("http://") || start.hasPrefix("https://") {
            self = .remote(url: text)
        } else if start.hasPrefix("file://"), let url = URL(string: text) {
            self = .file(path: url.path(percentEncoded: false))
        } else {
            self = .file(path: text)
        }
    }

    public init(_ url: URL) {
        switch url.scheme?.lowercased() {
        case "http", "https": self = .remote(url: url.absoluteString)
        case "file": self = .file(path: url.path(percentEncoded: false))
        // A URL without a scheme is a path; any other scheme is too, so that opening it tells.
        case nil: self = .file(path: url.path(percentEncoded: false))
        default: self = .file(path: url.absoluteString)
        }
    }

    /// The path or the URL, as it was given.
    public var description: String {
        switch self {
        case .file(let path): path
        case .remote(let url): url
        }
    }

    /// Its last part, for titles: the name of the file.
    public var displayName: String {
        var text = Substring(description)
        if case .remote = self { text = text.prefix { $0 != "?" && $0 != "#" } }
        let name = text.split(separator: "/").last.map(String.init)
        return name ?? description
    }
}
