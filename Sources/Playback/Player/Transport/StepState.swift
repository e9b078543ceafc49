// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The frame steps that have been requested and have not been performed.
///
/// - Concurrency: a value.
struct StepState: Sendable {
    /// The pending steps, in order. Consecutive steps in one direction are a single entry.
    private(set) var pending: [Int] = []

    /// The distance that the demuxer is first moved back to find the previous frame. It is less
    /// than the duration of most frames, so that the frame is found from the nearest keyframe.
    static let firstLead = MediaTime(value: 1, timescale: 1000)

    /// The maximum number of frames that one seek steps back. More frames need more seeks.
    static let limit = 7

    var isEmpty: Bool { pending.isEmpty }
    /// The next steps; nil if no steps are pending.
    var next: Int? { pending.first }

    mutating func add(_ count: Int) {
        if let last = pending.last, (last > 0) == (count > 0) {
            pending[pending.count - 1] = last + count
        } else {
            pending.append(count)
        }
    }

    /// Sets how many of the next steps are left to perform; 0 removes the entry.
    mutating func leave(_ rest: Int) {
        if rest == 0 { pending.removeFirst() } else { pending[0] = rest }
    }

    /// Discards the next steps if they go back.
    mutating func endStepsBack() {
        if let next, next < 0 { pending.removeFirst() }
    }

    mutating func clear() { pending = [] }
}
