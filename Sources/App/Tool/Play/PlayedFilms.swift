// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// What the films of a run have come to together, as they are left one after another.
struct PlayedFilms {
    /// In the order in which they were come to.
    private(set) var files: [String] = []
    private(set) var decodingErrors = 0
    private(set) var audioUnderruns = 0
    /// What decoded the pictures of the last.
    private(set) var decodingMethod: VideoDecodingMethod?

    /// The place of the film that plays, counted from 0.
    var lastIndex: Int { max(0, files.count - 1) }

    mutating func begin(_ file: String) { files.append(file) }

    /// A film, or a round of it, is over.
    mutating func end(_ statistics: PlaybackStatistics) {
        decodingErrors += statistics.decodingErrors
        audioUnderruns += statistics.audioUnderruns
        decodingMethod = statistics.videoDecodingMethod
    }
}
