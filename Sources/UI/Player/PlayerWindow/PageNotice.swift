// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A text that is shown in the middle of a window while a condition holds.
struct PageNotice: Equatable {
    var text: String
    /// The widest text that the notice can have. It determines the width, so that the notice does
    /// not move when the text changes.
    var widest: String

    init(_ text: String, widest: String? = nil) {
        self.text = text
        self.widest = widest ?? text
    }

    /// Returns the notice for playback that waits for data. It shows the loaded duration and
    /// animated dots.
    static func buffering(loadedSeconds: Double, at time: MediaTime) -> PageNotice {
        let dots = Int((time.seconds * 3).rounded(.down)) % 4
        let seconds = "\n\((loadedSeconds * 10).rounded(.down) / 10) s"
        return PageNotice(
            "Buffering" + String(repeating: ".", count: dots) + seconds,
            widest: "Buffering..." + seconds)
    }
}
