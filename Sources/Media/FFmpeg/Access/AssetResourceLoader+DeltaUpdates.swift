// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Playlists of which a server sends only the newer part.
extension AssetResourceLoader {
    /// Returns the address from which a playlist is loaded again: with a directive if its server
    /// offers delta updates.
    ///
    /// - Parameter directives: Other directives, which come first.
    func reloadAddress(of name: String, directives: [String] = []) -> String {
        let known = reading.loaded[LiveReading.key(name)]
        let all = directives + [known?.directive(at: HostClock.nanoseconds)].compactMap { $0 }
        guard !all.isEmpty else { return name }
        let plain = String(name.prefix { $0 != "#" })
        return plain + (plain.contains("?") ? "&" : "?") + all.joined(separator: "&")
    }

    /// Returns a whole playlist for one that was loaded. Segments that it leaves out are those of
    /// the playlist that was loaded before it. If that one does not have them, the playlist is
    /// loaded whole.
    ///
    /// - Parameter name: The address or path under which FFmpeg loads the playlist.
    func wholePlaylist(_ playlist: Playlist, of name: String) throws(MediaError) -> Playlist {
        guard playlist.isDelta else { return playlist }
        guard let known = reading.loaded[LiveReading.key(name)] else {
            throw Self.unrequestedUpdate(name)
        }
        if let whole = known.completing(playlist) {
            guard whole.byteCount <= rules.playlistBytes else {
                throw violate("a playlist of more than \(rules.playlistBytes) bytes")
            }
            return whole
        }
        reading.refuseUpdates(of: name)
        try countOpen()
        let (source, address) = try openChildSource(name, (0, nil))
        options.accessObserver?(AssetAccess(subject: name, depth: max(listCount, 1)))
        guard var whole = Playlist(try wholeText(source)) else {
            throw MediaError(
                .damaged, subject: name, cause: "it is not a playlist any more",
                remedy: "open it again")
        }
        if let address { whole.resolveAddresses(against: address) }
        guard !whole.isDelta else { throw Self.unrequestedUpdate(name) }
        return whole
    }

    private static func unrequestedUpdate(_ name: String) -> MediaError {
        MediaError(
            .damaged, subject: name,
            cause: "its playlist leaves out segments (EXT-X-SKIP), although that was not requested",
            remedy: "report this to the operator of the server")
    }
}
