// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadCommands
import PlayheadFFmpeg
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadSubtitles
import PlayheadTime
import PlayheadWindow

/// The commands and properties for subtitles.
extension PlayerWindow {
    /// Keeps subtitles upright if the video is rotated, and above the controls while those are
    /// visible.
    func placeSubtitles() {
        let rotation = view.pictureSettings.rotation
        if subtitles.rotation != rotation { subtitles.rotation = rotation }
        let size = window.framebufferSize
        let picture = subtitles.frame(
            over: view.pictureRect, width: size.width, height: size.height)
        let bottom = Double(size.height) - picture.y - picture.height
        let covered = view.coveredHeight - bottom
        subtitles.clearance =
            covered > 0 ? min(60, 100 * covered / max(1, picture.height)).rounded() : 0
    }

    func provideSubtitles() {
        let subtitles = subtitles
        view.subtitleProvider = subtitles.layers
        controller.provide(
            .subtitleTrack,
            PropertyAccess(
                get: { [weak self] in
                    guard let (item, group) = self?.legible else {
                        return self?.player.currentItem?.status == .readyToPlay ? .no : nil
                    }
                    let selected = item.selectedMediaOption(in: group)
                    let index = group.options.firstIndex { $0.id == selected?.id }
                    return index.map { .number(Double($0 + 1)) } ?? .no
                },
                choices: { [weak self] in
                    let count = self?.legible?.group.options.count ?? 0
                    return (0..<count).map { .number(Double($0 + 1)) } + [.no]
                }
            ) { [weak self] (value) throws(CommandError) in
                try self?.selectSubtitles(value)
            })
        controller.provide(
            .subtitleText,
            PropertyAccess(get: { [weak self] in
                guard let item = self?.player.currentItem else { return nil }
                return subtitles.text(forItemTime: item.currentTime).map { .text($0) }
            }))
        controller.provide(
            .subtitleVisibility,
            PropertyAccess(get: { .flag(subtitles.isVisible) }) {
                subtitles.isVisible = $0.isTrue
            })
        controller.provide(
            .subtitleDelay,
            PropertyAccess(get: { .number((subtitles.delay.seconds * 1e6).rounded() / 1e6) }) {
                subtitles.delay = MediaTime(
                    seconds: $0.number ?? 0, preferredTimescale: 1_000_000)
            })
        controller.provide(
            .subtitleScale,
            PropertyAccess(get: { .number(subtitles.fontScale) }) {
                subtitles.fontScale = $0.number ?? 1
            })
        controller.provide(
            .subtitlePosition,
            PropertyAccess(get: { .number(100 - subtitles.elevation) }) {
                subtitles.elevation = 100 - ($0.number ?? 100)
            })
        controller.addPerformer { [weak self] (command) throws(CommandError) in
            guard let self else { return false }
            switch command {
            case .subtitleAdd(let path): try addSubtitles(path)
            case .subtitleSeek(let count): try moveSubtitles(by: count, seeks: true)
            case .subtitleStep(let count): try moveSubtitles(by: count, seeks: false)
            default: return false
            }
            return true
        }
    }

    var legible: (item: PlayerItem, group: MediaSelectionGroup)? {
        guard let item = player.currentItem, let group = item.mediaSelectionGroup(for: .legible)
        else { return nil }
        return (item, group)
    }

    private func selectSubtitles(_ value: PropertyValue) throws(CommandError) {
        guard let (item, group) = legible else {
            // In a file without subtitles, there is nothing to deselect.
            if value == .no, player.currentItem?.status == .readyToPlay { return }
            throw .unavailable(.subtitleTrack)
        }
        if value == .no {
            item.select(nil, in: group)
            return
        }
        guard let number = value.number else {
            item.select(group.automaticOption(), in: group)
            return
        }
        let index = Int(number) - 1
        guard group.options.indices.contains(index) else {
            throw .wrongValue(
                argument: "sid", value: value.description,
                expected: "a track from 1 to \(group.options.count), or 'no'")
        }
        item.select(group.options[index], in: group)
        subtitles.isVisible = true
    }

    /// Adds a subtitle file to the current item, and shows it.
    func addSubtitles(_ path: String) throws(CommandError) {
        guard let item = player.currentItem else { throw .unavailable(.subtitleTrack) }
        guard path.contains("://") || access(path, R_OK) == 0 else {
            throw .failed("\(path): cannot be read; check the path")
        }
        try checkSubtitles(path)
        let options = SubtitleFile.tracks(path).map {
            item.addSubtitles($0.asset, name: $0.name, language: $0.language)
        }
        guard let option = options.first, let group = item.mediaSelectionGroup(for: .legible) else {
            throw .failed("\(path): the file contains no subtitles; name another file")
        }
        item.select(option, in: group)
        subtitles.isVisible = true
        say("Subtitles: \(option.displayName)")
    }

    /// Opens a subtitle file to check that it has subtitles, so that the command can report an
    /// error.
    ///
    /// Remote files are not checked here, because the main thread must not wait for a network.
    /// Playback reports their errors.
    private func checkSubtitles(_ path: String) throws(CommandError) {
        guard case .file = AssetLocation(path) else { return }
        do throws(MediaError) {
            let demuxer = try SubtitleFile.asset(path).openDemuxer(cancellation: Cancellation())
            guard demuxer.description.tracks.contains(where: { $0.mediaType.isLegible }) else {
                throw MediaError(
                    .noPlayableTracks, subject: path, cause: "the file contains no subtitles",
                    remedy: "name another file")
            }
        } catch {
            throw .failed(error.description)
        }
    }

    /// Seeks to the start of a subtitle, or changes the delay so that the subtitle starts now.
    private func moveSubtitles(by count: Int, seeks: Bool) throws(CommandError) {
        guard let item = player.currentItem, count != 0 else { return }
        let output = PlayerItemLegibleOutput()
        item.add(output)
        defer { item.remove(output) }
        guard let start = output.begin(count, from: item.currentTime - subtitles.delay) else {
            throw .unavailable(.subtitleTrack)
        }
        if seeks {
            try controller.perform(
                .seek(.absolute(start + subtitles.delay), precision: .exact))
        } else {
            subtitles.delay = item.currentTime - start
            say("Subtitle delay \(subtitles.delay.seconds) s")
        }
    }
}
