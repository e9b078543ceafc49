// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A text file of chapters, with the time and the title of one chapter in each line.
///
///     0:00 Opening
///     1:30.5 The harbour
///
/// Empty lines and lines that begin with # are ignored.
struct ChapterFile {
    private var entries: [(time: MediaTime, title: String)] = []

    /// Reads a file.
    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError(.mediaFailure, "\(path): the file cannot be read; check its path")
        }
        let lines = String(decoding: data, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard let time = try? TimeArgument(argument: String(parts[0])).time else {
                throw ToolError(
                    .wrongUsage,
                    "\(path):\(index + 1): expected a time and a title such as '1:02:03 Title', "
                        + "found '\(line)'")
            }
            if let last = entries.last, time <= last.time {
                throw ToolError(
                    .wrongUsage,
                    "\(path):\(index + 1): the chapter begins before the previous one; sort the "
                        + "lines by time")
            }
            entries.append((time, parts.count > 1 ? String(parts[1]) : ""))
        }
    }

    /// Returns the chapters, each up to the next one.
    ///
    /// - Parameter end: the end of the last chapter; not numeric if unknown.
    func chapters(end: MediaTime) -> [Chapter] {
        entries.indices.compactMap { index in
            let start = entries[index].time
            let following = index + 1 < entries.count ? entries[index + 1].time : end
            let end =
                following.isNumeric ? following : start + MediaTime(value: 1, timescale: 1)
            guard end > start else { return nil }
            return Chapter(
                title: entries[index].title,
                timeRange: MediaTimeRange(start: start, duration: end - start))
        }
    }
}
