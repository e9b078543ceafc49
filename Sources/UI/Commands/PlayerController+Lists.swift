// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadPlayback
import PlayheadTime

/// The properties that are lists. Their fields have mpv's names.
extension PlayerController {
    func provideLists() {
        provide(
            .playlist,
            PropertyAccess(get: { [weak self] in
                guard let playlist = self?.playlist else { return nil }
                return .list(
                    playlist.files.enumerated().map { index, file in
                        let name = AssetLocation.publicDescription(of: file)
                        var entry: [String: PropertyValue] = ["filename": .text(name)]
                        if let title = playlist.title(at: index) { entry["title"] = .text(title) }
                        // As in mpv, only the current entry has these fields.
                        if index == playlist.position {
                            (entry["current"], entry["playing"]) = (.flag(true), .flag(true))
                        }
                        return .map(entry)
                    })
            }))
        provide(.trackList, PropertyAccess(get: { [weak self] in self?.trackList }))
        provide(
            .chapterList,
            PropertyAccess(get: { [weak self] in
                self?.readyItem.map { item in
                    .list(
                        item.chapters.map { chapter in
                            let time = PropertyValue.number(chapter.timeRange.start.seconds)
                            return .map(["title": .text(chapter.title), "time": time])
                        })
                }
            }))
        provide(
            .chapterMetadata,
            PropertyAccess(get: { [weak self] in
                guard let item = self?.readyItem else { return nil }
                let time = item.currentTime
                let chapter = item.chapters.last { $0.timeRange.start <= time }
                return chapter.map { .map(["title": .text($0.title)]) }
            }))
        provide(
            .currentTracks,
            PropertyAccess(get: { [weak self] in
                guard case .list(let tracks)? = self?.trackList else { return nil }
                let selected = tracks.filter { $0.part("selected")?.isTrue == true }
                return .map(
                    Dictionary(
                        selected.compactMap { track in
                            track.part("type").map { ($0.description, track) }
                        }
                    ) { first, _ in first })
            }))
        func names(_ property: PlayerProperty, _ names: [String]) {
            provide(property, PropertyAccess(get: { .list(names.map { .text($0) }) }))
        }
        names(.propertyList, PlayerProperty.names)
        names(.keyList, KeyChord.names)
        provide(
            .commandList,
            PropertyAccess(get: {
                .list(PlayerCommand.names.map { .map(["name": .text($0)]) })
            }))
        provide(
            .metadata,
            PropertyAccess(get: { [weak self] in
                self?.readyItem?.assetDescription.map { description in
                    let texts = description.metadata.compactMap { item in
                        item.stringValue.map { (item.key, PropertyValue.text($0)) }
                    }
                    // If a key occurs in several languages, its first value is used.
                    return .map(Dictionary(texts) { first, _ in first })
                }
            }))
    }

    var readyItem: PlayerItem? {
        guard let item = player.currentItem, item.status == .readyToPlay else { return nil }
        return item
    }

    private var trackList: PropertyValue? {
        guard let item = readyItem else { return nil }
        var list = entries(of: .video, "video", item) + entries(of: .audio, "audio", item)
        let legible = item.mediaSelectionGroup(for: .legible)
        let selected = legible.flatMap { item.selectedMediaOption(in: $0) }
        for (index, option) in (legible?.options ?? []).enumerated() {
            var entry: [String: PropertyValue] = [
                "id": .number(Double(index + 1)), "type": .text("sub"),
                "title": .text(option.displayName), "default": .flag(option.isDefault),
                "selected": .flag(option.id == selected?.id),
                // Tracks in separate files have negative IDs.
                "external": .flag(option.id < 0),
                "forced": .flag(option.characteristics.contains(.containsOnlyForcedSubtitles)),
            ]
            entry["lang"] = option.language.map { .text($0.description) }
            list.append(.map(entry))
        }
        return .list(list)
    }

    private func entries(
        of type: MediaType, _ name: String, _ item: PlayerItem
    ) -> [PropertyValue] {
        tracks(of: type).enumerated().map { index, track in
            let (asset, format) = (track.assetTrack, track.assetTrack.formatDescription)
            // This is the number that `vid` and `aid` use.
            var entry: [String: PropertyValue] = [
                "id": .number(Double(index + 1)), "type": .text(name),
                "default": .flag(asset.isDefault), "selected": .flag(track.isEnabled),
                "codec": .text(format.codec), "external": .flag(false),
                "albumart": .flag(asset.isAttachedPicture), "ff-index": .number(Double(asset.id)),
            ]
            entry["codec-desc"] = format.codecName.map { .text($0) }
            entry["title"] = asset.title.map { .text($0) }
            entry["lang"] = asset.languageTag.map { .text($0) }
            if let video = format.video {
                entry["demux-w"] = .number(Double(video.width))
                entry["demux-h"] = .number(Double(video.height))
                let rate = asset.nominalFrameRate
                if rate > 0 { entry["demux-fps"] = .number(rate) }
            }
            if let audio = format.audio {
                entry["audio-channels"] = .number(Double(audio.channelCount))
                entry["demux-channels"] = .text(audio.channelLayout)
                entry["demux-channel-count"] = .number(Double(audio.channelCount))
                entry["demux-samplerate"] = .number(Double(audio.sampleRate))
            }
            return .map(entry)
        }
    }
}
