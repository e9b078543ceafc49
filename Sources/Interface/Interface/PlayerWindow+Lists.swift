// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCommands
import PlayheadControls
import PlayheadPlayback

/// The lists that F8 and F9 show.
extension PlayerWindow {
    /// Films in order, the one that plays marked; no more than a page has room for.
    var playlistText: String {
        guard let playlist = controller.playlist else {
            return player.currentItem?.asset.displayName ?? "none"
        }
        let (files, position) = (playlist.files, playlist.position)
        let first = max(0, min((position ?? 0) - 8, files.count - 17))
        let lines = files.enumerated().dropFirst(first).prefix(17).map { index, file in
            let name = file.split(separator: "/").last.map(String.init) ?? file
            return "\(index == position ? "▶" : "\u{2003}") \(index + 1)  \(name)"
        }
        return lines.joined(separator: "\n")
    }

    /// Tracks in order, those that play marked; subtitles of files of their own, too.
    var tracksText: String {
        let tracks = player.currentItem?.tracks ?? []
        var counts: [MediaType: Int] = [:]
        func line(_ type: MediaType, _ facts: String, isChosen: (Int) -> Bool) -> String {
            counts[type, default: 0] += 1
            let number = counts[type] ?? 0
            return "\(isChosen(number) ? "▶" : "\u{2003}") \(type) \(number)  \(facts)"
        }
        var lines = tracks.filter { $0.assetTrack.mediaType != .subtitle }.map { track in
            line(track.assetTrack.mediaType, Self.description(of: track.assetTrack)) { _ in
                track.isEnabled
            }
        }
        for option in legible?.group.options ?? [] {
            let track = tracks.first { $0.assetTrack.id == option.id }?.assetTrack
            let facts = track.map(Self.description(of:)) ?? option.displayName
            lines.append(
                line(.subtitle, facts) {
                    controller.value(of: .subtitleTrack) == .number(Double($0))
                })
        }
        return lines.isEmpty ? "none" : lines.joined(separator: "\n")
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
