// SPDX-License-Identifier: Apache-2.0

/// The amount of media of one kind that was read.
///
/// - Concurrency: a value.
package struct MediaTotals: Sendable, Hashable {
    package private(set) var byteCount: Int64 = 0
    /// The duration in nanoseconds.
    package private(set) var duration: Int64 = 0

    package init() {}

    /// Adds a packet. Durations come from the file, so that their sum may be absurd.
    package mutating func add(byteCount: Int, duration: Int64) {
        self.byteCount = self.byteCount.addingClamped(Int64(byteCount))
        self.duration = self.duration.addingClamped(max(duration, 0))
    }

    package var seconds: Double { Double(duration) / 1e9 }

    /// The average bit rate, in bits per second; nil if nothing with a duration was read.
    package var bitRate: Double? {
        byteCount > 0 && duration > 0 ? Double(byteCount) * 8e9 / Double(duration) : nil
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
