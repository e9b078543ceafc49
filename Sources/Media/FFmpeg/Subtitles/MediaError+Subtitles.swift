// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension MediaError {
    /// The error for a file of subtitles that is opened as if it were a video.
    init(subtitlesAlone subject: String) {
        self.init(
            .noPlayableTracks, subject: subject,
            cause: "it has subtitles, but neither video nor audio",
            remedy: "open the video, and add this file as its subtitles")
    }
}
