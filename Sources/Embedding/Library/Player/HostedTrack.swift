// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback

/// A track by its index. The media's own tracks come first, followed by the subtitle files that
/// were added.
enum HostedTrack {
    case film(PlayerItemTrack)
    case subtitles(MediaSelectionOption)
}

extension HostedPlayer {
    /// Returns the track at an index. The media must be open.
    func track(_ index: UInt32) throws -> HostedTrack {
        let item = try readyFilm().0.item
        let (tracks, files) = (item.tracks, Self.addedSubtitles(of: item))
        if index < tracks.count { return .film(tracks[Int(index)]) }
        guard index < tracks.count + files.count else {
            throw CallFailure(
                PLAYHEAD_NOT_FOUND,
                "there is no track \(index); the media has \(tracks.count + files.count), counted "
                    + "from 0")
        }
        return .subtitles(files[Int(index) - tracks.count])
    }
}
