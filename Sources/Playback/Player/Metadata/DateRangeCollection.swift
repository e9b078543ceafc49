// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadTime

/// The ranges of dates that a stream declares, as a collector has reported them: whole sets in,
/// changes out.
///
/// - Concurrency: a value.
package struct DateRangeCollection: Sendable {
    /// A set of ranges, and the indices of those that are new or have changed.
    package struct Change: Sendable, Hashable {
        package var ranges: [DateRange]
        package var new: [Int] = []
        package var modified: [Int] = []
    }

    private var known: [String: DateRange] = [:]

    package init() {}

    /// Takes the ranges that the stream declares now. Returns nil if nothing has changed.
    package mutating func update(_ ranges: [DateRange]) -> Change? {
        var change = Change(ranges: ranges)
        var now: [String: DateRange] = [:]
        for (index, range) in ranges.enumerated() {
            if let former = known[range.identifier] {
                if former.differs(from: range) { change.modified.append(index) }
            } else {
                change.new.append(index)
            }
            now[range.identifier] = range
        }
        let isGone = now.count < known.count + change.new.count
        defer { known = now }
        return change.new.isEmpty && change.modified.isEmpty && !isGone ? nil : change
    }
}

extension DateRange {
    /// Returns whether the stream declares something else. Its times move a little as more of the
    /// stream is read, which is no difference.
    fileprivate func differs(from other: DateRange) -> Bool {
        var moved = self
        moved.timeRange = other.timeRange
        return moved != other || timeRange.isValid != other.timeRange.isValid
    }
}
