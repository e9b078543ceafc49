// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The subtitles to which a multivariant playlist refers. FFmpeg does not read them.
extension AssetResourceLoader {
    /// The maximum number of renditions of subtitles. Further ones are left out.
    private static let maximumRenditions = 128

    /// Removes the renditions of subtitles from a multivariant playlist, and keeps those of the
    /// first one.
    ///
    /// - Parameter name: The address or path under which FFmpeg loads the playlist.
    func takeTextRenditions(of playlist: inout Playlist, at address: HTTPAddress?, of name: String)
    {
        let found = playlist.removeTextRenditions().prefix(Self.maximumRenditions)
        guard textRenditions.isEmpty else { return }
        textRenditions = found.map { rendition in
            var rendition = rendition
            if address == nil {
                rendition.address = Self.resolving(rendition.address, against: name)
            }
            return rendition
        }
    }

    /// Resolves a reference in a file to a file or an address.
    private static func resolving(_ reference: String, against name: String) -> String {
        guard name.hasPrefix("file:"), !reference.hasPrefix("/"), !reference.hasPrefix("file:"),
            !HTTPAddress.hasScheme(reference)
        else { return reference }
        return SandboxedFile.folder(of: name) + "/" + reference
    }

    /// Loads the playlist of a rendition.
    func textPlaylist(_ name: String) throws(MediaError) -> TextPlaylist {
        let depth = max(listCount, 1)
        let (bytes, address) = try load(
            TextPlaylist.Place(address: name), limit: rules.playlistBytes, depth: depth)
        guard var playlist = Playlist(bytes), !playlist.isMultivariant else {
            throw MediaError(
                .damaged, subject: subject,
                cause: "it refers to subtitles in \(Self.name(name)), which is not a playlist of "
                    + "segments", remedy: "check the playlist")
        }
        if let address {
            playlist.resolveAddresses(against: address)
        } else {
            playlist.resolveAddresses { Self.resolving($0, against: name) }
        }
        let list = TextPlaylist(playlist)
        guard !list.isEncrypted else {
            throw MediaError(
                .unsupportedCodec, subject: subject,
                cause: "its subtitles in \(Self.name(name)) are encrypted",
                remedy: "use a stream with plain subtitles")
        }
        return list
    }

    /// Loads a file, or a part of one, to which the asset refers, without FFmpeg.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - depth: The number of playlists that lead to the file; nil for media.
    func load(
        _ place: TextPlaylist.Place, limit: Int, depth: Int? = nil
    ) throws(MediaError) -> (bytes: [UInt8], address: HTTPAddress?) {
        let depth = depth ?? deepestList + 1
        do throws(MediaError) {
            try checkDepth(depth)
            try countOpen()
            let loaded = try transfer.wait(opens: 1) {
                () throws(MediaError) -> ([UInt8], HTTPAddress?) in
                let (source, address) = try openChildSource(
                    place.address, (place.start, place.end))
                return (try bytes(of: source, at: place, limit: limit), address)
            }
            options.accessObserver?(AssetAccess(subject: place.address, depth: depth))
            return loaded
        } catch {
            let failure = violation ?? blaming(place.address, for: interrupt.explaining(error))
            options.accessObserver?(
                AssetAccess(subject: place.address, depth: depth, error: failure))
            throw failure
        }
    }

    private func bytes(
        of source: any MediaDataSource, at place: TextPlaylist.Place, limit: Int
    ) throws(MediaError) -> [UInt8] {
        var bytes: [UInt8] = []
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { part.deallocate() }
        while true {
            let position = place.start + Int64(bytes.count)
            let rest = place.end.map { Int(clamping: $0 - position) } ?? part.count
            guard rest > 0 else { break }
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: part[..<min(rest, part.count)]),
                at: position, isCancelled: { interrupt.isTriggered })
            if count == 0 { break }
            bytes += part[..<count]
            guard bytes.count <= limit else {
                throw MediaError(
                    .limitExceeded, subject: place.address,
                    cause: "it has more than \(limit >> 10) KiB, too much for text subtitles",
                    remedy: "raise the limit if you trust the stream")
            }
        }
        return bytes
    }
}
