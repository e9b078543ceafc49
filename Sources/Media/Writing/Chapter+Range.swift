// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

extension Chapter {
    /// Creates a chapter for a file that is to be written.
    ///
    /// - Parameters:
    ///   - title: The title; empty if the chapter has no title.
    ///   - start: The start time, relative to the beginning of the file.
    ///   - end: The end time, relative to the beginning of the file.
    public init(title: String, from start: MediaTime, to end: MediaTime) {
        self.init(title: title, timeRange: MediaTimeRange(start: start, end: end))
    }
}
