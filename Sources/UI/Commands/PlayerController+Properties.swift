// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadPlayback
import PlayheadTime

/// The properties of the player.
extension PlayerController {
    private var item: PlayerItem? {
        guard let item = player.currentItem, item.status == .readyToPlay else { return nil }
        return item
    }

    func provideTransport() {
        provide(
            .pause,
            PropertyAccess(get: { [player] in .flag(player.timeControlStatus == .paused) }) {
                [weak self] value in
                value.isTrue ? self?.player.pause() : self?.play()
            })
        provide(
            .speed,
            PropertyAccess(get: { [player] in .number(player.defaultRate) }) {
                [weak self] value in self?.setSpeed(value.number ?? 1)
            })
        provide(
            .volume,
            PropertyAccess(get: { [player] in
                .number((Double(player.volume) * 1000).rounded() / 10)
            }) { [player] value in
                player.isMuted = false
                player.volume = Float((value.number ?? 100) / 100)
            })
        provide(
            .mute,
            PropertyAccess(get: { [player] in .flag(player.isMuted) }) { [player] value in
                player.isMuted = value.isTrue
            })
        provide(
            .audioDelay,
            PropertyAccess(get: { [player] in
                .number((player.audioDelay.seconds * 1e6).rounded() / 1e6)
            }) { [player] value in player.audioDelay = Self.time(value) })
        provide(
            .timePosition,
            PropertyAccess(get: { [weak self] in Self.seconds(self?.item?.currentTime) }) {
                [weak self] (value) throws(CommandError) in
                // Clamped to 0, because a negative time would count from the end.
                try self?.perform(
                    .seek(.absolute(max(.zero, Self.time(value))), precision: .exact),
                    isSilent: true)
            })
        provide(
            .percentPosition,
            PropertyAccess(get: { [weak self] in
                guard let item = self?.item, item.end.isNumeric, item.end > .zero else {
                    return nil
                }
                return .number(item.currentTime.seconds / item.end.seconds * 100)
            }) { [weak self] (value) throws(CommandError) in
                try self?.perform(
                    .seek(.percent(value.number ?? 0), precision: .exact), isSilent: true)
            })
        provide(
            .timeRemaining,
            PropertyAccess(get: { [weak self] in
                guard let item = self?.item, item.end.isNumeric else { return nil }
                return Self.seconds(item.end - item.currentTime)
            }))
        provide(
            .playTimeRemaining,
            PropertyAccess(get: { [weak self] in
                guard let self, let item, item.end.isNumeric else { return nil }
                return .number((item.end - item.currentTime).seconds / player.defaultRate.magnitude)
            }))
        provide(.maximumVolume, PropertyAccess(get: { .number(130) }))
        provide(
            .duration, PropertyAccess(get: { [weak self] in Self.seconds(self?.item?.duration) }))
        provideRepeating()
        provideListRepeating()
        provideChapters()
    }

    private func provideRepeating() {
        func bound(_ path: ReferenceWritableKeyPath<ABLoop, MediaTime?>) -> PropertyAccess {
            PropertyAccess(get: { [repeater] in Self.seconds(repeater[keyPath: path]) ?? .no }) {
                [repeater] value in
                repeater[keyPath: path] = value.number == nil ? nil : Self.time(value)
            }
        }
        provide(.loopStart, bound(\.start))
        provide(.loopEnd, bound(\.end))
        provide(
            .loopFile,
            PropertyAccess(get: { [weak self] in
                let repeats =
                    self?.repeater.repeatsFilm == true || self?.playlist?.isLooping == true
                return .text(repeats ? "inf" : "no")
            }) { [weak self] value in
                guard let self else { return }
                if value == .no { playlist?.endLoop() }
                repeater.repeatsFilm = value != .no && playlist?.isLooping != true
            })
    }

    private func provideListRepeating() {
        provide(
            .loopPlaylist,
            PropertyAccess(get: { [weak self] in
                .text(self?.playlist?.isRepeated == true ? "inf" : "no")
            }) { [weak self] (value) throws(CommandError) in
                let playlist = self?.playlist
                guard playlist?.canBeRepeated == true else {
                    // Nothing loops without a playlist, so `no` is valid.
                    if value == .no { return }
                    throw .unavailable(.loopPlaylist)
                }
                playlist?.setRepeated(value != .no)
            })
    }

    private func provideChapters() {
        provide(
            .chapter,
            PropertyAccess(get: { [weak self] in
                guard let item = self?.item, !item.chapters.isEmpty else { return nil }
                let time = item.currentTime
                let index = item.chapters.lastIndex { $0.timeRange.start <= time } ?? -1
                return .number(Double(index))
            }) { [weak self] (value) throws(CommandError) in
                guard let item = self?.item else { throw .unavailable(.chapter) }
                let index = min(max(Int(value.number ?? 0), 0), item.chapters.count - 1)
                guard item.chapters.indices.contains(index) else { throw .unavailable(.chapter) }
                try self?.perform(
                    .seek(.absolute(item.chapters[index].timeRange.start), precision: .exact),
                    isSilent: true)
            })
        provide(
            .chapterCount,
            PropertyAccess(get: { [weak self] in
                (self?.item?.chapters.count).map { .number(Double($0)) }
            }))
    }

    func provideFacts() {
        func flag(_ property: PlayerProperty, _ body: @escaping @MainActor (Player) -> Bool) {
            provide(property, PropertyAccess(get: { [player] in .flag(body(player)) }))
        }
        flag(.isSeekable) { $0.currentItem?.seekableTimeRanges.isEmpty == false }
        flag(.isSeeking) { $0.currentItem?.state.isSeeking == true }
        flag(.isBuffering) { $0.reasonForWaitingToPlay == .toMinimizeStalls }
        flag(.hasEnded) { Self.isAtEnd($0) }
        flag(.isIdle) { $0.currentItem == nil }
        flag(.isCoreIdle) { player in
            guard let item = player.currentItem else { return true }
            return player.timeControlStatus != .playing || item.hasPlayedToEnd
        }
        func text(_ property: PlayerProperty, _ body: @escaping @MainActor (PlayerItem) -> String) {
            provide(
                property,
                PropertyAccess(get: { [player] in player.currentItem.map { .text(body($0)) } }))
        }
        text(.mediaTitle) { Self.title(of: $0) }
        text(.path) { $0.asset.subject }
        text(.filename) { $0.asset.displayName }
        text(.filenameWithoutExtension) { Self.withoutExtension($0.asset.displayName) }
        /// Provides a property that is the number of a playlist entry.
        ///
        /// - Parameter first: the number of the first entry.
        func position(_ property: PlayerProperty, from first: Int) {
            provide(
                property,
                PropertyAccess(get: { [weak self] in
                    guard let playlist = self?.playlist else { return nil }
                    return .number(Double((playlist.position ?? -1) + first))
                }) { [weak self] (value) throws(CommandError) in
                    try self?.perform(.playlistPlay(index: Int(value.number ?? 0) - first))
                })
        }
        position(.playlistPosition, from: 0)
        position(.playlistPositionFromOne, from: 1)
        provide(
            .playlistCount,
            PropertyAccess(get: { [weak self] in
                (self?.playlist?.files.count).map { .number(Double($0)) }
            }))
    }

    /// Returns whether the current item has played to its end, or is paused there after a seek. If
    /// the default rate is negative, playback begins at the end, so an item that is paused there
    /// has not been played.
    private static func isAtEnd(_ player: Player) -> Bool {
        guard let item = player.currentItem else { return false }
        if item.hasPlayedToEnd { return true }
        return player.timeControlStatus == .paused && player.defaultRate > 0
            && !item.state.isSeeking && item.end.isNumeric && item.currentTime >= item.end
    }

    private static func withoutExtension(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns the title of an item, or its file name.
    package static func title(of item: PlayerItem) -> String {
        item.assetDescription?.metadata.filtered(by: .title).first?.stringValue
            ?? item.asset.displayName
    }

    // MARK: Setting

    /// Plays. If the item has ended, playback begins at the start.
    private func play() {
        playFromList()
        if let item = player.currentItem, item.hasPlayedToEnd {
            item.seek(to: player.defaultRate < 0 ? item.end : .zero)
        }
        player.play()
    }

    /// Sets the rate and the default rate.
    private func setSpeed(_ speed: Double) {
        let magnitude = min(max(speed.magnitude, 1.0 / 16), Player.rateLimit)
        player.defaultRate = speed < 0 ? -magnitude : magnitude
        if player.timeControlStatus != .paused { player.play() }
    }

    private static func seconds(_ time: MediaTime?) -> PropertyValue? {
        guard let time, time.isNumeric else { return nil }
        return .number(time.seconds)
    }

    private static func time(_ value: PropertyValue) -> MediaTime {
        MediaTime(seconds: value.number ?? 0, preferredTimescale: 1_000_000)
    }
}
