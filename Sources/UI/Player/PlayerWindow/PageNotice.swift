// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Words in the middle of a window, for as long as what they say holds.
struct PageNotice: Equatable {
    var text: String
    /// As much room as these take is there for the words: so they do not dance when they change.
    var widest: String

    init(_ text: String, widest: String? = nil) {
        self.text = text
        self.widest = widest ?? text
    }

    /// What is said while playback waits for more to be loaded: how much is, and that something
    /// goes on, by dots that come and go.
    static func buffering(loadedSeconds: Double, at time: MediaTime) -> PageNotice {
        let dots = Int((time.seconds * 3).rounded(.down)) % 4
        let seconds = "\n\((loadedSeconds * 10).rounded(.down) / 10) s"
        return PageNotice(
            "Buffering" + String(repeating: ".", count: dots) + seconds,
            widest: "Buffering..." + seconds)
    }
}
