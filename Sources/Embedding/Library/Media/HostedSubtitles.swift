// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime
import Synchronization

/// The subtitles of a film as a host sees and reads them. Made when the first track of them is
/// switched on.
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

    /// One for each place that pictures go to: each draws at the size at which it is seen there,
    /// and keeps a record of its own of what has been shown.
    let target: SubtitleOverlay
    let sampled: SubtitleOverlay
    let texture: SubtitleOverlay
    let words = PlayerItemLegibleOutput()
    /// Wakes the host for them.
    let watch: FrameWakeup
    private let item: PlayerItem
    private let toldError = Mutex<MediaError?>(nil)

    /// - Parameter onError: told, on a thread of theirs, when they cannot be read.
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

    /// Why they cannot be read, once.
    private var newError: MediaError? {
        let error = item.subtitleError
        return toldError.withLock { told in
            guard let error, told != error else { return nil }
            told = error
            return error
        }
    }

    /// Waits until those at an item time have been drawn, for the places where they have been seen
    /// before.
    func waitUntilDrawn(at time: MediaTime, nanoseconds: Int64) {
        let deadline = HostClock.nanoseconds &+ nanoseconds
        for overlay in [target, sampled, texture] {
            overlay.waitUntilDrawn(
                forItemTime: time, nanoseconds: deadline - HostClock.nanoseconds)
        }
    }
}
