// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A playlist format, named by its file extension.
enum PlaylistForm: String {
    case m3u, m3u8
    /// Winamp's format, which has `File1=` before the first entry, and so on.
    case pls
    /// VLC's format.
    case xspf

    /// Detects the format from the first bytes, for a playlist that has no file name.
    ///
    /// - Returns: nil for data that is not a playlist, and for an HLS playlist, which is a single
    ///   stream.
    init?(head: [UInt8]) {
        let text = String(text: Data(head)).drop { $0 == "\u{FEFF}" }
        if text.hasPrefix("#EXTM3U"), !text.contains("#EXT-X-") {
            self = .m3u
        } else if text.lowercased().hasPrefix("[playlist]") {
            self = .pls
        } else if text.hasPrefix("<?xml"), text.contains("//xspf.org/") {
            self = .xspf
        } else {
            return nil
        }
    }

    /// Returns the path or URL on a line; nil if the line contains none.
    func entry(_ line: Substring) -> String? {
        let body = line.drop { $0.isWhitespace }
        if self != .pls, body.hasPrefix("#") { return nil }
        let line = body.trimmingCharacters(in: .whitespaces)
        guard self == .pls else { return line.isEmpty ? nil : line }
        guard let sign = line.firstIndex(of: "="), line.lowercased().hasPrefix("file"),
            Int(line[..<sign].dropFirst(4)) != nil
        else { return nil }
        let name = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        return name.isEmpty ? nil : name
    }

    /// Returns the title on a line; nil if the line contains none. The title belongs to the next
    /// entry, or in PLS to the previous one.
    func title(_ line: Substring) -> String? {
        let line = line.drop { $0.isWhitespace }
        let isTitle =
            self == .pls
            ? line.prefix(5).lowercased() == "title" : line.hasPrefix("#EXTINF:")
        guard isTitle, let mark = line.firstIndex(of: self == .pls ? "=" : ",") else {
            return nil
        }
        let title = line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
        return title.isEmpty ? nil : title
    }
}
