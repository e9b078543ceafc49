// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The distribution of a measured time over a run, in milliseconds. All values except `bias` are
/// computed from magnitudes, so that errors of opposite sign do not cancel out.
public struct Distribution: Sendable, Hashable, Encodable {
    /// The number of values.
    package var count = 0
    /// The mean.
    package var mean = 0.0
    /// The median, accurate to 1 %.
    public var p50 = 0.0
    /// The 99th percentile, accurate to 1 %.
    public var p99 = 0.0
    /// The largest value.
    public var max = 0.0
    /// The mean of the signed values.
    package var bias = 0.0

    package init() {}
}

/// A recorder that counts times in buckets. The width of a bucket is at most 1/64 of the times in
/// it, except for the shortest times. The quantiles of a run of any length therefore take a fixed
/// amount of space, and are accurate to 1 %.
///
/// - Concurrency: one writer, without locks, and any number of readers.
final class DistributionRecorder: @unchecked Sendable {
    // Unchecked: `buckets` is allocated once and consists of atomics.
    private let buckets: UnsafeMutablePointer<Atomic<Int64>>
    private let sum = Atomic<Int64>(0)
    private let signedSum = Atomic<Int64>(0)
    private let largest = Atomic<Int64>(0)

    /// The number of buckets per octave. Times below 64 ns have a bucket each, so they are exact.
    private static let resolution: Int64 = 64
    /// The longest time that is distinguished; longer times are counted as this one. 2^40 ns is 18
    /// minutes.
    private static let longest: Int64 = 1 << 40
    private static let bucketCount = bucket(of: longest) + 1

    init() {
        buckets = .allocate(capacity: Self.bucketCount)
        for index in 0..<Self.bucketCount { (buckets + index).initialize(to: Atomic(0)) }
    }

    deinit {
        buckets.deinitialize(count: Self.bucketCount)
        buckets.deallocate()
    }

    func add(_ nanoseconds: Int64) {
        let signed = min(max(nanoseconds, -Self.longest), Self.longest)
        let size = abs(signed)
        buckets[Self.bucket(of: size)].add(1, ordering: .relaxed)
        sum.add(size, ordering: .relaxed)
        signedSum.add(signed, ordering: .relaxed)
        largest.max(size, ordering: .relaxed)
    }

    var distribution: Distribution {
        let counts = (0..<Self.bucketCount).map { buckets[$0].load(ordering: .relaxed) }
        let total = counts.reduce(0, +)
        var result = Distribution()
        guard total > 0 else { return result }
        let largest = largest.load(ordering: .relaxed)
        func quantile(_ share: Double) -> Double {
            let rank = Int64((share * Double(total)).rounded(.up))
            var seen: Int64 = 0
            for (index, count) in counts.enumerated() {
                seen += count
                if seen >= rank { return min(Self.middle(ofBucket: index), Double(largest)) }
            }
            return Double(largest)
        }
        result.count = Int(total)
        result.mean = Double(sum.load(ordering: .relaxed)) / Double(total) / 1e6
        result.bias = Double(signedSum.load(ordering: .relaxed)) / Double(total) / 1e6
        result.p50 = quantile(0.5) / 1e6
        result.p99 = quantile(0.99) / 1e6
        result.max = Double(largest) / 1e6
        return result
    }

    private static func bucket(of size: Int64) -> Int {
        if size < resolution { return Int(size) }
        let octave = Int64(size.bitWidth - 1 - size.leadingZeroBitCount - 6)
        return Int(octave * resolution + (size >> octave))
    }

    private static func middle(ofBucket index: Int) -> Double {
        if index < resolution { return Double(index) }
        let octave = Int64(index) / resolution - 1
        let size = (Int64(index) - octave * resolution) << octave
        return Double(size) + Double((Int64(1) << octave) - 1) / 2
    }
}
