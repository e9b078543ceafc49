// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCommands
import PlayheadPlayback

/// The lists of F8 and F9, in which the current entry is marked.
extension PlayerWindow {
    /// The playlist.
    var playlistList: PageList {
        guard let playlist = controller.playlist else {
            let name = player.currentItem?.asset.displayName
            return PageList(
                title: "Playlist",
                rows: [PageList.Row(text: name ?? "none", isCurrent: name != nil)])
        }
        let (files, position) = (playlist.files, playlist.position)
        let rows = files.enumerated().map { index, file in
            let name = playlist.title(at: index) ?? AssetLocation(file).displayName
            return PageList.Row(text: "\(index + 1)  \(name)", isCurrent: index == position)
        }
        return PageList(title: "Playlist", rows: rows)
    }

    /// The tracks of the file and of subtitle files.
    var trackList: PageList {
        let tracks = player.currentItem?.tracks ?? []
        var counts: [MediaType: Int] = [:]
        func row(_ type: MediaType, _ facts: String, isCurrent: (Int) -> Bool) -> PageList.Row {
            counts[type, default: 0] += 1
            let number = counts[type] ?? 0
            return PageList.Row(text: "\(type) \(number)  \(facts)", isCurrent: isCurrent(number))
        }
        var rows = tracks.filter { !$0.assetTrack.mediaType.isLegible }.map { track in
            row(track.assetTrack.mediaType, Self.description(of: track.assetTrack)) { _ in
                track.isEnabled
            }
        }
        for option in legible?.group.options ?? [] {
            let track = tracks.first { $0.assetTrack.id == option.id }?.assetTrack
            let facts = track.map(Self.description(of:)) ?? option.displayName
            rows.append(
                row(.subtitle, facts) {
                    controller.value(of: .subtitleTrack) == .number(Double($0))
                })
        }
        return PageList(
            title: "Tracks", rows: rows.isEmpty ? [PageList.Row(text: "none")] : rows)
    }

    private static func description(of track: AssetTrack) -> String {
        let format = track.formatDescription
        var facts = [track.title, track.languageTag, format.codec].compactMap { $0 }
        if let video = format.video {
            facts.append("\(video.width)x\(video.height)")
            if track.nominalFrameRate > 0 {
                facts.append("\((track.nominalFrameRate * 100).rounded() / 100) fps")
            }
        }
        if let audio = format.audio {
            facts.append("\(audio.channelLayout), \(audio.sampleRate) Hz")
        }
        return facts.joined(separator: "  ")
    }
}
