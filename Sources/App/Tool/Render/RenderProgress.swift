// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The progress line of a rendering. It is shown on a terminal only.
final class RenderProgress {
    private let length: MediaTime
    private let began = HostClock.shared.time
    private var shown = MediaTime.zero
    private let isShown = Console.showsStatus

    /// Creates the progress line for a range.
    ///
    /// - Parameter length: the duration of the range; a time that is not numeric if the duration is
    ///   unknown.
    init(length: MediaTime) { self.length = length }

    func show(_ count: Int, at time: MediaTime) {
        let now = HostClock.shared.time
        guard isShown, (now - shown).seconds > 0.1 else { return }
        shown = now
        let elapsed = max((now - began).seconds, 0.001)
        var text = String(format: "%d frames, %.1f fps", count, Double(count) / elapsed)
        if length.isNumeric, length > .zero, time > .zero {
            let share = min(1, time.seconds / length.seconds)
            let bar = Int(share * 20)
            // A file may declare an absurdly long duration.
            let left = min(elapsed / share - elapsed, 359_999)
            text =
                "[" + String(repeating: "#", count: bar) + String(repeating: ".", count: 20 - bar)
                + String(
                    format: "] %3.0f %%  %.1f fps (%.1fx)  %d:%02d left", share * 100,
                    Double(count) / elapsed, time.seconds / elapsed, Int(left) / 60, Int(left) % 60)
        }
        Console.showStatus(text)
    }

    /// Shows the progress of a rendering of audio, which has no frames.
    func show(at time: MediaTime) {
        let now = HostClock.shared.time
        guard isShown, (now - shown).seconds > 0.1 else { return }
        shown = now
        Console.showStatus(String(format: "%.1f s of audio", time.seconds))
    }

    func end() { Console.showStatus("") }
}
