// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime
import Synchronization

/// The subtitles of a host's media. It is created when the first subtitle track is enabled.
///
/// - Concurrency: any thread.
final class HostedSubtitles: Sendable {
    /// The style of subtitles, for all media of a player.
    struct Style: Sendable {
        var isHidden = false
        var delay = MediaTime.zero
        var scale = 1.0
        var elevation = 0.0
    }

    /// The overlays for the destinations of frames. Each renders at the size of its destination,
    /// and has its own record of the subtitles that were shown.
    let target: SubtitleOverlay
    let sampled: SubtitleOverlay
    let texture: SubtitleOverlay
    let words = PlayerItemLegibleOutput()
    /// Wakes the host for new subtitles.
    let watch: FrameWakeup
    private let item: PlayerItem
    private let toldError = Mutex<MediaError?>(nil)

    /// Creates the subtitles of an item.
    ///
    /// - Parameter onError: Called on a thread of the library if the subtitles cannot be read.
    init(
        of item: PlayerItem, wakeup: WakeupCallback,
        onError: @escaping @Sendable (MediaError) -> Void
    ) {
        self.item = item
        target = SubtitleOverlay(of: item)
        sampled = SubtitleOverlay(of: item)
        texture = SubtitleOverlay(of: item)
        watch = FrameWakeup(
            [.target: target, .sampled: sampled, .texture: texture], wakeup: wakeup)
        item.add(words)
        words.onChange { [weak self] in
            guard let self, let error = self.newError else { return }
            onError(error)
        }
    }

    deinit {
        words.onChange(nil)
        item.remove(words)
    }

    func apply(_ style: Style) {
        for overlay in [target, sampled, texture] {
            overlay.delay = style.delay
            overlay.fontScale = style.scale
            overlay.elevation = style.elevation
        }
        words.delay = style.delay
    }

    /// The error that prevents the subtitles from being read. It is returned once.
    private var newError: MediaError? {
        let error = item.subtitleError
        return toldError.withLock { told in
            guard let error, told != error else { return nil }
            told = error
            return error
        }
    }

    /// Waits until the subtitles for a time of the item have been rendered for all destinations
    /// that have been used.
    func waitUntilDrawn(at time: MediaTime, nanoseconds: Int64) {
        let deadline = HostClock.nanoseconds &+ nanoseconds
        for overlay in [target, sampled, texture] {
            overlay.waitUntilDrawn(
                forItemTime: time, nanoseconds: deadline - HostClock.nanoseconds)
        }
    }
}
