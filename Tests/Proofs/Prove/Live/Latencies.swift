// SPDX-License-Identifier: Apache-2.0

/// The latencies of the frames that looks at a live source have found, in milliseconds.
struct Latencies {
    private var found: [(time: Int64, latency: Double)] = []
    private let start: Int64
    private let end: Int64

    /// - Parameters:
    ///   - start: The host time at which the run begins, in nanoseconds.
    ///   - end: The host time at which it ends.
    init(from start: Int64, to end: Int64) { (self.start, self.end) = (start, end) }

    /// Records that a frame that was sent at a time is visible now.
    mutating func add(sentAt time: Int64, seenAt now: Int64) {
        found.append((now, Double(now - time) / 1e6))
    }

    var all: Sample { Sample(found.map(\.latency)) }

    /// The latency that 95 % of the frames do not exceed.
    var p95: Double { all.magnitude(ofShare: 0.95) }

    /// The latencies in the first and the last third of the run.
    var first: Sample { Sample(found.filter { $0.time < start + third }.map(\.latency)) }
    var last: Sample { Sample(found.filter { $0.time >= end - third }.map(\.latency)) }
    private var third: Int64 { (end - start) / 3 }

    /// The difference between the values of `p95` in the last third and the first third of the run.
    var growth: Double { last.magnitude(ofShare: 0.95) - first.magnitude(ofShare: 0.95) }
}
