// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCommands
import PlayheadPlayback
import PlayheadTime

/// Reads a player's state into a model for the controls.
///
/// - Concurrency: the main thread.
@MainActor struct ControlsModelReader {
    let controller: PlayerController
    let isFullscreen: Bool

    func model() -> ControlsModel {
        var model = ControlsModel()
        let player = controller.player
        model.isFullscreen = isFullscreen
        model.volume = Double(min(player.volume, 1))
        model.isMuted = player.isMuted
        model.speed = player.defaultRate
        model.isPlaying = player.timeControlStatus != .paused
        guard let item = player.currentItem, item.status == .readyToPlay else { return model }
        let description = item.assetDescription
        model.title = PlayerController.title(of: item)
        let hasPictures = description?.tracks(of: .video).contains { !$0.isAttachedPicture }
        let duration = item.end
        model.kind =
            hasPictures == false ? .sound : duration.isNumeric ? .film : .live
        model.hasEnded = item.hasPlayedToEnd && !model.isPlaying
        model.isSeekable = !item.seekableTimeRanges.isEmpty
        let time = max(item.currentTime, .zero)
        model.elapsed = time.isNumeric ? Int(time.seconds) : 0
        if let range = item.scrubbingRange { addTimes(to: &model, item, range) }
        if duration.isNumeric, duration > .zero { model.total = Int(duration.seconds.rounded()) }
        model.behindLive = item.timeBehindLive.map { Int($0.seconds) }
        addMenus(to: &model, description)
        return model
    }

    private func addTimes(
        to model: inout ControlsModel, _ item: PlayerItem, _ range: MediaTimeRange
    ) {
        let (first, seconds) = (range.start.seconds, range.duration.seconds)
        func fraction(_ time: MediaTime) -> Double {
            min(max((time.seconds - first) / seconds, 0), 1)
        }
        model.progress = fraction(item.currentTime)
        model.loaded = item.loadedTimeRanges.compactMap { range in
            let (from, to) = (fraction(range.start), fraction(range.end))
            return to > from ? from...to : nil
        }
        model.chapterMarks = item.chapters.dropFirst().map { fraction($0.timeRange.start) }
        if case .number(let start)? = controller.value(of: .loopStart),
            case .number(let end)? = controller.value(of: .loopEnd), end != start
        {
            // The bounds of the loop can be in either order.
            let places = [start, end].map { min(max(($0 - first) / seconds, 0), 1) }.sorted()
            model.loop = places[0]...places[1]
        }
    }

    private func addMenus(to model: inout ControlsModel, _ description: AssetDescription?) {
        model.menus[.speed] = .speeds(current: model.speed)
        let sounds = description?.mediaSelectionGroup(for: .audible)?.options ?? []
        if sounds.count > 1 {
            model.menus[.audio] = .tracks(
                .audioTrack, title: "Audio", names: sounds.map(\.displayName),
                current: controller.value(of: .audioTrack), canBeOff: false)
        }
        // The subtitle renderer provides the property. It includes the subtitle files beside the
        // video.
        let texts = controller.choices(of: .subtitleTrack)?.compactMap(\.number) ?? []
        if !texts.isEmpty {
            model.menus[.subtitles] = .tracks(
                .subtitleTrack, title: "Subtitles",
                names: texts.map {
                    controller.trackName(Int($0), of: .subtitleTrack) ?? "Track \(Int($0))"
                },
                current: controller.value(of: .subtitleTrack), canBeOff: true)
        }
    }
}
