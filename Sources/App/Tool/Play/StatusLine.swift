// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The status line, which shows the position if standard error is a terminal.
///
/// - Concurrency: the main thread.
@MainActor final class StatusLine {
    private let isShown: Bool
    private let isColored: Bool
    private var due = MediaTime.zero

    init() {
        isShown = Console.showsStatus
        // https://no-color.org: any non-empty value.
        isColored = (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Shows the position, at most twice per second.
    ///
    /// - Parameter statistics: evaluated only if the line is shown.
    func show(
        _ item: PlayerItem, _ player: Player, _ statistics: @autoclosure () -> FrameStatistics
    ) {
        guard isShown, HostClock.shared.time >= due else { return }
        due = HostClock.shared.time + MediaTime(value: 1, timescale: 2)
        Console.showStatus(
            Self.text(
                time: item.currentTime, duration: item.end,
                isPaused: player.timeControlStatus == .paused, dropped: statistics().dropped,
                isColored: isColored))
    }

    /// Removes the line. Called before the program exits.
    func clear() { Console.showStatus("") }

    static func text(
        time: MediaTime, duration: MediaTime, isPaused: Bool, dropped: Int, isColored: Bool
    ) -> String {
        var text = (isPaused ? "(paused) " : "") + PlayerController.clock(time)
        if duration.isNumeric, duration > .zero {
            let percent = Int((time.seconds / duration.seconds * 100).rounded(.down))
            text += " / \(PlayerController.clock(duration)) (\(min(max(percent, 0), 100)) %)"
        }
        if dropped > 0 { text += " dropped \(dropped)" }
        return isColored && isPaused ? "\u{1B}[2m\(text)\u{1B}[0m" : text
    }
}
