// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Playlists and MPDs that refer to themselves, which contain no media.
extension AssetResourceLoader {
    /// Throws an error if a playlist, or the MPD from which it was written, names itself.
    func checkReferences(
        of playlist: Playlist, at address: HTTPAddress?, of name: String
    ) throws(MediaError) {
        let document =
            presentation?.base ?? ReferenceBase(address: address?.resolving("") ?? name)
        let last = Self.lastComponent(document.address)
        for (role, reference) in playlist.references
        where Self.lastComponent(reference) == last {
            let found = document.resolving(String(reference)).address
            guard Self.isSame(found, document.address) else { continue }
            let isMPD = presentation != nil
            throw MediaError(
                .damaged, subject: subject,
                cause: "\(isMPD ? "its MPD" : "the playlist") names itself as \(role)",
                remedy: "correct the \(isMPD ? "MPD" : "playlist")")
        }
    }

    private static func lastComponent(_ address: some StringProtocol) -> String {
        let name = address.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return String(
            decoding: PercentEncoding.decoded(Substring(name.prefix { $0 != "#" })),
            as: UTF8.self)
    }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (first.prefix { $0 != "#" }, second.prefix { $0 != "#" })
        if first == second { return true }
        let file = "file:"
        guard first.hasPrefix(file), second.hasPrefix(file) else { return false }
        let path = SandboxedFile.realPath(String(first.dropFirst(file.count)))
        return path != nil && path == SandboxedFile.realPath(String(second.dropFirst(file.count)))
    }
}

extension Playlist {
    /// The tags with an address, and what the address is.
    private static let roles = [
        "#EXT-X-MAP:": "the header of its segments (EXT-X-MAP)",
        "#EXT-X-KEY:": "a key (EXT-X-KEY)", "#EXT-X-MEDIA:": "a rendition (EXT-X-MEDIA)",
        "#EXT-X-PART:": "a part (EXT-X-PART)",
    ]

    /// The addresses of media and playlists, and what they are.
    fileprivate var references: [(role: String, address: Substring)] {
        let plain = isMultivariant ? "a variant" : "a segment"
        return lines.compactMap { line in
            guard line.hasPrefix("#") else { return line.isEmpty ? nil : (plain, line) }
            guard line.hasPrefix("#EXT-X-"), let colon = line.firstIndex(of: ":"),
                let role = Self.roles[String(line[...colon])],
                let address = Self.attributes(line[line.index(after: colon)...])["URI"]
            else { return nil }
            return (role, address)
        }
    }
}
