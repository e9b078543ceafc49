// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The totals over the files of a run.
struct PlaybackTotals {
    /// The names of the files, in the order in which they played.
    private(set) var files: [String] = []
    private(set) var decodingErrors = 0
    private(set) var audioUnderruns = 0
    /// The decoding method of the last file.
    private(set) var decodingMethod: VideoDecodingMethod?

    /// The index of the current file.
    var lastIndex: Int { max(0, files.count - 1) }

    mutating func begin(_ file: String) { files.append(InputFile.name(file)) }

    /// Adds the statistics of a file, or of one round of a file that loops.
    mutating func end(_ statistics: PlaybackStatistics) {
        decodingErrors += statistics.decodingErrors
        audioUnderruns += statistics.audioUnderruns
        decodingMethod = statistics.videoDecodingMethod
    }
}
