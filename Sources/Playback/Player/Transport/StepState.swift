// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The frame steps that have been requested and not been performed.
///
/// - Concurrency: a value.
struct StepState: Sendable {
    /// The pending steps, in order; consecutive ones in one direction are one entry.
    private(set) var pending: [Int] = []

    /// The distance that the demuxer is first moved back for the previous frame: less than the
    /// duration of most frames, so that it is found from the nearest keyframe.
    static let firstLead = MediaTime(value: 1, timescale: 1000)

    /// The number of frames back in one seek; the rest in further ones.
    static let limit = 7

    var isEmpty: Bool { pending.isEmpty }
    /// The next steps; nil if none is pending.
    var next: Int? { pending.first }

    mutating func add(_ count: Int) {
        if let last = pending.last, (last > 0) == (count > 0) {
            pending[pending.count - 1] = last + count
        } else {
            pending.append(count)
        }
    }

    /// Reduces the next steps by those that were performed; removes them if none is left.
    mutating func leave(_ rest: Int) {
        if rest == 0 { pending.removeFirst() } else { pending[0] = rest }
    }

    /// Discards the next steps if they go back.
    mutating func endStepsBack() {
        if let next, next < 0 { pending.removeFirst() }
    }

    mutating func clear() { pending = [] }
}
