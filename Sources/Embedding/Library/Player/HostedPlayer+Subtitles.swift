// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback
import Synchronization

extension HostedPlayer {
    /// Returns the subtitle files that were added to an item. Their options have negative numbers.
    static func addedSubtitles(of item: PlayerItem) -> [MediaSelectionOption] {
        item.mediaSelectionGroup(for: .legible)?.options.filter { $0.id < 0 } ?? []
    }

    /// Returns a Boolean value that indicates whether a subtitle option is selected.
    static func isSelected(_ option: MediaSelectionOption, of item: PlayerItem) -> Bool {
        item.mediaSelectionGroup(for: .legible).flatMap(item.selectedMediaOption) == option
    }

    /// Adds a subtitle file to the media and returns its track index.
    func addSubtitles(_ asset: Asset, name: String, language: LanguageTag?) throws -> UInt32 {
        let item = try readyFilm().0.item
        item.addSubtitles(asset, name: name, language: language)
        return UInt32(clamping: item.tracks.count + Self.addedSubtitles(of: item).count - 1)
    }

    /// Selects or deselects a subtitle track.
    func setSubtitles(_ option: MediaSelectionOption, isEnabled: Bool) throws {
        let (film, _) = try readyFilm()
        let item = film.item
        guard let group = item.mediaSelectionGroup(for: .legible),
            isEnabled != Self.isSelected(option, of: item)
        else { return }
        if isEnabled { showSubtitles(of: item) }
        item.select(isEnabled ? option : nil, in: group)
        control.withLock { $0.lookChanges += 1 }
        note(PLAYHEAD_EVENT_TRACKS, of: item)
        requestWakeups()
    }

    /// Creates the overlays for the selected subtitles of an item.
    private func showSubtitles(of item: PlayerItem) {
        guard control.withLock({ $0.film?.subtitles }) == nil else { return }
        let subtitles = HostedSubtitles(of: item, wakeup: events.wakeup) {
            [weak self, weak item] error in
            guard let self, let item else { return }
            HostLog.write(PLAYHEAD_LOG_WARNING, error.description)
            note(
                PLAYHEAD_EVENT_WARNING, of: item, status: Int(CallFailure(error).status),
                text: error.description)
        }
        control.withLock { control in
            guard control.film?.item === item, control.film?.subtitles == nil else { return }
            control.film?.subtitles = subtitles
            control.film?.outputs.watch.accompany(subtitles.watch)
            control.generation += 1
        }
        // If the style changes at the same time, either this thread or the other thread applies it.
        subtitles.apply(control.withLock { $0.subtitleStyle })
    }

    /// Sets the style of subtitles, for the open media and for all later media.
    func setSubtitleStyle(_ style: HostedSubtitles.Style) {
        let subtitles = control.withLock { control in
            let isSwitched = control.subtitleStyle.isHidden != style.isHidden
            control.subtitleStyle = style
            if isSwitched { control.generation += 1 }
            control.lookChanges += 1
            return control.film?.subtitles
        }
        subtitles?.apply(style)
        requestWakeups()
    }
}
