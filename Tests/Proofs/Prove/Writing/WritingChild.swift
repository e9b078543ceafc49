// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing

/// The processes that the proof of writing starts: they write until they are killed, or until the
/// system refuses.
enum WritingChild {
    /// The duration of a fragment, in frames.
    static let fragment = 5

    /// Writes numbered frames in fragments over a file, and prints the number of those that are in
    /// the file.
    static func write(_ path: String, untilKilled: Bool) async throws {
        // The system sends this signal if a file grows beyond its limit. Its default action ends
        // the process.
        signal(SIGXFSZ, SIG_IGN)
        let writer = try AssetWriter(path: path)
        writer.replacesExistingFile = true
        if untilKilled {
            writer.movieFragmentInterval = MediaTime(value: Int64(fragment), timescale: 25)
        }
        let input = AssetWriterInput(
            video: VideoOutputSettings(
                codec: .motionJPEG, width: 320, height: 240, frameDuration: WritingFilm.period))
        try writer.add(input)
        writer.onWritten { time in
            let line = "\(time.converted(toTimescale: 25).value)\n"
            _ = Array(line.utf8).withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        }
        do throws(MediaWritingError) {
            try writer.startWriting()
            try writer.startSession(atSourceTime: MediaTime.zero)
            for number in 0..<(untilKilled ? .max : 2000) {
                try await input.append(WritingFilm.gray(number), at: WritingFilm.time(number))
            }
            try await writer.finishWriting()
            print("completed")
        } catch {
            print("refused \(error.code): \(error)")
        }
    }
}
