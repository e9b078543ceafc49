// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadPlayback

/// Tracks by number. As in mpv, the tracks of each type are numbered from 1.
extension PlayerController {
    func provideTracks() {
        provide(.videoTrack, access(to: .video))
        provide(.audioTrack, access(to: .audio))
    }

    private func access(to type: MediaType) -> PropertyAccess {
        PropertyAccess(
            get: { [weak self] in
                guard let self, player.currentItem?.status == .readyToPlay else { return nil }
                let tracks = tracks(of: type)
                let index = tracks.firstIndex { $0.isEnabled }
                return index.map { .number(Double($0 + 1)) } ?? .no
            },
            choices: { [weak self] in
                let count = self?.tracks(of: type).count ?? 0
                return (0..<count).map { .number(Double($0 + 1)) } + [.no]
            }
        ) { [weak self] (value) throws(CommandError) in
            guard let tracks = self?.tracks(of: type) else { return }
            if value == .no {
                for track in tracks where track.isEnabled { track.select(false) }
            } else {
                let index = Int(value.number ?? 1) - 1
                guard tracks.indices.contains(index) else {
                    throw .wrongValue(
                        argument: type == .audio ? "aid" : "vid", value: value.description,
                        expected: "a track from 1 to \(tracks.count), or 'no'")
                }
                tracks[index].select(true)
            }
        }
    }

    func tracks(of type: MediaType) -> [PlayerItemTrack] {
        player.currentItem?.tracks.filter {
            $0.assetTrack.mediaType == type && !$0.assetTrack.isAttachedPicture
        } ?? []
    }

    /// Returns the display name of a track by its number.
    package func trackName(_ number: Int, of property: PlayerProperty) -> String? {
        let characteristic: MediaCharacteristic
        switch property {
        case .videoTrack: characteristic = .visual
        case .audioTrack: characteristic = .audible
        case .subtitleTrack: characteristic = .legible
        default: return nil
        }
        let options =
            player.currentItem?.mediaSelectionGroup(for: characteristic)?.options ?? []
        guard options.indices.contains(number - 1) else { return nil }
        return options[number - 1].displayName
    }
}
