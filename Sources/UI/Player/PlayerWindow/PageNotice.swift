// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A text in the middle of a window that is shown while a condition holds.
struct PageNotice: Equatable {
    var text: String
    /// The widest text of the notice. It determines the size, so that the notice does not move when
    /// the text changes.
    var widest: String

    init(_ text: String, widest: String? = nil) {
        self.text = text
        self.widest = widest ?? text
    }

    /// Returns the notice while playback waits for data: the loaded duration, with dots that are
    /// animated.
    static func buffering(loadedSeconds: Double, at time: MediaTime) -> PageNotice {
        let dots = Int((time.seconds * 3).rounded(.down)) % 4
        let seconds = "\n\((loadedSeconds * 10).rounded(.down) / 10) s"
        return PageNotice(
            "Buffering" + String(repeating: ".", count: dots) + seconds,
            widest: "Buffering..." + seconds)
    }
}
