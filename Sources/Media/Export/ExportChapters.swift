// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// A function that selects the chapters of a range.
package enum ExportChapters {
    /// Returns the parts of chapters that lie in a range, with times relative to the start of the
    /// range.
    package static func moved(_ chapters: [Chapter], into range: MediaTimeRange) -> [Chapter] {
        chapters.compactMap { chapter in
            let start = max(chapter.timeRange.start, range.start)
            let end = min(chapter.timeRange.end, range.end)
            guard start.isNumeric, end.isNumeric, end > start else { return nil }
            var moved = chapter
            moved.timeRange = MediaTimeRange(start: start - range.start, end: end - range.start)
            return moved
        }
    }
}
