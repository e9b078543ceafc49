// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

extension Chapter {
    /// Creates a chapter of a file that is written.
    ///
    /// - Parameters:
    ///   - title: The title; empty for none.
    ///   - start: The start, counted from the beginning of the file.
    ///   - end: The end.
    public init(title: String, from start: MediaTime, to end: MediaTime) {
        self.init(title: title, timeRange: MediaTimeRange(start: start, end: end))
    }
}
